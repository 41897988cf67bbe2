#pragma once

#include <string>

#include "base/result.h"
#include "kube/config/kubeconfig_entries.h"
#include "kube/text/clock.h"

namespace dsdoctor::kube {

/// The bearer token of a legacy `auth-provider`. Only `oidc` with an id-token that is still valid
/// has one: redeeming a refresh token would have to write the kubeconfig, which we never do.
/// Errors: Unauthorized, with what to use instead.
[[nodiscard]] base::Result<std::string> token_of_auth_provider(const AuthProvider& provider,
                                                               TimePoint now);

}  // namespace dsdoctor::kube
