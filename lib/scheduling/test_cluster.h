// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "scheduling/surroundings.h"
#include "testing/cluster_story.h"

namespace dsdoctor::scheduling {

/// A cluster for tests with nodes and bound pods. Adding a pod invalidates the addresses of the
/// others.
class TestCluster : public testing::ClusterStory {
 public:
  TestCluster() { cluster.all_pods_known = true; }

  model::Node& node(const char* name, model::Labels labels) {
    add_node(name).meta.labels = std::move(labels);
    std::ranges::sort(cluster.nodes, {}, [](const model::Node& n) { return n.meta.name; });
    return ClusterStory::node(name);
  }

  model::Pod& pod(const char* name, const char* node, model::Labels labels) {
    model::Pod& pod = add_pod(name, node);
    pod.meta.labels = std::move(labels);
    return pod;
  }

  /// Valid until the next call.
  [[nodiscard]] Surroundings around(const char* node) {
    on_.clear();
    anti_affine_.clear();
    for (const model::Pod& pod : cluster.pods) {
      on_[pod.node_name.str()].push_back(&pod);
      if (!pod.spec->pod_anti_affinity.empty()) anti_affine_.push_back(&pod);
    }
    const auto pods_on = [this](std::string_view name) -> const Pods& {
      return on_[std::string(name)];
    };
    neighbourhood_ = std::make_unique<Neighbourhood>(cluster, pods_on, anti_affine_);
    return {cluster, *model::find_node(cluster, node), pods_on, *neighbourhood_, {}};
  }

 private:
  std::map<std::string, Pods> on_;
  Pods anti_affine_;
  std::unique_ptr<Neighbourhood> neighbourhood_;
};

}  // namespace dsdoctor::scheduling
