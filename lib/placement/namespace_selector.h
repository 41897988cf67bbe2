// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "model/cluster.h"

/// The node selector of a namespace, which OpenShift's DaemonSet controller applies and Kubernetes'
/// own ignores.
namespace dsdoctor::placement {

inline constexpr std::string_view namespace_selector_annotation =
    "scheduler.alpha.kubernetes.io/node-selector";
inline constexpr std::string_view openshift_selector_annotation = "openshift.io/node-selector";

/// Parses "a=b, c=d" from a namespace's annotation; blank text has no pairs. Absent if the text has
/// other operators or is not a label selector: OpenShift's controller ignores it then.
[[nodiscard]] std::optional<model::Labels> parse_equalities(std::string_view text);

/// Whether the cluster is OpenShift: its controller adds annotations `openshift.io/sa.scc.*` to
/// every namespace.
[[nodiscard]] bool is_openshift(const model::Namespace& ns);

/// The annotation that OpenShift's controller reads: openshift.io/node-selector only if the
/// namespace does not have the other one. Empty if it has neither.
[[nodiscard]] std::string_view heeded_annotation(const model::Namespace& ns);

/// Sets the namespace selector of every template, for OpenShift. If the namespace was not read, it
/// is derived from the node selector that all pods of the DaemonSet have in addition to their
/// template, provided that it explains the desired number of pods in the status.
void set_namespace_selectors(model::Cluster& cluster);

}  // namespace dsdoctor::placement
