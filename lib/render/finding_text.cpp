#include "render/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/printable.h"

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

/// Each line of a remedy as it is: a command has to survive being copied.
std::string remedy_lines(std::string_view remedy, std::size_t indent) {
  std::string result;
  std::string_view rest = remedy;
  std::string_view mark = "do: ";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    result +=
        fmt::format("{:{}}{}{}\n", "", indent, mark, base::printable_line(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
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
    result += wrapped(style, indent, each.text) + remedy_lines(each.remedy, indent + 2);
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

bool is_command(std::string_view line) { return line.starts_with("kubectl "); }

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
  return result + remedy_lines(finding.remedy, 4);
}

std::string finding_lines(const NodeReport& node, std::size_t indent, const Style& style) {
  return lines_of(finding_sentences(node, style), indent, style);
}

std::string finding_lines(const diagnosis::NodeGroup& group, const std::vector<NodeReport>& nodes,
                          std::size_t indent, const Style& style) {
  return lines_of(finding_sentences(group, nodes, style), indent, style);
}

}  // namespace dsdoctor::render
