// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/report/groups.h"
#include "diagnosis/report/report.h"
#include "render/words/style.h"

/// Findings as text.
namespace dsdoctor::render {

[[nodiscard]] Color color_of(diagnosis::Severity severity);

/// A finding in words.
struct FindingSentence {
  std::string text;
  std::vector<diagnosis::Step> fix;  // empty if no action is needed, or another fix comes first
};

/// A step on one line: "text: command".
struct FixLine {
  std::string text;
  std::size_t command = std::string::npos;  // where its command begins

  [[nodiscard]] bool is_command() const { return command == 0; }
};

/// The command with the flags that reach the examined cluster or files; our own commands begin
/// with the name by which the program was called.
[[nodiscard]] std::string addressed(const base::Command& command, const Presentation& style);
/// The text of a step without its command, the condition first.
[[nodiscard]] std::string words_of(const diagnosis::Step& step);
[[nodiscard]] FixLine line_of(const diagnosis::Step& step, const Presentation& style);
[[nodiscard]] std::vector<FixLine> lines_of_fix(const std::vector<diagnosis::Step>& fix,
                                                const Presentation& style);
/// All steps as one text.
[[nodiscard]] std::string addressed(const std::vector<diagnosis::Step>& fix,
                                    const Presentation& style);

/// The findings of one node as sentences, in the order and number of finding_lines.
[[nodiscard]] std::vector<FindingSentence> finding_sentences(const diagnosis::NodeReport& node,
                                                             const Style& style);
/// The same for the nodes of a group.
[[nodiscard]] std::vector<FindingSentence> finding_sentences(const diagnosis::NodeGroup& group,
                                                             const diagnosis::NodeReports& nodes,
                                                             const Style& style);

/// A finding about a DaemonSet as a whole.
[[nodiscard]] std::string finding_lines(const diagnosis::Finding& finding,
                                        const Presentation& style);

/// The findings of one node: the primary cause with its fix, then further obstacles, then
/// explanations.
[[nodiscard]] std::string finding_lines(const diagnosis::NodeReport& node, std::size_t indent,
                                        const Presentation& style);

/// The findings of a group's nodes, each once, with the number of nodes unless it is all of them.
[[nodiscard]] std::string finding_lines(const diagnosis::NodeGroup& group,
                                        const diagnosis::NodeReports& nodes, std::size_t indent,
                                        const Presentation& style);

}  // namespace dsdoctor::render
