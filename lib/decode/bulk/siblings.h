// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/node.h"
#include "model/pod.h"

namespace dsdoctor::decode {

/// Shares equal parts of objects: thousands of pods of a DaemonSet differ in little more than the
/// node, nodes of a pool in little more than the name. Not thread-safe.
class Siblings {
 public:
  /// The memory of a pod that shares its spec, in bytes.
  [[nodiscard]] static std::uint64_t bytes_of_its_own(const model::Pod& pod);

  /// Shares parts with pods of the same controller and with those for the same node, and packs
  /// lists. Returns true if the spec and the tolerations are shared with another pod.
  bool unite(model::Pod& pod);
  /// Shares the allocatable resources with other nodes.
  void unite(model::Node& node);

 private:
  /// Parts of the last pod of a controller, which most of its pods have in common.
  struct Template {
    model::Shared<model::PodSpec> spec;
    model::Shared<std::vector<model::Toleration>> tolerations;
    model::Labels labels;
    model::SharedOptional<model::ControllerRef> controller;
    model::PodConditions::Alike conditions;
    model::ContainerStatuses::Alike init_statuses;
    model::ContainerStatuses::Alike statuses;
  };

  void unite(model::Labels& amounts);

  struct HashOfText {
    std::size_t operator()(const model::Text& text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  template <typename T>
  using ByText = std::unordered_map<model::Text, T, HashOfText>;

  ByText<Template> templates_;  // by UID of the controller
  /// By node: the affinity of the last pod for it.
  ByText<model::SharedOptional<model::NodeSelector>> affinities_;
  std::unordered_map<std::size_t, model::Labels> amounts_;  // by hash of their content
};

}  // namespace dsdoctor::decode
