#pragma once

#include <string>

#include "base/result.h"
#include "kube/config/kubeconfig_entries.h"
#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// Finds and merges the kubeconfig files: `explicit_path` (--kubeconfig) alone, else the list in
/// KUBECONFIG, else $HOME/.kube/config. Of an entry defined twice the first file's counts, whole.
/// Missing files are skipped unless named by --kubeconfig; no file at all is an empty Kubeconfig.
/// Errors: NotFound, Unreadable or Malformed; every file that fails is named.
/// Source of truth: k8s.io/client-go v0.36, tools/clientcmd/loader.go. Unlike there, a HOME that
/// is not set means no default file: one in the working directory is not to be trusted.
[[nodiscard]] base::Result<Kubeconfig> load_kubeconfig(const std::string& explicit_path,
                                                       const Environment& environment);

}  // namespace dsdoctor::kube
