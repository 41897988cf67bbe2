#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/template_change.h"
#include "diagnosis/report.h"
#include "render/style.h"

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

}  // namespace dsdoctor::render
