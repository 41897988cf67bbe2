// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dsdoctor::base {

/// The class of an error: coarse, enough to choose an exit code or a hint.
enum class ErrorKind {
  Usage,         // the command line
  NotFound,      // a file, a context, an object requested by name
  Unreadable,    // exists, but cannot be opened or read
  Malformed,     // was read, but has invalid content
  TwoClusters,   // was read, but has objects of two clusters
  Unauthorized,  // HTTP 401, or no usable credential
  Forbidden,     // HTTP 403
  Unavailable,   // connection, TLS, timeout, or a server error
  Internal,      // our own bug
};

/// An error as data: it is printed once, by cmd, as `where: what`.
struct Error {
  ErrorKind kind = ErrorKind::Internal;
  /// The place: `nodes.yaml:14:3`, `Node/gpu-1 spec.taints[0].effect`, a URL, a flag. May be empty.
  std::string where;
  /// One sentence: what is wrong, and what is expected. No trailing period.
  std::string what;
  /// Lines that help to fix it; each starts with a verb or names a candidate. May be empty.
  std::vector<std::string> hints = {};

  friend bool operator==(const Error&, const Error&) = default;
};

/// `where: what`, or only `what` if the place is unknown. Hints are not included.
[[nodiscard]] inline std::string to_string(const Error& error) {
  return error.where.empty() ? error.what : error.where + ": " + error.what;
}

/// An error in the command line.
[[nodiscard]] inline Error usage_error(std::string what, std::vector<std::string> hints = {}) {
  return {ErrorKind::Usage, "", std::move(what), std::move(hints)};
}

}  // namespace dsdoctor::base
