// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "diagnosis/causes/nodes/node_record.h"
#include "diagnosis/report/cases.h"

/// Nodes whose kubelet reports NotReady, and the cause.
namespace dsdoctor::diagnosis {

/// Cause of a kubelet's NotReady.
enum class NotReadyCause { Network, Runtime, Pleg, Credentials, Shutdown, Start, Other };

/// Classifies the kubelet's own message.
[[nodiscard]] NotReadyCause not_ready_cause(std::string_view message);

/// Adds the finding, with the state of the network plugin's pods on the node. `ready` is the node's
/// condition.
Finding& add_not_ready(const NodeCase& of, const model::Condition& ready, NodeRecord& record);

/// Marks `finding` as transient while the Machine Config Operator updates the node. `finding`
/// reports that the kubelet is down, as `ready` shows.
void settle_update(const NodeCase& of, const model::Condition& ready, NodeRecord& record,
                   Finding& finding);

}  // namespace dsdoctor::diagnosis
