// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/missing_owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/problems/draft.h"
#include "diagnosis/problems/problem_id.h"
#include "model/missing_owners.h"

namespace dsdoctor::diagnosis {

namespace {

/// The first pods with their nodes, and the number of the others.
Message in_places(const std::vector<const model::Pod*>& pods) {
  constexpr std::size_t most = 5;
  const std::size_t shown = std::min(pods.size(), most);
  std::vector<Message> places;
  places.reserve(shown);
  for (const model::Pod* pod : std::span(pods).first(shown)) {
    places.push_back(phrase::PodInPlace{
        .host_ports = Argument::Names(), .name = pod->meta.name, .on_node = pod->node_name});
  }
  std::optional<std::int64_t> more;
  if (pods.size() > shown) more = static_cast<std::int64_t>(pods.size() - shown);
  return phrase::PodsInPlaces{.more = more, .places = std::move(places)};
}

}  // namespace

std::vector<Problem> problems_of_missing_owners(const model::Cluster& cluster,
                                                const OwnersSought& of) {
  std::vector<Problem> result;
  if (!cluster.known.own_daemon_set_list) return result;
  const auto is_old = [&](const model::Pod* pod) {
    return !of.before || !pod->meta.created || *pod->meta.created < *of.before;
  };
  for (const auto& [owner, pods] : model::missing_owners(cluster, of.ns)) {
    if (std::ranges::none_of(pods, is_old)) continue;
    const model::Pod& first = *pods.front();
    const Finding finding = make_finding(
        finding::PodOwnerMissing{.count = pods.size(),
                                 .name = fmt::format("{}/{}", owner.first, owner.second),
                                 .pods = in_places(pods)},
        {{ref_of(first), "metadata.ownerReferences[?(@.controller==true)].name",
          std::string(owner.second)}},
        {.ns = owner.first, .ds = owner.second, .pod = first.meta.name});
    Drafts drafts;
    Root root{"DaemonSet", std::string(owner.first), std::string(owner.second)};
    Problem problem =
        std::move(drafts[drafts.of(finding, std::move(root), Action::Needed)].problem);
    problem.id = problem_id(problem, "");
    result.push_back(std::move(problem));
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
