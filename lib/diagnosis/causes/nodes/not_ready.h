#pragma once

#include <string_view>

#include "diagnosis/causes/nodes/node_record.h"
#include "diagnosis/report/cases.h"

/// Nodes whose kubelet reports that it is not ready, and why.
namespace dsdoctor::diagnosis {

/// What keeps a kubelet from being ready.
enum class NotReadyCause { Network, Runtime, Pleg, Credentials, Shutdown, Start, Other };

/// By the words of the kubelet's own message.
[[nodiscard]] NotReadyCause not_ready_cause(std::string_view message);

/// The finding, with what the pods of the network plugin on the node show. `ready` is the node's
/// condition.
Finding& add_not_ready(const NodeCase& of, const model::Condition& ready, NodeRecord& record);

/// While the Machine Config Operator updates the node, it is to be waited for. `finding` tells that
/// its kubelet is out, as `ready` says.
void settle_update(const NodeCase& of, const model::Condition& ready, NodeRecord& record,
                   Finding& finding);

}  // namespace dsdoctor::diagnosis
