#pragma once

#include <optional>
#include <string_view>

#include "model/cluster.h"

/// The node selector of a namespace, which OpenShift's DaemonSet controller heeds and Kubernetes'
/// own does not.
namespace dsdoctor::placement {

inline constexpr std::string_view namespace_selector_annotation =
    "scheduler.alpha.kubernetes.io/node-selector";
inline constexpr std::string_view openshift_selector_annotation = "openshift.io/node-selector";

/// "a=b, c=d" of a namespace's annotation; no pairs of blank text. Absent where the text is
/// something else than equalities, or no label selector at all, which OpenShift's controller
/// ignores.
[[nodiscard]] std::optional<model::Labels> parse_equalities(std::string_view text);

/// OpenShift's own controller gives every project annotations `openshift.io/sa.scc.*`.
[[nodiscard]] bool is_openshift(const model::Namespace& ns);

/// The annotation that OpenShift's controller reads: its own only where the other is not there.
/// Empty where there is none.
[[nodiscard]] std::string_view heeded_annotation(const model::Namespace& ns);

/// Gives every template what the namespace of its DaemonSet requires in OpenShift. Of a namespace
/// that was not read, or the cluster's default, it is what all pods have beside their template, if
/// the status counts by it.
void set_namespace_selectors(model::Cluster& cluster);

}  // namespace dsdoctor::placement
