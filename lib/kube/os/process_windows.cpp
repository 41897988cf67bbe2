// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <windows.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>

#include "base/text.h"
#include "kube/os/files.h"
#include "kube/os/process.h"
#include "kube/os/wide_windows.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;

/// Closes the handle in its destructor.
class OsHandle {
 public:
  explicit OsHandle(HANDLE handle = nullptr) : handle_(handle) {}
  ~OsHandle() { close(); }
  OsHandle(const OsHandle&) = delete;
  OsHandle& operator=(const OsHandle&) = delete;
  void close() {
    if (handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE) ::CloseHandle(handle_);
    handle_ = nullptr;
  }
  HANDLE* out() { return &handle_; }
  [[nodiscard]] HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

/// Quotes by the rules of CommandLineToArgvW, which the C runtimes and Go follow.
void append_quoted(std::string& line, const std::string& argument) {
  if (!line.empty()) line += ' ';
  if (!argument.empty() && argument.find_first_of(" \t\n\v\"") == std::string::npos) {
    line += argument;
    return;
  }
  line += '"';
  std::size_t backslashes = 0;
  for (const char c : argument) {
    if (c == '\\') {
      ++backslashes;
    } else {
      if (c == '"') line.append(backslashes + 1, '\\');
      backslashes = 0;
    }
    line += c;
  }
  line.append(backslashes, '\\');
  line += '"';
}

/// Sorted case-insensitively, as CreateProcess requires.
std::wstring block_of(std::vector<std::string> variables) {
  std::ranges::sort(variables, {}, [](const std::string& text) { return base::lower_case(text); });
  std::wstring block;
  for (const std::string& variable : variables) (block += wide(variable)) += L'\0';
  block += L'\0';
  return block;
}

bool is_batch(const std::string& file) {
  const std::string name = base::lower_case(file);
  return name.ends_with(".cmd") || name.ends_with(".bat");
}

/// cmd.exe parses a batch file's arguments by its own rules: arguments with its special characters
/// are rejected (CVE-2024-24576 and similar).
bool is_safe_for_batch(const std::string& argument) {
  return argument.find_first_of("\"%!^&|<>\r\n") == std::string::npos;
}

base::Result<std::string> command_line(const ProcessSpec& spec) {
  std::string line;
  append_quoted(line, spec.file);
  for (const std::string& argument : spec.args) {
    if (is_batch(spec.file) && !is_safe_for_batch(argument)) {
      return Error{ErrorKind::Unreadable, spec.file,
                   "an argument cannot be handed to a batch file safely"};
    }
    append_quoted(line, argument);
  }
  return line;
}

std::string system_words(DWORD error) {
  wchar_t* text = nullptr;
  constexpr DWORD how = FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM |
                        FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
  // NOLINTNEXTLINE(*-reinterpret-cast): with ALLOCATE_BUFFER it takes a pointer to the pointer
  const DWORD size =
      ::FormatMessageW(how, nullptr, error, 0, reinterpret_cast<wchar_t*>(&text), 0, nullptr);
  std::string words =
      size == 0 ? fmt::format("error {}", error) : std::string(base::trimmed(narrow({text, size})));
  ::LocalFree(text);
  return words;
}

Error over_limit(const ProcessSpec& spec, std::string what) {
  return {ErrorKind::Unavailable, spec.file, std::move(what)};
}

/// A job whose processes, including descendants, end when its last handle is closed: by us, or by
/// the system after we have ended.
HANDLE job_of_ours() {
  const HANDLE job = ::CreateJobObjectW(nullptr, nullptr);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  ::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

/// A process in a job, with its stdout.
struct Child {
  OsHandle job{job_of_ours()};
  OsHandle process;
  OsHandle reading;

  void end() const {
    ::TerminateJobObject(job.get(), 1);
    ::TerminateProcess(process.get(), 1);
  }
  /// Lets processes that it has started live on, such as a browser for the login.
  void leave_rest_alone() const {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION none{};
    ::SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &none, sizeof none);
  }
};

/// Starts the child with only its three streams inherited; it joins the job before it runs.
base::Status start(const ProcessSpec& spec, Child& child) {
  auto line = command_line(spec);
  if (!line) return line.error();
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  OsHandle writing;
  if (::CreatePipe(child.reading.out(), writing.out(), &inherited, 0) == 0) {
    return Error{ErrorKind::Unavailable, spec.file, system_words(::GetLastError())};
  }
  ::SetHandleInformation(child.reading.get(), HANDLE_FLAG_INHERIT, 0);
  const OsHandle nothing(::CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                       &inherited, OPEN_EXISTING, 0, nullptr));
  STARTUPINFOW start{};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = spec.inherit_stdin ? ::GetStdHandle(STD_INPUT_HANDLE) : nothing.get();
  start.hStdOutput = writing.get();
  start.hStdError = ::GetStdHandle(STD_ERROR_HANDLE);
  std::wstring command = wide(*line);
  std::wstring variables = block_of(spec.environment);
  PROCESS_INFORMATION started{};
  if (::CreateProcessW(wide(spec.file).c_str(), command.data(), nullptr, nullptr, TRUE,
                       CREATE_UNICODE_ENVIRONMENT | CREATE_SUSPENDED, variables.data(), nullptr,
                       &start, &started) == 0) {
    const DWORD error = ::GetLastError();
    const bool missing = error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
    return Error{missing ? ErrorKind::NotFound : ErrorKind::Unreadable, spec.file,
                 system_words(error)};
  }
  *child.process.out() = started.hProcess;
  ::AssignProcessToJobObject(child.job.get(), started.hProcess);
  ::ResumeThread(started.hThread);
  ::CloseHandle(started.hThread);
  return std::monostate{};
}

/// True: there were more than `limit` bytes, and the child was terminated.
bool read_all(const Child& child, std::size_t limit, std::string& output) {
  std::string buffer(16384, '\0');
  DWORD got = 0;
  while (::ReadFile(child.reading.get(), buffer.data(), static_cast<DWORD>(buffer.size()), &got,
                    nullptr) != 0) {
    output.append(buffer.data(), got);
    if (output.size() <= limit) continue;
    child.end();
    return true;
  }
  return false;
}

/// `file` unchanged if it has an extension, else with one that the system executes.
std::string executable_like(const std::string& file, const std::string& extensions) {
  const std::size_t name = file.find_last_of("/\\:") + 1;  // npos + 1 is 0
  if (file.find('.', name) != std::string::npos && is_file(file)) return file;
  const std::string_view usual = ".com;.exe;.bat;.cmd";
  for (const std::string_view extension :
       base::split(extensions.empty() ? usual : std::string_view(extensions), ";")) {
    if (extension.empty()) continue;
    const std::string found = fmt::format("{}{}{}", file, extension.starts_with('.') ? "" : ".",
                                          base::lower_case(extension));
    if (is_file(found)) return found;
  }
  return {};
}

}  // namespace

base::Result<ProcessResult> run_process(const ProcessSpec& spec) {
  Child child;
  if (const auto started = start(spec, child); !started) return started.error();
  // Anonymous pipes cannot be waited for: another thread reads until all writers have closed it.
  std::string output;
  bool too_much = false;
  const OsHandle all_read(::CreateEventW(nullptr, TRUE, FALSE, nullptr));
  std::thread reader([&] {
    too_much = read_all(child, spec.output_limit, output);
    ::SetEvent(all_read.get());
  });
  const DWORD limit =
      spec.time_limit.count() > 0 ? static_cast<DWORD>(spec.time_limit.count()) : INFINITE;
  const std::array ends{child.process.get(), all_read.get()};
  const bool late = ::WaitForMultipleObjects(2, ends.data(), TRUE, limit) == WAIT_TIMEOUT;
  if (late) child.end();
  reader.join();
  DWORD code = 0;
  ::GetExitCodeProcess(child.process.get(), &code);
  child.leave_rest_alone();
  if (too_much) {
    return over_limit(spec, fmt::format("printed more than {} bytes", spec.output_limit));
  }
  if (late) {
    return over_limit(spec, fmt::format("did not exit within {}s", spec.time_limit.count() / 1000));
  }
  return ProcessResult{static_cast<int>(code), std::move(output)};
}

base::Result<std::string> find_executable(const std::string& command, const CommandPath& path) {
  const std::string clean = std::filesystem::path(command).lexically_normal().string();
  if (has_folder(clean)) {
    if (std::string file = executable_like(clean, path.extensions); !file.empty()) return file;
    return Error{ErrorKind::NotFound, clean, "no such executable"};
  }
  std::string folders = path.folders;
  std::erase(folders, '"');  // cmd.exe permits quotes
  for (const std::string_view folder : base::split(folders, ";")) {
    // skip `.`, empty and other relative elements: they depend on the working directory
    if (!is_absolute(std::string(folder))) continue;
    const std::string file = clean_path(fmt::format("{}\\{}", folder, clean));
    if (std::string found = executable_like(file, path.extensions); !found.empty()) return found;
  }
  return Error{ErrorKind::NotFound, clean, "executable file not found in %PATH%"};
}

}  // namespace dsdoctor::kube
