// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/node.h"

/// The labels that the nodes of a template can have.
namespace dsdoctor::diagnosis {

/// The present name of a label: kubernetes.io/arch for beta.kubernetes.io/arch. A node has both,
/// with the same value. Source of truth: kubernetes v1.37.2
/// staging/src/k8s.io/api/core/v1/well_known_labels.go; karpenter v1.15.0 NormalizedLabels.
[[nodiscard]] std::string_view present_name(std::string_view key);

inline constexpr std::string_view os_label = "kubernetes.io/os";

/// Whether the template sets the label, or has a requirement on it, by any of its names.
[[nodiscard]] bool decides_label(const model::NodeTemplate& of, std::string_view key);

/// The writer of a label that is not part of a template, because a program in the cluster adds it
/// to the node later: "node-feature-discovery". Empty for other labels.
[[nodiscard]] std::string_view later_writer(std::string_view key);

/// A value of a label.
struct LabelValue {
  enum class Kind : std::uint8_t {
    Absent,  // the node does not have the label
    Named,   // by a template or by a requirement of it
    Other,   // an example of all other values, or of numbers
  };
  Kind kind = Kind::Absent;
  model::Text value = {};

  friend bool operator==(const LabelValue&, const LabelValue&) = default;
};

/// Values of a label that nodes of a template can have, at least one of each kind that matters.
///
/// Labels that the template neither sets nor restricts: the kubelet and the cloud set well-known
/// ones to any value, a program in the cluster may add those of `later_writer`, and others do not
/// exist.
///
/// `named`: the values by which nodes are selected; `compares`: also as bounds of Gt and Lt. Empty
/// if no node can exist: the requirements exclude each other.
[[nodiscard]] std::vector<LabelValue> possible_values(const model::NodeTemplate& of,
                                                      std::string_view key,
                                                      const std::vector<model::Text>& named,
                                                      bool compares);

/// The first label for which the requirements of the template exclude each other; empty if there is
/// none.
[[nodiscard]] model::Text contradicted_label(const model::NodeTemplate& of);

/// Other sources of a new node's labels and taints, which are not read: "its bootstrap
/// configuration". Empty if the template is the only one.
[[nodiscard]] std::string_view unread_source(const model::NodeTemplate& of);

/// Whether all that the template says of labels holds for the node.
[[nodiscard]] bool is_like(const model::Node& node, const model::NodeTemplate& of);

}  // namespace dsdoctor::diagnosis
