// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/catalogue/message.h"
#include "model/cluster.h"

/// The writer of a field by metadata.managedFields. The time of an entry changes when any of its
/// fields is written, so it is only an upper bound.
namespace dsdoctor::diagnosis {

struct Attribution {
  model::Text manager;                 // as in managedFields
  model::Text operation;               // Apply, Update
  model::OptionalTime not_later_than;  // absent: the entry has no time
  std::size_t others = 0;              // other managers that own the same field
};

/// The writer of label `key`; with several owners the newest Update, which is the likely one.
/// Absent if no entry owns the label: it does not exist, or managedFields were not recorded when it
/// was set.
[[nodiscard]] std::optional<Attribution> label_writer(const model::ObjectMeta& meta,
                                                      std::string_view key);

/// Prefix of the labels that node-feature-discovery computes and writes in a single update.
inline constexpr std::string_view feature_prefix = "feature.node.kubernetes.io/";

/// Whether node-feature-discovery writes the label, for itself or for a vendor: a wrong value has
/// to be fixed in the component that computes it.
[[nodiscard]] bool is_computed_label(std::string_view key);

/// The controller that computes the label, by its key: "node-feature-discovery", "the NVIDIA GPU
/// Operator". Absent for labels of the kubelet, of clouds, of pools and of users.
[[nodiscard]] std::optional<std::string_view> writer_of_key(std::string_view key);

/// The last writer of the list of taints. The list is one field, so another manager may have added
/// a particular taint.
[[nodiscard]] std::optional<Attribution> taints_writer(const model::Node& node);

/// The writer of spec.unschedulable. Absent if the node is not cordoned: uncordoning leaves no
/// trace.
[[nodiscard]] std::optional<Attribution> cordon_writer(const model::Node& node);

/// The last writer of the spec.
[[nodiscard]] std::optional<Attribution> spec_writer(const model::ObjectMeta& meta);

/// A readable name for a manager: "kubectl cordon or drain, or kubectl apply --server-side".
/// Unknown names are returned unchanged, shortened to 128 bytes; they are untrusted text.
[[nodiscard]] std::string manager_name(std::string_view manager);

/// "kubectl label, not later than 2026-11-20 08:00:00 UTC"
[[nodiscard]] std::string to_string(const Attribution& attribution);
[[nodiscard]] Message phrase_of(const Attribution& attribution);
/// Path of the attribution's entry: "metadata.managedFields[1]". REQUIRES: `attribution` is from
/// `meta`.
[[nodiscard]] std::string writer_path(const model::ObjectMeta& meta,
                                      const Attribution& attribution);

/// The time when a taint was added, and its source.
struct TaintTime {
  model::Time time;
  std::string field;         // "spec.taints[2].timeAdded"
  bool upper_bound = false;  // the taint may have been added earlier
};

/// The time when `node.taints[index]` was added, from the best source: timeAdded, a value that is a
/// time, the transition of the node's condition that the taint mirrors, managedFields. Absent if
/// there is no source. REQUIRES: index < node.taints.size().
[[nodiscard]] std::optional<TaintTime> taint_time(const model::Node& node, std::size_t index);

}  // namespace dsdoctor::diagnosis
