// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/config/kubeconfig.h"
#include "line/options.h"
#include "question/context.h"

/// The clusters of an answer about several of them.
namespace dsdoctor::cmd {

struct Member {
  std::string name;      // the context or the path of the input
  SourceOptions source;  // reads only this one
};

struct Members {
  std::vector<Member> all;
  std::vector<std::string> notes = {};  // contexts that are left out, as sentences
  /// The file of the contexts; null for inputs.
  std::shared_ptr<const kube::Kubeconfig> kubeconfig = nullptr;
};

/// The inputs of -f, or the contexts that --contexts selects, sorted by name. Contexts that ask the
/// same server about the same namespace as an earlier one are left out.
/// Errors: as separate_inputs and kube::load_kubeconfig; NotFound if no context matches.
[[nodiscard]] base::Result<Members> members_of(const SourceOptions& source, const Context& ctx);

/// The names without the folders that all of them begin with.
[[nodiscard]] std::vector<std::string> without_common_folder(std::vector<std::string> names);

}  // namespace dsdoctor::cmd
