// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "diagnosis/views/taint_matrix.h"
#include "model/known_taint.h"
#include "model/meta.h"

/// Knowledge about taints, as text.
namespace dsdoctor::render {

/// "The node is cordoned. Set by kubectl cordon; lasts until somebody has finished with the node."
[[nodiscard]] std::string known_clause(const model::KnownTaint& known);

/// "permanent"; empty if it is unknown.
[[nodiscard]] std::string_view lifecycle_words(model::TaintLifecycle lifecycle);

/// The component or user that sets the taint, in a few words.
[[nodiscard]] std::string short_setter(const model::KnownTaint& known);

/// How a DaemonSet treats a taint: a cell of the matrix.
enum class TaintMark { Tolerated, Automatic, Some, Not, Advised };
[[nodiscard]] TaintMark mark_of(const diagnosis::TaintCell& cell, const diagnosis::TaintRow& taint);
/// "by the controller's own toleration"
[[nodiscard]] std::string_view meaning(TaintMark mark);

inline constexpr std::string_view no_node_for_taints = "Taints unknown: no node was read";

/// "key=value:Effect", or a text that its value varies.
[[nodiscard]] std::string taint_title(const diagnosis::TaintRow& row);

/// "a, b and 3 more": the values of a key and effect; empty if no taint has a value.
[[nodiscard]] std::string values_of(const diagnosis::TaintRow& row);

}  // namespace dsdoctor::render
