// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace dsdoctor::kube {

/// The parts of `scheme://user:password@host:port/path` that we use; query and fragment are
/// dropped.
struct Url {
  std::string scheme;               // lower case
  std::optional<std::string> user;  // percent-decoded; absent if there is no userinfo
  std::string password;             // percent-decoded
  std::string host;                 // no brackets
  std::optional<int> port;
  std::string path;  // as written; may be empty

  /// `host`, or `host:port` if a port is given; IPv6 in brackets.
  [[nodiscard]] std::string authority() const;
  /// `host:port` with the effective port.
  [[nodiscard]] std::string address() const;
  /// The port given, else the scheme's: 443, 80, 1080 (socks5).
  [[nodiscard]] int effective_port() const;

  friend bool operator==(const Url&, const Url&) = default;
};

/// Errors: Malformed; the message never repeats the input, which may contain a password.
[[nodiscard]] base::Result<Url> parse_url(std::string_view text);

/// The same text without the userinfo, for messages: `https://xxxxx@host`.
[[nodiscard]] std::string redacted_url(std::string_view text);

/// Parses the `server` of a kubeconfig, with the scheme http or https. A text without a scheme may
/// only be a host or host:port, and means `http://`. A trailing slash of the path is dropped.
[[nodiscard]] base::Result<Url> parse_server_url(std::string_view text);

/// Every byte that `keeps` does not accept becomes %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text, bool (*is_kept)(char));

/// For one segment of a path: every byte that is not unreserved becomes %XX.
[[nodiscard]] std::string encode_segment(std::string_view segment);

using Query = std::vector<std::pair<std::string, std::string>>;
/// `a=1&b=x%2Cy`: sorted by key, form-encoded (a space becomes `+`).
[[nodiscard]] std::string encode_query(Query query);

}  // namespace dsdoctor::kube
