// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/matrix/placement_matrix.h"
#include "diagnosis/reporter.h"
#include "fixes/explanation.h"
#include "render/document/page/fill.h"
#include "render/words/style.h"

/// Parts of the page about DaemonSets.
namespace dsdoctor::render::page {

/// The data that all parts of a page refer to.
struct Sheet {
  const fixes::Explanation& explanation;
  const diagnosis::Reporter& reporter;
  const Presentation& style;
  diagnosis::NodeIndex index;
  std::vector<const model::Node*> nodes;  // in the order of the index; null: was not read
  std::string_view pool_label = {};       // see diagnosis::pool_label
  std::vector<std::string> anchors = {};  // a link target for each problem
  /// For each DaemonSet, the numbers of its problems; the first problem has number 1.
  std::vector<std::vector<std::size_t>> numbers = {};
  std::vector<std::size_t> troubled = {};  // DaemonSets with a problem, the worst first
  bool unanswered = false;                 // the answer is known to be incomplete

  Sheet(const fixes::Explanation& of, const diagnosis::Reporter& by, const Presentation& shown,
        bool lacks_answers = false);

  [[nodiscard]] const diagnosis::DaemonSetReport& report(std::size_t daemon_set) const {
    return explanation.daemon_sets[daemon_set].report;
  }
  /// "general"; empty if it has none.
  [[nodiscard]] std::string_view pool_of(std::size_t node) const;
};

/// The DaemonSets without a problem on the page.
struct Others {
  std::size_t count = 0;
  bool healthy = true;  // nothing is wrong with any of them, and all was read
  /// "healthy", "the condition does not hold (2 with ignored problems only)"
  std::string label = {};

  explicit Others(const Sheet& sheet);

  /// "3 healthy", "8 DaemonSets"
  [[nodiscard]] std::string row() const;
  /// "3 healthy DaemonSets", "8 DaemonSets: the condition does not hold"
  [[nodiscard]] std::string sentence() const;
};

/// Problems of larger numbers have no line on the page.
inline constexpr std::size_t most_problems = 500;

/// Red, amber and gray by the action that a problem needs.
[[nodiscard]] std::string_view tone_of(const diagnosis::Problem& problem);

/// "p-create-quota-exceeded=logging/compute": a target of links, without blanks.
[[nodiscard]] std::string anchor_of(std::string_view kind, std::string_view name);
/// The anchor as the fragment of an address.
[[nodiscard]] std::string link_to(std::string_view anchor);
/// Links to problems, numbered from one.
[[nodiscard]] Json links_data(const std::vector<std::size_t>& numbers);

/// The keys of the section on problems.
void add_problems(Json& data, const Sheet& sheet);
/// The key matrix: false without problems of placements.
void add_matrix(Json& data, const Sheet& sheet, const diagnosis::PlacementMatrix& matrix);
/// The keys of the tables of DaemonSets and of nodes. `placements`: the result of
/// placements_data, to which the rows are added that are too many for the page.
void add_rows(Json& data, const Sheet& sheet, Json& placements);
/// The key timeline.
void add_timeline(Json& data, const Sheet& sheet);
/// The timeline of a problem; false if it has no entry.
[[nodiscard]] Json strip_data(const Sheet& sheet, const diagnosis::Problem& problem);
/// The key changes: fields in which the last two revisions differ.
void add_changes(Json& data, const Sheet& sheet);

/// The verdict and the problem of each placement, as page.js reads it: {"nodes": [names],
/// "columns": [[nodes of a column of the matrix]], "texts": [...], "daemonSets": [{"name",
/// "problems", "groups": [[verdict, color, [reasons]], as numbers of texts], "states": [[group,
/// problem from 1 or 0]], "width", "of"}]}. `of` has for each node a state from 1, or 0, in `width`
/// digits of base 64. Null if there are too many placements for a page.
[[nodiscard]] Json placements_data(const Sheet& sheet, const diagnosis::PlacementMatrix& matrix);

}  // namespace dsdoctor::render::page
