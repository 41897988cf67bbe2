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

/// Of a node: bound pods that are not over, terminating ones included. The list stays where it is.
using PodsOn = std::function<const Pods&(std::string_view)>;

/// All pods of that node are known, whoever owns them.
[[nodiscard]] inline bool knows_pods_on(const model::Cluster& cluster, std::string_view node) {
  const auto view = [](const model::Text& text) { return text.view(); };
  return cluster.all_pods_known ||
         std::ranges::binary_search(cluster.crowded_nodes, node, {}, view);
}

/// Pods by the topology of their nodes. The pods of one DaemonSet all have the same rules: what is
/// found out for the first of them is kept for the others. So it is not for several threads at
/// once. Keeps pointers into what it is given.
class Neighbourhood {
 public:
  /// `anti_affine`: pods of the whole cluster that are bound, not over, and have required
  /// anti-affinity.
  Neighbourhood(const model::Cluster& cluster, PodsOn pods_on, const Pods& anti_affine)
      : cluster_(cluster), pods_on_(std::move(pods_on)), anti_affine_(anti_affine) {}
  Neighbourhood(const Neighbourhood&) = delete;
  Neighbourhood& operator=(const Neighbourhood&) = delete;

  /// What a question finds on the nodes with one value of its topology label.
  struct Domain {
    Pods meant;
    Pods unsure;          // whether they are meant depends on a namespace that was not read
    bool unread = false;  // there are nodes whose pods are not all known
  };
  using Domains = std::unordered_map<std::string_view, Domain>;
  /// The pods that all of the terms mean, which a pod of namespace `owner_ns` carries.
  [[nodiscard]] const Domains& meant_by(std::span<const model::PodAffinityTerm> terms,
                                        const model::Text& owner_ns,
                                        const model::Text& topology_key);

  /// A term of the required anti-affinity of one pod. `order` is the pod's place among all of them,
  /// `index` that of the term in its list.
  struct Bearer {
    const model::Pod* pod = nullptr;
    std::size_t order = 0;
    std::size_t index = 0;
  };
  /// A term, and those who carry it in the domain of one node.
  struct Aversion {
    const model::PodAffinityTerm* term = nullptr;
    std::string_view owner_ns;
    std::vector<Bearer> bearers;
  };
  /// What speaks in the node's domains, by any topology label. Equal terms are one.
  [[nodiscard]] std::vector<const Aversion*> aversions_around(const model::Node& node);

 private:
  struct Question {
    std::vector<model::PodAffinityTerm> terms;
    model::Text owner_ns;
    model::Text topology_key;
    Domains domains;
  };
  /// By the term's number.
  using Aversions = std::map<std::size_t, Aversion>;

  [[nodiscard]] Domains search(const Question& question) const;
  void index_aversions();

  const model::Cluster& cluster_;
  PodsOn pods_on_;
  const Pods& anti_affine_;
  std::deque<Question> questions_;
  bool indexed_ = false;
  /// By topology key and value.
  std::map<std::string_view, std::unordered_map<std::string_view, Aversions>> aversions_;
};

}  // namespace dsdoctor::scheduling
