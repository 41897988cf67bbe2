#pragma once

#include <optional>
#include <vector>

#include "model/cluster.h"
#include "redaction/mentions.h"
#include "redaction/pseudonyms.h"

/// Each function replaces what one part of an object names.
namespace dsdoctor::redaction {

/// Gives every name of the cluster its replacement, nodes in their order.
[[nodiscard]] Pseudonyms pseudonyms_for(const model::Cluster& cluster, const Mentions& mentioned);

void redact_meta(model::ObjectMeta& meta, Pseudonyms& names);
/// Who writes or schedules: what many clusters have stays.
[[nodiscard]] model::Text redact_program(const model::Text& name, Pseudonyms& names);
[[nodiscard]] model::Text redact_driver(const model::Text& name, Pseudonyms& names);
void redact_names(std::vector<model::Text>& texts, Pseudonyms& names);
void redact_values(model::Labels& labels, Pseudonyms& names);
void redact_annotations(model::Labels& annotations, Pseudonyms& names);
void redact_tolerations(std::vector<model::Toleration>& tolerations, Pseudonyms& names);
void redact_requirements(std::vector<model::NodeSelectorRequirement>& list, Pseudonyms& names);
void redact_terms(std::vector<model::NodeSelectorTerm>& terms, Pseudonyms& names);
void redact_selector(std::optional<model::NodeSelector>& selector, Pseudonyms& names);
/// Everything but nodes, DaemonSets, pods and revisions.
void redact_surroundings(model::Cluster& cluster, Pseudonyms& names);

}  // namespace dsdoctor::redaction
