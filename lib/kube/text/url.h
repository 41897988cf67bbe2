#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace dsdoctor::kube {

/// The parts of `scheme://user:password@host:port/path` that we use; query and fragment are gone.
struct Url {
  std::string scheme;               // lower case
  std::optional<std::string> user;  // percent-decoded; absent: no userinfo at all
  std::string password;             // percent-decoded
  std::string host;                 // no brackets
  std::optional<int> port;
  std::string path;  // as written; may be empty

  /// `host`, or `host:port` where a port is given; IPv6 in brackets.
  [[nodiscard]] std::string authority() const;
  /// `host:port` with the effective port.
  [[nodiscard]] std::string address() const;
  /// The port given, else the scheme's: 443, 80, 1080 (socks5).
  [[nodiscard]] int effective_port() const;

  friend bool operator==(const Url&, const Url&) = default;
};

/// Errors: Malformed; the text never repeats the input, which may hold a password.
[[nodiscard]] base::Result<Url> parse_url(std::string_view text);

/// The same text without the userinfo, for messages: `https://xxxxx@host`.
[[nodiscard]] std::string redacted_url(std::string_view text);

/// The `server` of a kubeconfig: without a scheme it is `http://`, and then only a host or a
/// host:port. A trailing slash of the path is dropped. Only http and https.
[[nodiscard]] base::Result<Url> parse_server_url(std::string_view text);

/// Every byte that is not kept becomes %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text, bool (*is_kept)(char));

/// Every byte that is not unreserved becomes %XX: for one segment of a path.
[[nodiscard]] std::string encode_segment(std::string_view segment);

using Query = std::vector<std::pair<std::string, std::string>>;
/// `a=1&b=x%2Cy`: sorted by key, form-encoded (a space becomes `+`).
[[nodiscard]] std::string encode_query(Query query);

}  // namespace dsdoctor::kube
