// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kube/http/transport.h"
#include "kube/text/url.h"

namespace dsdoctor::kube {

/// The number of consecutive redirects that Go's client follows.
constexpr int max_redirects = 10;

/// Path and query of the next request if `head` redirects within the origin of `server`: same
/// scheme, host and port. `target` is the path of the request. Null if there is no redirect, if it
/// has no valid Location, or if it leads to another origin, to which credentials are never sent.
[[nodiscard]] std::optional<std::string> redirect_target(const Url& server,
                                                         const std::string& target,
                                                         const ResponseHead& head);

}  // namespace dsdoctor::kube
