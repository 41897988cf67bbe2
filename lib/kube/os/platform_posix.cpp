// SPDX-License-Identifier: Apache-2.0
#include "kube/os/platform.h"

namespace dsdoctor::kube {

std::string platform() {
#if defined(__APPLE__)
  constexpr std::string_view system = "darwin/";
#else
  constexpr std::string_view system = "linux/";
#endif
#if defined(__aarch64__)
  constexpr std::string_view architecture = "arm64";
#elif defined(__x86_64__)
  constexpr std::string_view architecture = "amd64";
#else
  constexpr std::string_view architecture = "unknown";
#endif
  return std::string(system).append(architecture);
}

char list_separator() { return ':'; }

std::string home_folder(const Environment& environment) { return environment.get("HOME"); }

RootPlaces root_places() {
  return {{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
           "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/cacert.pem",
           "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem"},
          {"/etc/ssl/certs", "/etc/pki/tls/certs"},
          ""};
}

}  // namespace dsdoctor::kube
