#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/views/taint_matrix.h"
#include "model/cluster.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// The taints, numbered, with what is known of them; then a matrix whose columns have these
/// numbers. DaemonSets that take every taint alike share a line; `wide` gives each its own, and
/// says which toleration it is. A matrix too broad for `style.width` continues below itself.
[[nodiscard]] std::string taints_text(const diagnosis::TaintMatrix& matrix,
                                      const model::SourceInfo& source,
                                      const std::vector<model::Omission>& omissions,
                                      const Style& style);

/// How a DaemonSet takes a taint, for a cell of the matrix.
enum class TaintMark { Tolerated, Automatic, Not, Wanted };
[[nodiscard]] TaintMark mark_of(const diagnosis::TaintCell& cell, const diagnosis::TaintRow& taint);
/// "by the controller's own toleration"
[[nodiscard]] std::string_view meaning(TaintMark mark);

/// "key=value:Effect", or that its value varies.
[[nodiscard]] std::string taint_title(const diagnosis::TaintRow& row);

}  // namespace dsdoctor::render
