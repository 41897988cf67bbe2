// SPDX-License-Identifier: Apache-2.0
#include "render/words/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/printable.h"
#include "base/shell_word.h"
#include "render/words/message_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::Finding;
using diagnosis::NodeReport;
using diagnosis::Severity;
using diagnosis::Standing;
using diagnosis::Step;

// An answer on one screen shows the cause, two more obstacles and two explanations.
constexpr std::size_t shown_of_each = 2;

/// A finding that several nodes have.
struct Shared {
  const Finding* first;
  std::size_t nodes = 0;
  bool varies = false;  // other nodes have another message
};

std::vector<Shared> shared_findings(const diagnosis::NodeGroup& group,
                                    const diagnosis::NodeReports& nodes) {
  std::vector<Shared> result;
  for (const std::size_t index : group.nodes) {
    for (const Finding& finding : nodes[index].findings()) {
      const auto at = std::ranges::find_if(result, [&](const Shared& other) {
        return other.first->id == finding.id && other.first->group == finding.group;
      });
      if (at == result.end()) {
        result.push_back({&finding, 1, false});
      } else {
        ++at->nodes;
        at->varies = at->varies || at->first->message != finding.message;
      }
    }
  }
  std::ranges::stable_sort(result, {}, [](const Shared& s) { return s.first->standing; });
  return result;
}

std::string_view prefix_of(const Finding& finding) {
  return finding.standing == Standing::Also ? "also: " : "";
}

std::string evidence_suffix(const Finding& finding, const Style& style) {
  if (!style.wide || finding.evidence.empty()) return {};
  std::string result;
  for (const diagnosis::Evidence& evidence : finding.evidence) {
    result += (result.empty() ? "" : ", ") + text_of(evidence);
  }
  return base::printable_line(fmt::format("  ({})", result));
}

void add_words(std::string& line, const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    line += fmt::format(" {}", base::shell_word(flag));
  }
}

/// Text is wrapped; a command stays on one line, so that it can be copied.
std::string fix_lines(const std::vector<Step>& fix, std::size_t indent, const Presentation& style) {
  std::string result;
  std::string_view mark = "do: ";
  for (const FixLine& line : lines_of_fix(fix, style)) {
    const std::size_t column = indent + mark.size();
    result += fmt::format("{:{}}{}", "", indent, mark);
    result += wrapped(style, Layout{.indent = column, .lead = column, .solid = line.command},
                      base::printable_line(line.text));
    mark = "    ";
  }
  return result;
}

std::string sentence_of(const Shared& shared, std::size_t of_nodes, const Style& style) {
  const Finding& finding = *shared.first;
  std::string text =
      base::printable_line(fmt::format("{}{}", prefix_of(finding), text_of(finding.message)));
  if (shared.nodes < of_nodes) {
    text += fmt::format(" ({} of these nodes)", shared.nodes);
  } else if (shared.varies) {
    text += " (on the first of these nodes)";
  }
  if (finding.transient) text += "; resolves without action";
  if (finding.basis == diagnosis::Basis::Suspected) text += " (suspected)";
  if (finding.basis == diagnosis::Basis::Reported) text += " (reported, not recomputed)";
  return text + evidence_suffix(finding, style);
}

std::vector<FindingSentence> sentences_of(const std::vector<Shared>& findings, std::size_t of_nodes,
                                          const Style& style) {
  std::vector<FindingSentence> result;
  std::size_t also = 0;
  std::size_t context = 0;
  for (const Shared& shared : findings) {
    const Standing standing = shared.first->standing;
    std::size_t& count = standing == Standing::Context ? context : also;
    const bool primary = standing == Standing::Primary;
    if (!primary && ++count > shown_of_each && !style.wide) continue;
    const bool helps = primary && shared.first->severity != Severity::Info;
    result.push_back({sentence_of(shared, of_nodes, style),
                      helps || style.wide ? shared.first->fix : std::vector<Step>()});
  }
  if (also > shown_of_each && !style.wide) {
    result.push_back({fmt::format("also: {} more; -o wide shows them", also - shown_of_each), {}});
  }
  return result;
}

std::string lines_of(const std::vector<FindingSentence>& sentences, std::size_t indent,
                     const Presentation& style) {
  std::string result;
  for (const FindingSentence& each : sentences) {
    result += wrapped(style, indent, each.text) + fix_lines(each.fix, indent + 2, style);
  }
  return result;
}

/// `flags` without --as..., if the command itself has such a flag.
std::vector<std::string> flags_beside(const std::vector<std::string>& words,
                                      std::vector<std::string> flags) {
  const auto is_about_user = [](const std::string& word) { return word.starts_with("--as"); };
  if (std::ranges::any_of(words, is_about_user)) std::erase_if(flags, is_about_user);
  return flags;
}

}  // namespace

Color color_of(Severity severity) {
  switch (severity) {
    case Severity::Critical: return Color::StrongRed;
    case Severity::Error: return Color::Red;
    case Severity::Warning: return Color::Yellow;
    case Severity::Info: return Color::Cyan;
  }
  return Color::Plain;
}

std::string addressed(const base::Command& command, const Presentation& style) {
  const auto& words = command.words;
  const bool of_kubectl = !words.empty() && words.front() == "kubectl";
  const bool is_ours = of_kubectl && words.size() > 1 && words[1] == "dsdoctor";
  std::string line = is_ours         ? style.address.program
                     : words.empty() ? ""
                                     : base::argument(words.front());
  if (of_kubectl && !is_ours) add_words(line, flags_beside(words, style.address.kubectl_flags));
  for (std::size_t i = is_ours ? 2 : 1; i < words.size(); ++i) {
    line += fmt::format(" {}", base::argument(words[i]));
  }
  if (is_ours) add_words(line, style.address.own_flags);
  return line;
}

std::string words_of(const Step& step) {
  if (step.condition.empty()) return step.text;
  return fmt::format("if {}{}{}", step.condition, step.text.empty() ? "" : ": ", step.text);
}

FixLine line_of(const Step& step, const Presentation& style) {
  const std::string text = words_of(step);
  if (!step.command) return {text};
  const std::string lead = text.empty() ? "" : text + ": ";
  return {lead + addressed(*step.command, style), lead.size()};
}

std::vector<FixLine> lines_of_fix(const std::vector<Step>& fix, const Presentation& style) {
  std::vector<FixLine> result;
  result.reserve(fix.size());
  for (const Step& step : fix) result.push_back(line_of(step, style));
  return result;
}

std::string addressed(const std::vector<Step>& fix, const Presentation& style) {
  std::string result;
  for (const FixLine& line : lines_of_fix(fix, style)) {
    result += fmt::format("{}{}", result.empty() ? "" : "\n", line.text);
  }
  return result;
}

std::vector<FindingSentence> finding_sentences(const NodeReport& node, const Style& style) {
  std::vector<Shared> findings;
  findings.reserve(node.findings().size());
  for (const Finding& finding : node.findings()) findings.push_back({&finding, 1, false});
  return sentences_of(findings, 1, style);
}

std::vector<FindingSentence> finding_sentences(const diagnosis::NodeGroup& group,
                                               const diagnosis::NodeReports& nodes,
                                               const Style& style) {
  return sentences_of(shared_findings(group, nodes), group.nodes.size(), style);
}

std::string finding_lines(const Finding& finding, const Presentation& style) {
  const std::string line =
      fmt::format("{}: {}{}", to_string(finding.severity),
                  base::printable_line(text_of(finding.message)), evidence_suffix(finding, style));
  std::string result = wrapped(style, 2, line);
  const std::size_t start = 2;
  const std::size_t length = to_string(finding.severity).size();
  result.replace(start, length,
                 paint(style, color_of(finding.severity), to_string(finding.severity)));
  return result + fix_lines(finding.fix, 4, style);
}

std::string finding_lines(const NodeReport& node, std::size_t indent, const Presentation& style) {
  return lines_of(finding_sentences(node, style), indent, style);
}

std::string finding_lines(const diagnosis::NodeGroup& group, const diagnosis::NodeReports& nodes,
                          std::size_t indent, const Presentation& style) {
  return lines_of(finding_sentences(group, nodes, style), indent, style);
}

}  // namespace dsdoctor::render
