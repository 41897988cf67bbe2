#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/catalogue/message.h"
#include "model/cluster.h"

/// Who wrote a field, as far as metadata.managedFields says. An entry's time moves when any of its
/// fields is written: it is never more than "not later than".
namespace dsdoctor::diagnosis {

struct Attribution {
  model::Text manager;                 // as in managedFields
  model::Text operation;               // Apply, Update
  model::OptionalTime not_later_than;  // absent: the entry has no time
  std::size_t others = 0;              // managers that own the same field, too
};

/// Who set label `key`. With several owners the newest Update is the likely one. Absent where no
/// entry owns it: then it was set when nobody kept record, or is not there.
[[nodiscard]] std::optional<Attribution> label_writer(const model::ObjectMeta& meta,
                                                      std::string_view key);

/// Of the labels that node-feature-discovery computes, and writes all at once.
inline constexpr std::string_view feature_prefix = "feature.node.kubernetes.io/";

/// Such a label, or one of the vendors that have it write theirs: what is wrong with it is wrong
/// with what computes it.
[[nodiscard]] bool is_computed_label(std::string_view key);

/// Who wrote the list of taints last: it is one field, so this need not be who added any one taint.
[[nodiscard]] std::optional<Attribution> taints_writer(const model::Node& node);

/// Who cordoned the node. Absent where it is not cordoned: uncordoning leaves no trace.
[[nodiscard]] std::optional<Attribution> cordon_writer(const model::Node& node);

/// Who changed the spec last.
[[nodiscard]] std::optional<Attribution> spec_writer(const model::ObjectMeta& meta);

/// What a manager's name stands for: "kubectl cordon or drain, or kubectl apply --server-side".
/// Names that mean nothing but themselves come back as they are, hostile text included.
[[nodiscard]] std::string manager_name(std::string_view manager);

/// "kubectl label, not later than 2026-11-20 08:00:00 UTC"
[[nodiscard]] std::string to_string(const Attribution& attribution);
[[nodiscard]] Message phrase_of(const Attribution& attribution);
/// Of the entry that says it: "metadata.managedFields[1]". REQUIRES: it is one of `meta`.
[[nodiscard]] std::string writer_path(const model::ObjectMeta& meta,
                                      const Attribution& attribution);

/// Where the moment comes from that a taint was added.
struct TaintTime {
  model::Time time;
  std::string field;         // "spec.taints[2].timeAdded"
  bool upper_bound = false;  // or earlier
};

/// When `node.taints[index]` was added, by the best witness: timeAdded, the value where it is a
/// time, the transition of the node's condition that it stands for, managedFields. Absent where
/// nothing says. REQUIRES: index < node.taints.size().
[[nodiscard]] std::optional<TaintTime> taint_time(const model::Node& node, std::size_t index);

}  // namespace dsdoctor::diagnosis
