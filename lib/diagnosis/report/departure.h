#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/evidence/facts.h"
#include "model/node.h"
#include "model/pod.h"

/// What ends without anybody's doing, and when it should have; which nodes are gone.
namespace dsdoctor::diagnosis {

/// When the node was deleted, by the node controller's event; absent where none is left.
[[nodiscard]] model::OptionalTime removal_of(const Facts& facts, std::string_view node);

/// It is not among the nodes that were read, and that is known to be because it does not exist.
/// REQUIRES: nodes were read.
[[nodiscard]] bool is_deleted_node(const Facts& facts, std::string_view node);

/// Since when a node is being removed: it was marked, or its deletion asked for. Absent where it
/// stays, or where nothing says since when it leaves.
[[nodiscard]] model::OptionalTime leaving_since(const model::Node& node);

/// It has been leaving for as long as a drain and a cloud take: from then on its pods' grace
/// periods tell whether it should be gone.
[[nodiscard]] bool is_departure_long(const model::Node& node, model::Time now);

/// When a node that is being removed should be gone at the latest: since it was marked or deleted,
/// the longest grace period of its pods, which is a day where they were not all read, and what a
/// drain and a cloud take. Absent as leaving_since is.
[[nodiscard]] model::OptionalTime should_be_gone_by(const model::Node& node, const Facts& facts);

/// It should be gone, and is not.
[[nodiscard]] bool is_departure_overdue(const model::Node& node, const Facts& facts);

/// The node's kubelet does not report, or says that it cannot run pods: it confirms no deletion.
[[nodiscard]] bool is_kubelet_out(const model::Node& node);

/// Nobody has to act for this terminating pod to be gone soon: its grace period is not over by
/// much, no finalizer holds it, and a kubelet is there to confirm it. `node` may be null.
/// REQUIRES: the pod is terminating.
[[nodiscard]] bool ends_by_itself(const model::Pod& pod, const model::Node* node,
                                  const Facts& facts);

/// There are pods, and all of them are being deleted and end as ends_by_itself says.
[[nodiscard]] bool all_end_by_themselves(const std::vector<const model::Pod*>& pods,
                                         const Facts& facts);

}  // namespace dsdoctor::diagnosis
