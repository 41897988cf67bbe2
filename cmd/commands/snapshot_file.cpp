// SPDX-License-Identifier: Apache-2.0
#include "commands/snapshot_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "kube/os/files.h"

namespace dsdoctor::cmd {
namespace {

namespace fs = std::filesystem;

base::Error cannot_write(const std::string& path, std::string what) {
  return {base::ErrorKind::Unreadable, path, std::move(what)};
}

base::Error system_error(const std::string& path, std::error_code error) {
  return cannot_write(path, fmt::format("cannot be written: {}", error.message()));
}

bool belongs_in_a_name(char c) {
  return base::is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
}

}  // namespace

std::string snapshot_name(const model::SourceInfo& info) {
  std::string of = info.context;
  if (of.empty()) of = info.saved_from.empty() ? info.kind : info.saved_from;
  std::ranges::replace_if(
      of, [](char c) { return !belongs_in_a_name(c); }, '-');
  const auto seconds = std::chrono::floor<std::chrono::seconds>(info.moment());
  return fmt::format("dsdoctor-{}-{:%Y%m%dT%H%M%SZ}.json.zst", of,
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

base::Status check_writable(const std::string& path, bool force) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return std::monostate{};
  if (error) return system_error(path, error);
  if (status.type() == fs::file_type::directory) {
    return cannot_write(path, "is a folder; expected a file name");
  }
  if (status.type() != fs::file_type::regular) {
    return cannot_write(path, "is not a regular file; use - for standard output");
  }
  if (!force) return cannot_write(path, "the file exists; use --force to overwrite it");
  return std::monostate{};
}

base::Status write_whole(const std::string& path, std::string_view content) {
  std::error_code error;
  fs::path target(path);
  if (fs::is_symlink(target, error)) {
    const fs::path real = fs::canonical(target, error);
    if (!error) target = real;
  }
  if (const auto failure = kube::replace_file(target.string(), content); failure) {
    return system_error(path, failure);
  }
  return std::monostate{};
}

}  // namespace dsdoctor::cmd
