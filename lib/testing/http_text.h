#pragma once

#include <string>
#include <string_view>

#include "testing/https_server.h"

namespace dsdoctor::testing {

/// A request's head, without its empty line.
[[nodiscard]] ServedRequest parse_request(std::string_view head);

/// Status line, headers, empty line and body.
[[nodiscard]] std::string to_http(const Reply& reply, bool gzip);

/// %XX and `+`.
[[nodiscard]] std::string form_decoded(std::string_view text);

[[nodiscard]] std::string gzipped(const std::string& bytes);

}  // namespace dsdoctor::testing
