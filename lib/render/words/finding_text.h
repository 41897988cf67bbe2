#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/groups.h"
#include "diagnosis/report/report.h"
#include "render/words/style.h"

/// Findings as a person reads them.
namespace dsdoctor::render {

[[nodiscard]] Color color_of(diagnosis::Severity severity);

/// A finding in words.
struct FindingSentence {
  std::string text;
  std::vector<diagnosis::Step> fix;  // empty where nothing is to be done, or not at first
};

/// A step on one line: "text: command".
struct FixLine {
  std::string text;
  std::size_t command = std::string::npos;  // where its command begins

  [[nodiscard]] bool is_command() const { return command == 0; }
};

/// A command that reaches what was examined: kubectl's have the flags that say where that is, ours
/// the name by which we were called, too.
[[nodiscard]] std::string addressed(const base::Command& command, const Presentation& style);
/// What a step says beside its command, its condition first.
[[nodiscard]] std::string words_of(const diagnosis::Step& step);
[[nodiscard]] FixLine line_of(const diagnosis::Step& step, const Presentation& style);
[[nodiscard]] std::vector<FixLine> lines_of_fix(const std::vector<diagnosis::Step>& fix,
                                                const Presentation& style);
/// The same in one piece.
[[nodiscard]] std::string addressed(const std::vector<diagnosis::Step>& fix,
                                    const Presentation& style);

/// The findings of one node as sentences, in the order and number of finding_lines.
[[nodiscard]] std::vector<FindingSentence> finding_sentences(const diagnosis::NodeReport& node,
                                                             const Style& style);
/// The same of a group's nodes.
[[nodiscard]] std::vector<FindingSentence> finding_sentences(const diagnosis::NodeGroup& group,
                                                             const diagnosis::NodeReports& nodes,
                                                             const Style& style);

/// A finding about a DaemonSet as a whole.
[[nodiscard]] std::string finding_lines(const diagnosis::Finding& finding,
                                        const Presentation& style);

/// The findings of one node: the primary cause first with what to do, then what else is in the way,
/// then what explains it.
[[nodiscard]] std::string finding_lines(const diagnosis::NodeReport& node, std::size_t indent,
                                        const Presentation& style);

/// The findings of a group's nodes, each once, with the number of nodes where it is not all.
[[nodiscard]] std::string finding_lines(const diagnosis::NodeGroup& group,
                                        const diagnosis::NodeReports& nodes, std::size_t indent,
                                        const Presentation& style);

}  // namespace dsdoctor::render
