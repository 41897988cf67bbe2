// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/http/transport.h"
#include "kube/text/url.h"

namespace dsdoctor::kube {

/// The number of consecutive redirects that Go's client follows.
constexpr int max_redirects = 10;

/// Path and query of the next request if `head` redirects to the same resource within the origin of
/// `server`: same scheme, host and port. `target` is path and query of the request, `resource` its
/// path without a prefix, such as `/api/v1/nodes`; the prefix may change. Null if there is no
/// redirect, if it has no valid Location, or if it leads to another origin, to which credentials
/// are never sent, to another resource, or to other objects of it (selectors, continue).
[[nodiscard]] std::optional<std::string> redirect_target(const Url& server,
                                                         const std::string& target,
                                                         std::string_view resource,
                                                         const ResponseHead& head);

}  // namespace dsdoctor::kube
