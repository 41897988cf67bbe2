#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/cures.h"
#include "advice/template_change.h"
#include "diagnosis/report/report.h"
#include "render/words/style.h"

/// Pieces of what is said of fixes.
namespace dsdoctor::render {

/// "datadog/datadog-agent"
[[nodiscard]] std::string full_name(const diagnosis::DaemonSetReport& report);

/// "26 desired, 26 ready, 1 misscheduled": what is not worth a word is left out.
[[nodiscard]] std::string counts_clause(const diagnosis::EvaluatedCounts& evaluated);
/// Those of the nodes that were asked about: all, or a selection.
[[nodiscard]] diagnosis::EvaluatedCounts counts_of_nodes(const diagnosis::DaemonSetReport& report);
/// The same of a report's nodes; where no nodes were read, what its status says.
[[nodiscard]] std::string counts_clause(const diagnosis::DaemonSetReport& report);

/// "misscheduled 1 → 0, desired 26 → 27"
[[nodiscard]] std::string counts_change(const advice::Effect& effect, const Style& style);

/// The same, with the pods that are replaced: "... Replaces 26 pods (rolling update)."
[[nodiscard]] std::string effect_line(const advice::Effect& effect,
                                      std::optional<std::size_t> restarted_pods, bool on_delete,
                                      const Style& style);

/// "The pod on a stays Terminating: ...": pods that no kubelet ends; empty where there is none.
[[nodiscard]] std::string unconfirmed_sentence(const std::vector<model::Text>& nodes);

/// "dedicated=db:NoSchedule, gpu:NoExecute"
[[nodiscard]] std::string tolerated_taints(const std::vector<model::Toleration>& tolerations,
                                           std::size_t most = std::size_t(-1));

/// "tolerate dedicated=db:NoSchedule", "tolerate all of a:NoSchedule, b:NoSchedule"
[[nodiscard]] std::string tolerate_clause(const advice::Suggestion& suggestion,
                                          std::size_t most = std::size_t(-1));
/// That the patch adds more than the fix is about; empty where it does not.
[[nodiscard]] std::string_view imagined_sentence(const advice::TemplateChange& change);

/// The line before everything else: that nothing has to be done, or why nothing is known. Empty
/// where what follows tells.
[[nodiscard]] std::string conclusion(const advice::CureAnswer& answer);

/// "Fix", "Possible": what a suggestion begins with.
[[nodiscard]] std::string_view lead_of(const advice::Suggestion& suggestion);
/// "Instead"
[[nodiscard]] std::string_view lead_of(const advice::Alternative& alternative);
/// "No toleration helps on ", "No toleration is recommended on ": what stands before the nodes.
[[nodiscard]] std::string lead_of(const advice::Incurable& incurable);
/// "Resolves without action: ..."; empty where it does not.
[[nodiscard]] std::string wait_sentence(const advice::Suggestion& suggestion);

/// Which tolerations are not offered, and why; empty where all are.
[[nodiscard]] std::string withheld_sentence(const advice::CureAnswer& answer);

/// Who takes a patch back, and where the change belongs instead.
[[nodiscard]] std::string owner_sentence(const advice::Owner& owner);
/// Of the first that does; empty where none does.
[[nodiscard]] std::string reverting_sentence(const std::vector<advice::Owner>& owners);

/// Where a change belongs that is of a manifest, which nobody has applied yet.
inline constexpr std::string_view manifest_sentence =
    "Make this change in the manifest, before it is applied:";
/// What prints the change with this id, for the manifest; absent as Address::own_command.
[[nodiscard]] std::optional<std::string> manifest_command(std::string_view ns,
                                                          std::string_view name,
                                                          std::string_view id,
                                                          const Presentation& style);

/// Something of the answer would change the DaemonSet's template.
[[nodiscard]] bool changes_template(const advice::CureAnswer& answer);

}  // namespace dsdoctor::render
