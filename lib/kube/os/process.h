// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace dsdoctor::kube {

struct ProcessSpec {
  std::string file;                         // is executed directly; no shell, no PATH
  std::string name;                         // argv[0]; empty: `file`
  std::vector<std::string> args;            // from argv[1]
  std::vector<std::string> environment;     // NAME=value
  bool inherit_stdin = false;               // else /dev/null
  std::size_t output_limit = 0;             // bytes of stdout
  std::chrono::milliseconds time_limit{0};  // 0: unlimited
};

struct ProcessResult {
  int exit_code = 0;   // 128 + N after signal N
  std::string output;  // of stdout
};

/// Runs a program to its end; it inherits our stderr. With a terminal it stays in our process
/// group, so that Ctrl-C reaches it; else it has its own group (`running_commands_posix.h`). On
/// Windows it belongs to a job that ends with us, however we end. Errors: NotFound, Unreadable (no
/// permission, or not a program), Unavailable (over a limit; the process is killed). No error
/// repeats arguments or output.
[[nodiscard]] base::Result<ProcessResult> run_process(const ProcessSpec& spec);

/// Where commands are looked up: the variables PATH and, on Windows, PATHEXT.
struct CommandPath {
  // NOLINTNEXTLINE(*-explicit-*): a list of folders is one
  CommandPath(std::string in_folders, std::string with_extensions = "")
      : folders(std::move(in_folders)), extensions(std::move(with_extensions)) {}
  // NOLINTNEXTLINE(*-explicit-*)
  CommandPath(const char* in_folders) : folders(in_folders) {}
  std::string folders;
  std::string extensions;
};

/// Returns the executable for `command`, as a clean path: unchanged if it names a folder, else the
/// first match in `path`. A match through `.` or an empty element of the list is ignored. On
/// Windows also tries the extensions of `path`, like Go's exec.LookPath. Errors: NotFound;
/// Unreadable if `command` names a folder and the file there cannot be executed.
[[nodiscard]] base::Result<std::string> find_executable(const std::string& command,
                                                        const CommandPath& path);

}  // namespace dsdoctor::kube
