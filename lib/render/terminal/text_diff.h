#pragma once

#include <string>
#include <vector>

#include "diagnosis/views/node_diff.h"
#include "model/cluster.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// Only what differs; one line when nothing does.
[[nodiscard]] std::string diff_text(const std::vector<diagnosis::PlacementDiff>& diffs,
                                    const model::SourceInfo& source,
                                    const std::vector<model::Omission>& omissions,
                                    const Style& style);

[[nodiscard]] std::string comparison_text(const diagnosis::NodeComparison& comparison,
                                          const std::vector<model::Omission>& omissions,
                                          const Style& style);

/// One key that differs between two maps; `<none>` where a side has none.
struct MapRow {
  std::string key;
  std::string first;
  std::string second;
};
/// By key.
[[nodiscard]] std::vector<MapRow> map_rows(const diagnosis::MapDiff& diff);

/// "3 missing, 1 unexpected, 23 as they should be"
[[nodiscard]] std::string diff_counts(const diagnosis::PlacementDiff& diff);

/// "of the pods in place, 1 not bound yet"; empty where all are well.
[[nodiscard]] std::string unwell_clause(const diagnosis::PlacementDiff& diff);

/// Enough was read for "no difference" to be true.
[[nodiscard]] bool is_compared(const std::vector<diagnosis::PlacementDiff>& diffs);

}  // namespace dsdoctor::render
