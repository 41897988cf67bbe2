#include "render/words/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/printable.h"
#include "base/shell_word.h"

namespace dsdoctor::render {
namespace {

using diagnosis::Finding;
using diagnosis::NodeReport;
using diagnosis::Severity;
using diagnosis::Standing;

// On one screen: the cause, two more obstacles, two explanations.
constexpr std::size_t shown_of_each = 2;

/// One finding of several nodes.
struct Shared {
  const Finding* first;
  std::size_t nodes = 0;
  bool varies = false;  // its message is another on other nodes
};

std::vector<Shared> shared_findings(const diagnosis::NodeGroup& group,
                                    const std::vector<NodeReport>& nodes) {
  std::vector<Shared> result;
  for (const std::size_t index : group.nodes) {
    for (const Finding& finding : nodes[index].findings) {
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
  return base::printable_line(fmt::format("  ({})", fmt::join(finding.evidence, ", ")));
}

constexpr std::string_view kubectl = "kubectl ";
constexpr std::string_view ours = "dsdoctor ";

/// A command begins a line, or stands behind what leads up to one; elsewhere kubectl is a word like
/// others.
bool is_led_up_to(std::string_view before) {
  constexpr std::string_view leads[] = {": ", "; ", "&& ", "| ", "(", " then ", " by "};
  return before.empty() || before == "then " ||
         std::ranges::any_of(leads, [&](const auto lead) { return before.ends_with(lead); });
}

std::string flag_words(const std::vector<std::string>& flags) {
  std::string result;
  for (const std::string& flag : flags) {
    result += fmt::format("{} ", base::shell_word(base::printable_line(flag)));
  }
  return result;
}

RemedyLine addressed_line(std::string_view line, const Style& style) {
  RemedyLine result;
  std::string at_the_end;
  while (!line.empty()) {
    const std::size_t at = line.find(kubectl);
    const std::size_t end = at == std::string_view::npos ? line.size() : at + kubectl.size();
    const std::string before = result.text + std::string(line.substr(0, std::min(at, end)));
    if (at == std::string_view::npos || !is_led_up_to(before)) {
      result.text += line.substr(0, end);
      line.remove_prefix(end);
      continue;
    }
    result.command = std::min(result.command, before.size());
    line.remove_prefix(end);
    if (line.starts_with(ours)) {
      line.remove_prefix(ours.size());
      result.text = fmt::format("{}{} ", before, style.program);
      at_the_end = " " + flag_words(style.own_flags);
    } else {
      result.text = before + std::string(kubectl) + flag_words(style.kubectl_flags);
    }
  }
  result.text += at_the_end;
  while (result.text.ends_with(' ')) result.text.pop_back();
  return result;
}

/// Prose is broken where it has to be; a command has to survive being copied.
std::string remedy_lines(std::string_view remedy, std::size_t indent, const Style& style) {
  std::string result;
  std::string_view mark = "do: ";
  for (const RemedyLine& line : lines_of_remedy(remedy, style)) {
    const std::size_t column = indent + mark.size();
    result += fmt::format("{:{}}{}", "", indent, mark);
    result += wrapped(style, Layout{.indent = column, .lead = column, .solid = line.command},
                      base::printable_line(line.text));
    mark = "    ";
  }
  return result;
}

std::string text_of(const Shared& shared, std::size_t of_nodes, const Style& style) {
  const Finding& finding = *shared.first;
  std::string text = base::printable_line(fmt::format("{}{}", prefix_of(finding), finding.message));
  if (shared.nodes < of_nodes) {
    text += fmt::format(" ({} of these nodes)", shared.nodes);
  } else if (shared.varies) {
    text += " (on the first of these nodes)";
  }
  if (finding.transient) text += "; passes by itself";
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
    result.push_back({text_of(shared, of_nodes, style),
                      helps || style.wide ? shared.first->remedy : std::string()});
  }
  if (also > shown_of_each && !style.wide) {
    result.push_back({fmt::format("also: {} more; -o wide shows them", also - shown_of_each), ""});
  }
  return result;
}

std::string lines_of(const std::vector<FindingSentence>& sentences, std::size_t indent,
                     const Style& style) {
  std::string result;
  for (const FindingSentence& each : sentences) {
    result += wrapped(style, indent, each.text) + remedy_lines(each.remedy, indent + 2, style);
  }
  return result;
}

Color color_of(Severity severity) {
  switch (severity) {
    case Severity::Critical:
    case Severity::Error: return Color::Red;
    case Severity::Warning: return Color::Yellow;
    case Severity::Info: return Color::Plain;
  }
  return Color::Plain;
}

}  // namespace

std::vector<RemedyLine> lines_of_remedy(std::string_view remedy, const Style& style) {
  std::vector<RemedyLine> result;
  while (!remedy.empty()) {
    const std::size_t end = std::min(remedy.find('\n'), remedy.size());
    result.push_back(addressed_line(remedy.substr(0, end), style));
    remedy.remove_prefix(std::min(end + 1, remedy.size()));
  }
  return result;
}

std::string addressed(std::string_view remedy, const Style& style) {
  std::string result;
  for (const RemedyLine& line : lines_of_remedy(remedy, style)) {
    result += fmt::format("{}{}", result.empty() ? "" : "\n", line.text);
  }
  return result;
}

std::vector<FindingSentence> finding_sentences(const NodeReport& node, const Style& style) {
  std::vector<Shared> findings;
  findings.reserve(node.findings.size());
  for (const Finding& finding : node.findings) findings.push_back({&finding, 1, false});
  return sentences_of(findings, 1, style);
}

std::vector<FindingSentence> finding_sentences(const diagnosis::NodeGroup& group,
                                               const std::vector<NodeReport>& nodes,
                                               const Style& style) {
  return sentences_of(shared_findings(group, nodes), group.nodes.size(), style);
}

std::string finding_lines(const Finding& finding, const Style& style) {
  const std::string line =
      fmt::format("{}: {}{}", to_string(finding.severity), base::printable_line(finding.message),
                  evidence_suffix(finding, style));
  std::string result = wrapped(style, 2, line);
  const std::size_t start = 2;
  const std::size_t length = to_string(finding.severity).size();
  result.replace(start, length,
                 paint(style, color_of(finding.severity), to_string(finding.severity)));
  return result + remedy_lines(finding.remedy, 4, style);
}

std::string finding_lines(const NodeReport& node, std::size_t indent, const Style& style) {
  return lines_of(finding_sentences(node, style), indent, style);
}

std::string finding_lines(const diagnosis::NodeGroup& group, const std::vector<NodeReport>& nodes,
                          std::size_t indent, const Style& style) {
  return lines_of(finding_sentences(group, nodes, style), indent, style);
}

}  // namespace dsdoctor::render
