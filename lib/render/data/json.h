// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/time.h"
#include "diagnosis/views/daemon_set_comparison.h"
#include "diagnosis/views/node_diff.h"
#include "diagnosis/views/node_history.h"
#include "diagnosis/views/node_load.h"
#include "diagnosis/views/taint_matrix.h"
#include "fixes/explanation.h"
#include "fixes/fixes.h"
#include "model/cluster.h"
#include "render/words/envelope.h"
#include "render/words/style.h"

/// The documents of `-o json` and `-o yaml`, apiVersion dsdoctor/v1: keys in a fixed order,
/// DaemonSets sorted by namespace and name, nodes by name. Keys with empty values are included.
/// Within a version keys are only added.
namespace dsdoctor::render {

using Json = nlohmann::ordered_json;

/// kind: Explanation
[[nodiscard]] Json to_json(const fixes::Explanation& explanation, const Envelope& envelope,
                           const Presentation& style);
/// kind: Problems, which is Explanation without its DaemonSets.
[[nodiscard]] Json problems_to_json(const fixes::Explanation& explanation, const Envelope& envelope,
                                    const Presentation& style);
/// Receives a text piece by piece.
using Write = std::function<void(std::string_view)>;
/// Writes json_text of the Explanation, one DaemonSet at a time: the whole text of a large cluster
/// would take more memory than the cluster.
void write_json(const fixes::Explanation& explanation, const Envelope& envelope,
                const Presentation& style, const Write& write);
/// The same for yaml_text.
void write_yaml(const fixes::Explanation& explanation, const Envelope& envelope,
                const Presentation& style, const Write& write);
/// kind: NodeDiff. `diffs` are in the order of the DaemonSets of `explanation`.
[[nodiscard]] Json to_json(const fixes::Explanation& explanation,
                           const std::vector<diagnosis::PlacementDiff>& diffs,
                           const Envelope& envelope, const Presentation& style);
/// kind: NodeComparison
[[nodiscard]] Json to_json(const diagnosis::NodeComparison& comparison, const Envelope& envelope);

/// kind: DaemonSetComparison
[[nodiscard]] Json to_json(const diagnosis::DaemonSetComparison& comparison,
                           const Envelope& envelope);

/// kind: NodeHistory. `source` and `omissions` are from `now`; `since` has those from `then`.
[[nodiscard]] Json to_json(const diagnosis::NodeHistory& history, const Envelope& then,
                           const Envelope& now);

/// kind: Suggestions
[[nodiscard]] Json to_json(const std::vector<fixes::FixAnswer>& answers, const Envelope& envelope,
                           const Presentation& style);

/// kind: TaintMatrix
[[nodiscard]] Json to_json(const diagnosis::TaintMatrix& matrix, const Envelope& envelope);

/// The resources that the DaemonSets request on one node.
[[nodiscard]] Json node_load_json(const diagnosis::NodeLoad& load);

/// The format of kubectl: indented by four blanks, a newline at the end. Invalid UTF-8 is replaced;
/// invisible characters are escaped (base::with_hidden_escaped).
[[nodiscard]] std::string json_text(const Json& document);

/// "2026-11-21T02:36:11Z"
[[nodiscard]] inline std::string rfc3339(model::Time time) { return base::rfc3339_seconds(time); }

}  // namespace dsdoctor::render
