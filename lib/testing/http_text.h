// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace dsdoctor::testing {

struct ServedRequest {
  std::string method;
  std::string target;                               // path and query as sent
  std::string path;                                 // percent-decoded
  std::map<std::string, std::string> query;         // decoded
  std::multimap<std::string, std::string> headers;  // names in lower case
  std::string client_name;  // CN of the verified client certificate; empty: none
  std::string sni;
  std::string alpn;  // the protocols that the client offered: "h2,http/1.1"

  /// The first value; empty if there is none. `name`: in lower case.
  [[nodiscard]] std::string header(const std::string& name) const;
};

/// A way in which an answer is broken on the wire.
enum class Fault {
  None,
  CloseBeforeHead,  // the connection ends without a byte
  CutBody,          // ends after 60 % of the body
  StallBeforeHead,  // nothing, until the server stops or after 20 s
  StallWithinBody,  // the same, after 60 % of the body
  EndlessHeads,     // `100 Continue` repeatedly, until the client closes the connection
  EndlessHeaders,   // headers repeatedly
  EndlessBody,      // the body repeatedly, in chunks
};

struct Reply {
  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";  // empty: the header is left out
  std::multimap<std::string, std::string> headers = {};
  Fault fault = Fault::None;
  bool close_delimited = false;  // no Content-Length; the body ends with the connection
  /// Appends the next bytes of a body that is sent in chunks, after `body`; false: the body ends.
  /// Called every few milliseconds.
  std::function<bool(std::string&)> more = {};
};

/// Parses the head of a request, without its empty line.
[[nodiscard]] ServedRequest parse_request(std::string_view head);

/// Status line, headers, empty line and body.
[[nodiscard]] std::string to_http(const Reply& reply, bool gzip);

/// Decodes %XX and `+`.
[[nodiscard]] std::string form_decoded(std::string_view text);

[[nodiscard]] std::string gzipped(const std::string& bytes);

}  // namespace dsdoctor::testing
