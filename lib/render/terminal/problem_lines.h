#pragma once

#include <string>
#include <vector>

#include "advice/explanation.h"
#include "render/terminal/table.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// How much of an answer is shown.
struct Budget {
  std::size_t full = 0;   // problems shown with their fix
  std::size_t lines = 0;  // of the whole answer; 0: no limit
  bool insists = false;   // the first `full` are shown so, however many lines they take

  [[nodiscard]] bool is_limited() const { return lines != 0; }
};
/// What `style` asks for; else as much of `fitting` as is left below what stands before the answer.
[[nodiscard]] Budget budget_for(const Style& style, const Budget& fitting);

/// Lines of an answer with `fixed` of them taken, and `least` or more for each of two other parts.
[[nodiscard]] std::size_t lines_in_all(const Budget& budget, std::size_t fixed, std::size_t least);

/// The problems under their headings, numbered from one: what needs action, then what does not.
/// `room`: lines there are for them.
[[nodiscard]] Lines problem_lines(const advice::Explanation& explanation, const Budget& budget,
                                  std::size_t room, const Presentation& style);

/// That problems were ignored, where no summary says so; nothing where none was.
[[nodiscard]] Lines ignored_lines(const advice::Explanation& explanation);

/// A line for each DaemonSet with a problem, or for `all`, the worst first, under a heading, in
/// `room` lines; what does not fit is counted.
[[nodiscard]] Lines daemon_set_table(const advice::Explanation& explanation, bool all,
                                     std::size_t room, const Style& style);

/// How an answer about several DaemonSets is laid out.
struct Overview {
  std::size_t lines = 0;          // at most, on a terminal of 100 columns
  bool every_daemon_set = false;  // in the table; else those with a problem
};

[[nodiscard]] std::string overview_text(const advice::Explanation& explanation,
                                        const model::SourceInfo& source,
                                        const std::vector<model::Omission>& omissions,
                                        const Overview& overview, const Presentation& style);

/// "NOTES   4 DaemonSets: ..."; empty without remarks.
[[nodiscard]] Lines note_lines(const advice::Explanation& explanation, const Style& style);

/// Lines that are left of `room`; one at least.
[[nodiscard]] constexpr std::size_t room_left(std::size_t room, std::size_t taken) {
  return room > taken ? room - taken : 1;
}

void append(Lines& to, Lines more);
/// The same behind an empty line; nothing where there is nothing.
void add_part(Lines& to, Lines part);
[[nodiscard]] std::string joined_lines(const Lines& lines);
/// The lines of a text that ends with a newline.
[[nodiscard]] Lines lines_of_text(std::string_view text);

}  // namespace dsdoctor::render
