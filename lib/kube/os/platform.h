#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// What the program was built for, in Go's words: "linux/amd64".
[[nodiscard]] std::string platform();

/// Between the paths of KUBECONFIG, PATH and SSL_CERT_DIR.
[[nodiscard]] char list_separator();

/// The folder that holds `.kube`; empty where none is known. On Windows the first of HOME,
/// HOMEDRIVE with HOMEPATH, and USERPROFILE that has `.kube\config`, else of HOME, USERPROFILE and
/// the former one that can be written, that exists, that is set at all.
/// Source of truth: k8s.io/client-go v0.36, util/homedir.
[[nodiscard]] std::string home_folder(const Environment& environment);

/// Where the system keeps the certificates that it trusts.
struct RootPlaces {
  std::vector<std::string> bundles;  // the first that can be read counts
  std::vector<std::string> folders;  // all of them
  std::string store;                 // PEM, of what is no file
};
[[nodiscard]] RootPlaces root_places();

}  // namespace dsdoctor::kube
