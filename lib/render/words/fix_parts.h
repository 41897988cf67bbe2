// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/report/report.h"
#include "fixes/effects/template_change.h"
#include "fixes/fixes.h"
#include "render/words/style.h"

/// Parts of the text about fixes.
namespace dsdoctor::render {

/// "datadog/datadog-agent"
[[nodiscard]] std::string full_name(const diagnosis::DaemonSetReport& report);

/// "26 desired, 26 ready, 1 misscheduled"; counts without information are left out.
[[nodiscard]] std::string counts_clause(const diagnosis::EvaluatedCounts& evaluated);
/// The counts of the nodes in the report, which may be a selection.
[[nodiscard]] diagnosis::EvaluatedCounts counts_of_nodes(const diagnosis::DaemonSetReport& report);
/// The same for the nodes of a report; if no nodes were read, the counts of its status.
[[nodiscard]] std::string counts_clause(const diagnosis::DaemonSetReport& report);

/// "misscheduled 1 → 0, desired 26 → 27"
[[nodiscard]] std::string counts_change(const fixes::Effect& effect, const Style& style);

/// The same, with the pods that are replaced: "... Replaces 26 pods (rolling update)."
[[nodiscard]] std::string effect_line(const fixes::Effect& effect,
                                      std::optional<std::size_t> restarted_pods, bool on_delete,
                                      const Style& style);

/// "The pod on a stays Terminating: ..."; empty if a kubelet confirms every deletion.
[[nodiscard]] std::string unconfirmed_sentence(const std::vector<model::Text>& nodes);

/// "dedicated=db:NoSchedule, gpu:NoExecute"
[[nodiscard]] std::string tolerated_taints(const std::vector<model::Toleration>& tolerations,
                                           std::size_t most = std::size_t(-1));

/// "tolerate dedicated=db:NoSchedule", "tolerate all of a:NoSchedule, b:NoSchedule"
[[nodiscard]] std::string tolerate_clause(const fixes::Suggestion& suggestion,
                                          std::size_t most = std::size_t(-1));
/// A sentence about what-if changes that the patch also adds; empty if there are none.
[[nodiscard]] std::string_view imagined_sentence(const fixes::TemplateChange& change);

/// The first line: no action is needed, or why nothing is known. Empty if the rest of the answer
/// covers it.
[[nodiscard]] std::string conclusion(const fixes::FixAnswer& answer);

/// "Fix", "Possible": the label of a suggestion.
[[nodiscard]] std::string_view lead_of(const fixes::Suggestion& suggestion);
/// "Instead"
[[nodiscard]] std::string_view lead_of(const fixes::Alternative& alternative);
/// "No toleration helps on ", "No toleration is recommended on ": the text before the nodes.
[[nodiscard]] std::string lead_of(const fixes::Incurable& incurable);
/// "Resolves without action: ..."; empty if it does not.
[[nodiscard]] std::string wait_sentence(const fixes::Suggestion& suggestion);

/// Says which tolerations are not offered, and why; empty if all are offered.
[[nodiscard]] std::string withheld_sentence(const fixes::FixAnswer& answer);

/// Says who reverts a patch, and where to make the change instead.
[[nodiscard]] std::string owner_sentence(const fixes::Owner& owner);
/// The same for the first owner that reverts patches; empty if none does.
[[nodiscard]] std::string reverting_sentence(const std::vector<fixes::Owner>& owners);

/// Introduces a change to a manifest that has not been applied yet.
inline constexpr std::string_view manifest_sentence =
    "Make this change in the manifest, before it is applied:";
/// The command that prints the change `id` for a manifest; absent under the conditions of
/// Address::own_command.
[[nodiscard]] std::optional<std::string> manifest_command(std::string_view ns,
                                                          std::string_view name,
                                                          std::string_view id,
                                                          const Presentation& style);

/// Whether a part of the answer would change the DaemonSet's template.
[[nodiscard]] bool changes_template(const fixes::FixAnswer& answer);

}  // namespace dsdoctor::render
