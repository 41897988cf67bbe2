#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/cures.h"
#include "advice/template_change.h"
#include "diagnosis/report/report.h"
#include "render/words/style.h"

/// Pieces of what is said of cures.
namespace dsdoctor::render {

/// "datadog/datadog-agent"
[[nodiscard]] std::string full_name(const diagnosis::DaemonSetReport& report);

/// "26 desired, 26 ready, 1 misscheduled": what is not worth a word is left out.
[[nodiscard]] std::string counts_clause(const diagnosis::EvaluatedCounts& evaluated);

/// "misscheduled 1 → 0, desired 26 → 27"
[[nodiscard]] std::string counts_change(const advice::Effect& effect, const Style& style);

/// The same, with the pods that are replaced: "... Replaces all 26 pods."
[[nodiscard]] std::string effect_line(const advice::Effect& effect,
                                      std::optional<std::size_t> restarted_pods, bool on_delete,
                                      const Style& style);

/// "dedicated=db:NoSchedule, gpu:NoExecute"
[[nodiscard]] std::string tolerated_taints(const std::vector<model::Toleration>& tolerations);

/// Why there is no cure to show.
[[nodiscard]] std::string nothing_to_cure(const advice::CureAnswer& answer);

/// Who takes a patch back, and where the change belongs instead.
[[nodiscard]] std::string owner_sentence(const advice::Owner& owner);

/// Something of the answer would change the DaemonSet's template.
[[nodiscard]] bool changes_template(const advice::CureAnswer& answer);

}  // namespace dsdoctor::render
