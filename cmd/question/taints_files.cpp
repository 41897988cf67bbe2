// SPDX-License-Identifier: Apache-2.0
#include "question/taints_files.h"

#include <chrono>
#include <optional>
#include <utility>

#include "decode/objects/known_taints.h"
#include "kube/os/files.h"
#include "question/user_files.h"

namespace dsdoctor::cmd {
namespace {

constexpr std::size_t max_bytes = 4u << 20;

using Taints = std::vector<model::KnownTaint>;

base::Result<Taints> taints_in(const std::string& path, const std::string& folder,
                               std::optional<std::chrono::milliseconds> patience) {
  const auto content = kube::read_file(kube::resolve_path(path, folder), max_bytes, patience);
  if (!content) return content.error();
  return decode::read_known_taints(*content, path);
}

}  // namespace

base::Result<std::unique_ptr<const diagnosis::TaintCatalogue>> taint_catalogue(
    const std::vector<std::string>& paths, const kube::Environment& environment,
    std::vector<std::string>& warnings) {
  std::vector<Taints> own;
  if (const std::string path = user_file(environment, "taints.yaml"); !path.empty()) {
    auto taints = taints_in(path, "/", kube::short_patience);
    if (!taints && taints.error().kind != base::ErrorKind::NotFound) {
      warnings.push_back(base::to_string(taints.error()) + "; the file is ignored");
    }
    if (taints) own.push_back(std::move(*taints));
  }
  for (const std::string& path : paths) {
    auto taints = taints_in(path, environment.working_directory, std::nullopt);
    if (!taints) return taints.error();
    own.push_back(std::move(*taints));
  }
  std::unique_ptr<const diagnosis::TaintCatalogue> result;
  if (!own.empty()) result = std::make_unique<diagnosis::TaintCatalogue>(std::move(own));
  return result;
}

}  // namespace dsdoctor::cmd
