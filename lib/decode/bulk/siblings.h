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

/// Makes equal parts of objects one: the thousands of pods of a DaemonSet differ in little more
/// than their node, the nodes of a pool in little more than their names. Not thread-safe.
class Siblings {
 public:
  /// What a pod takes whose spec is that of its siblings, in bytes.
  [[nodiscard]] static std::uint64_t bytes_of_its_own(const model::Pod& pod);

  /// With the pods of the same controller and those made for the same node, in packed lists. True:
  /// the spec and the tolerations are those of another pod.
  bool unite(model::Pod& pod);
  /// What it offers, with other nodes.
  void unite(model::Node& node);

 private:
  /// What the last pod of a controller has, and most of its siblings, too.
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
  /// By node, of the last pod that is made for it.
  ByText<model::SharedOptional<model::NodeSelector>> affinities_;
  std::unordered_map<std::size_t, model::Labels> amounts_;  // by hash of their content
};

}  // namespace dsdoctor::decode
