// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fixes/explanation.h"
#include "render/terminal/table.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// The size of an answer.
struct Budget {
  std::size_t full = 0;   // problems shown with their fix
  std::size_t lines = 0;  // maximum of the whole answer; 0: no limit
  bool insists = false;   // show `full` problems in full, even beyond `lines`

  [[nodiscard]] bool is_limited() const { return lines != 0; }
};
/// The limit in `style`; else `fitting` without the lines that are already above the answer.
[[nodiscard]] Budget budget_for(const Style& style, const Budget& fitting);

/// Lines of an answer that has `fixed` lines and two other parts of at least `least` lines each.
[[nodiscard]] std::size_t lines_in_all(const Budget& budget, std::size_t fixed, std::size_t least);

/// The column of a problem's text, after its number and severity.
inline constexpr std::size_t problem_text_column = 14;

/// "  1 error     ", up to the column of the text.
[[nodiscard]] std::string problem_mark(std::size_t number, const diagnosis::Problem& problem,
                                       const Style& style);
/// The title with its number and severity, and how long it has lasted: "for 36h"; wrapped if
/// needed.
[[nodiscard]] Lines problem_title(std::size_t number, const diagnosis::Problem& problem,
                                  const std::string& lasting, const Style& style);
/// The first steps of the fix. Text is wrapped; each command gets its own line, so that it can be
/// copied.
[[nodiscard]] Lines problem_fix(const diagnosis::Problem& problem, const Presentation& style);

/// The problems under their headings, numbered from one: those that need action, then the others.
/// `room`: the lines available.
[[nodiscard]] Lines problem_lines(const fixes::Explanation& explanation, const Budget& budget,
                                  std::size_t room, const Presentation& style);

/// The number of ignored problems, for answers without a summary; empty if it is 0.
[[nodiscard]] Lines ignored_lines(const fixes::Explanation& explanation);

/// The table `overview`: the DaemonSets with a problem, or `all`, the worst first.
[[nodiscard]] Grid daemon_set_grid(const fixes::Explanation& explanation, bool all);
/// A heading and a line for each DaemonSet with a problem (or for `all`), the worst first, in
/// `room` lines; DaemonSets that do not fit are counted.
[[nodiscard]] Lines daemon_set_table(const fixes::Explanation& explanation, bool all,
                                     std::size_t room, const Style& style);

/// How an answer about several DaemonSets is laid out.
struct Overview {
  std::size_t lines = 0;          // at most, on a terminal of 100 columns
  bool every_daemon_set = false;  // in the table; else those with a problem
};

[[nodiscard]] std::string overview_text(const fixes::Explanation& explanation,
                                        const model::SourceInfo& source,
                                        const std::vector<model::Omission>& omissions,
                                        const Overview& overview, const Presentation& style);

/// The rules that the answer is based on; empty unless the format is wide.
[[nodiscard]] Lines rules_lines(const fixes::Explanation& explanation, const Style& style);

/// "NOTES   4 DaemonSets: ..."; empty without remarks.
[[nodiscard]] Lines note_lines(const fixes::Explanation& explanation, const Style& style);

/// `room` minus `taken`, but at least one.
[[nodiscard]] constexpr std::size_t room_left(std::size_t room, std::size_t taken) {
  return room > taken ? room - taken : 1;
}

/// The first lines that fit into `room`; the rest is counted.
[[nodiscard]] Lines cut_off(Lines lines, std::size_t room);

void append(Lines& to, Lines more);
/// Appends an empty line and `part`, unless `part` is empty.
void add_part(Lines& to, Lines part);
[[nodiscard]] std::string joined_lines(const Lines& lines);
/// The lines of a text that ends with a newline.
[[nodiscard]] Lines lines_of_text(std::string_view text);

}  // namespace dsdoctor::render
