#pragma once

#include <optional>
#include <string>

#include "kube/http/transport.h"
#include "kube/text/url.h"

namespace dsdoctor::kube {

/// As many redirects in a row as Go's client follows.
constexpr int max_redirects = 10;

/// Path and query to ask for next when `head` redirects within the origin of `server`: same
/// scheme, host and port. `target` is what was asked for. Null: no redirect, one without a usable
/// Location, or one that leads elsewhere, where our credentials have no business.
[[nodiscard]] std::optional<std::string> redirect_target(const Url& server,
                                                         const std::string& target,
                                                         const ResponseHead& head);

}  // namespace dsdoctor::kube
