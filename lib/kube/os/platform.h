// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// The platform that the program was built for, in Go's notation: "linux/amd64".
[[nodiscard]] std::string platform();

/// The separator of the paths in KUBECONFIG, PATH and SSL_CERT_DIR.
[[nodiscard]] char list_separator();

/// The folder that holds `.kube`; empty if unknown. On Windows the first of HOME, HOMEDRIVE with
/// HOMEPATH, and USERPROFILE that has `.kube\config`, else of HOME, USERPROFILE and HOMEDRIVE with
/// HOMEPATH the first that is writable, else that exists, else that is set.
/// Source of truth: k8s.io/client-go v0.36, util/homedir.
[[nodiscard]] std::string home_folder(const Environment& environment);

/// Where the system keeps its trusted certificates.
struct RootPlaces {
  std::vector<std::string> bundles;  // only the first readable one is used
  std::vector<std::string> folders;  // all of them
  std::string store;                 // PEM of certificates that are not in files
};
[[nodiscard]] RootPlaces root_places();

}  // namespace dsdoctor::kube
