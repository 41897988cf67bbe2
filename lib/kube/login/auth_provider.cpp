#include "kube/login/auth_provider.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "kube/text/base64.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;

Error unusable(const AuthProvider& provider, std::string what, std::vector<std::string> hints) {
  return {ErrorKind::Unauthorized,
          fmt::format("auth-provider \"{}\"", base::printable(provider.name)), std::move(what),
          std::move(hints)};
}

/// The `exp` of a JSON web token, in seconds since 1970; 0 when it cannot be read.
double expiry_of(const std::string& token) {
  const auto first = token.find('.');
  const auto second = token.find('.', first == std::string::npos ? first : first + 1);
  if (second == std::string::npos) return 0;
  const auto payload =
      decode_base64_url(std::string_view(token).substr(first + 1, second - first - 1));
  const auto claims = nlohmann::json::parse(payload.value_or(""), nullptr, false);
  if (!claims.is_object()) return 0;
  const auto exp = claims.find("exp");
  return exp != claims.end() && exp->is_number() ? exp->get<double>() : 0;
}

}  // namespace

base::Result<std::string> token_of_auth_provider(const AuthProvider& provider, TimePoint now) {
  if (provider.name == "gcp" || provider.name == "azure") {
    return unusable(provider, "was removed from Kubernetes 1.26: use an exec plugin instead",
                    {provider.name == "gcp" ? "install gke-gcloud-auth-plugin and renew the "
                                              "kubeconfig with `gcloud container clusters "
                                              "get-credentials`"
                                            : "install kubelogin and run `kubelogin "
                                              "convert-kubeconfig`"});
  }
  if (provider.name != "oidc") {
    return unusable(
        provider,
        fmt::format("no Auth Provider found for name \"{}\"", base::printable(provider.name)), {});
  }
  const auto found = provider.config.find("id-token");
  const std::string token = found == provider.config.end() ? "" : found->second;
  const double seconds = std::chrono::duration<double>(now.time_since_epoch()).count();
  constexpr double leeway = 10;  // seconds, as client-go has it
  if (!token.empty() && expiry_of(token) > seconds + leeway) return token;
  return unusable(provider, token.empty() ? "has no id-token" : "the id-token has expired",
                  {"run any kubectl command, which renews the token, or switch to an exec plugin"});
}

}  // namespace dsdoctor::kube
