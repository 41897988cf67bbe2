#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/node.h"
#include "model/pod.h"

namespace dsdoctor::decode {

/// Makes equal parts of objects one: the thousands of pods of a DaemonSet differ in little more
/// than their node, the nodes of a pool in little more than their names. Texts of a pod's
/// controller and of nodes' names are copied; all else is shared with the objects.
class Siblings {
 public:
  /// With the pods of the same controller and those made for the same node. True: the spec and the
  /// tolerations are those of another pod.
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
  };

  void unite(model::Labels& amounts);

  std::unordered_map<std::string, Template> templates_;  // by UID of the controller
  /// By node, of the last pod that is made for it.
  std::unordered_map<std::string, model::SharedOptional<model::NodeSelector>> affinities_;
  std::unordered_map<std::size_t, model::Labels> amounts_;  // by hash of their content
};

}  // namespace dsdoctor::decode
