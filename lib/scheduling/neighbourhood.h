// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/cluster.h"

namespace dsdoctor::scheduling {

using Pods = std::vector<const model::Pod*>;

/// The bound pods of a node that have not ended; includes terminating ones. The result is stable.
using PodsOn = std::function<const Pods&(std::string_view)>;

/// Whether all pods of the node were read, not only those of DaemonSets.
[[nodiscard]] inline bool knows_pods_on(const model::Cluster& cluster, std::string_view node) {
  const auto view = [](const model::Text& text) { return text.view(); };
  return cluster.all_pods_known ||
         std::ranges::binary_search(cluster.crowded_nodes, node, {}, view);
}

/// Pods by the topology of their nodes. Caches results, since all pods of a DaemonSet have the same
/// rules; therefore not thread-safe. Keeps pointers into its arguments.
class Neighbourhood {
 public:
  /// `anti_affine`: all pods of the cluster that are bound, have not ended, and have required
  /// anti-affinity.
  Neighbourhood(const model::Cluster& cluster, PodsOn pods_on, const Pods& anti_affine)
      : cluster_(cluster), pods_on_(std::move(pods_on)), anti_affine_(anti_affine) {}
  Neighbourhood(const Neighbourhood&) = delete;
  Neighbourhood& operator=(const Neighbourhood&) = delete;

  /// The pods on the nodes with one value of a topology label.
  struct Domain {
    Pods meant;
    Pods unsure;          // may match, depending on a namespace that was not read
    bool unread = false;  // not all pods of these nodes are known
  };
  using Domains = std::unordered_map<std::string_view, Domain>;
  /// The pods that match all of the terms, which belong to a pod of namespace `owner_ns`.
  [[nodiscard]] const Domains& meant_by(std::span<const model::PodAffinityTerm> terms,
                                        const model::Text& owner_ns,
                                        const model::Text& topology_key);

  /// A pod with the term in its required anti-affinity. `order` is the index of the pod in
  /// `anti_affine`, `index` that of the term in the pod.
  struct Bearer {
    const model::Pod* pod = nullptr;
    std::size_t order = 0;
    std::size_t index = 0;
  };
  /// A term, and the pods with this term in one topology domain.
  struct Aversion {
    const model::PodAffinityTerm* term = nullptr;
    std::string_view owner_ns;
    std::vector<Bearer> bearers;
  };
  /// The terms of pods in the domains of the node, for all topology labels. Equal terms are merged.
  [[nodiscard]] std::vector<const Aversion*> aversions_around(const model::Node& node);

 private:
  struct Question {
    std::vector<model::PodAffinityTerm> terms;
    model::Text owner_ns;
    model::Text topology_key;
    Domains domains;
  };
  /// Key: number of the term.
  using Aversions = std::map<std::size_t, Aversion>;

  [[nodiscard]] Domains search(const Question& question) const;
  void index_aversions();

  const model::Cluster& cluster_;
  PodsOn pods_on_;
  const Pods& anti_affine_;
  std::deque<Question> questions_;
  bool indexed_ = false;
  /// Keys: topology key, then its value.
  std::map<std::string_view, std::unordered_map<std::string_view, Aversions>> aversions_;
};

}  // namespace dsdoctor::scheduling
