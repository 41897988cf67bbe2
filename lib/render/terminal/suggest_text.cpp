#include <fmt/format.h>

#include <sstream>

#include "base/printable.h"
#include "base/shell_word.h"
#include "render/data/patch.h"
#include "render/terminal/texts.h"
#include "render/words/cure_parts.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using advice::Alternative;
using advice::CureAnswer;
using advice::Suggestion;

constexpr std::size_t detail_indent = 4;

/// Writes comments and commands in the language of one shell.
class Script {
 public:
  explicit Script(const Presentation& style)
      : style_(style), mark_(base::comment_mark(style.address.shell)), narrow_(style) {
    if (style.width > mark_.size()) narrow_.width = style.width - mark_.size();
  }

  void comment(std::size_t indent, std::string_view text, Color color = Color::Plain) {
    std::istringstream lines(wrapped(narrow_, indent, base::printable_line(std::string(text))));
    for (std::string line; std::getline(lines, line);) {
      text_ += paint(style_, color, std::string(mark_) + line) + "\n";
    }
  }
  void blank() { text_ += "\n"; }
  /// One that the script runs; `runs` false: one to be copied.
  void command(const std::optional<std::string>& line, bool runs) {
    if (!line) {
      comment(detail_indent, "(no command: it would hold what this shell cannot quote)");
    } else if (runs) {
      text_ += *line + "\n";
    } else {
      later("do", line);
    }
  }
  /// A command to be copied.
  void later(std::string_view label, const std::optional<std::string>& line) {
    if (!line) return;
    text_ += paint(style_, Color::Dim,
                   fmt::format("{}{:{}}{}: {}", mark_, "", detail_indent, label, *line)) +
             "\n";
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  const Presentation& style_;
  std::string_view mark_;
  Style narrow_;  // what is left of a line beside the mark
  std::string text_;
};

void nodes_line(Script& script, std::string_view verb, const std::vector<model::Text>& nodes) {
  if (nodes.empty()) return;
  script.comment(detail_indent, fmt::format("{} {}", verb, name_list(nodes)));
}

void effect_lines(Script& script, const advice::Effect& effect) {
  nodes_line(script, "brings it to", effect.gained);
  nodes_line(script, "no longer wanted on", effect.lost);
  nodes_line(script, "deletes the pod on", effect.deletes);
}

void say(Script& script, const model::DaemonSet& ds, const Suggestion& suggestion, bool runs,
         const Presentation& style) {
  const auto& added = suggestion.change.added;
  script.comment(
      0,
      fmt::format("{}: tolerate {}{}, {}", suggestion.recommended ? "Cure" : "Possible",
                  added.size() == 1 ? "" : "all of ", tolerated_taints(added), suggestion.purpose),
      suggestion.recommended ? Color::Bold : Color::Plain);
  effect_lines(script, suggestion.effect);
  script.comment(detail_indent, effect_line(suggestion.effect, suggestion.restarted_pods,
                                            suggestion.on_delete, style));
  script.comment(detail_indent, suggestion.risk);
  if (!suggestion.wait.empty()) {
    const bool better = !suggestion.recommended && suggestion.advised != model::Advised::Yes;
    script.comment(detail_indent,
                   fmt::format("{}: {}.", better ? "Better wait" : "Or wait", suggestion.wait));
  }
  script.command(patch_command(ds, suggestion.change, style), runs);
  script.later("undo", undo_command(ds, suggestion.change, style));
}

void say(Script& script, const model::DaemonSet& ds, const Alternative& alternative,
         const Presentation& style) {
  script.comment(0, fmt::format("Instead: {}", alternative.what));
  effect_lines(script, alternative.effect);
  if (alternative.change) {
    script.comment(detail_indent, effect_line(alternative.effect, alternative.restarted_pods,
                                              alternative.on_delete, style));
    script.comment(detail_indent, alternative.risk);
    script.command(patch_command(ds, *alternative.change, style), false);
    script.later("undo", undo_command(ds, *alternative.change, style));
  } else if (alternative.nodes) {
    script.comment(detail_indent, counts_change(alternative.effect, style) + ".");
    script.comment(detail_indent, alternative.risk);
    script.command(node_command(*alternative.nodes, style), false);
  }
}

void say(Script& script, const CureAnswer& answer, const model::SourceInfo& source,
         const Presentation& style) {
  const diagnosis::DaemonSetReport& report = answer.report;
  script.comment(0,
                 fmt::format("{}    {}{}", full_name(report), counts_clause(report.evaluated),
                             scope_suffix(report.all_nodes, source)),
                 Color::Bold);
  for (const Suggestion& suggestion : answer.suggestions) {
    script.blank();
    // What nobody asked for is to be copied, so that the whole can be given to a shell.
    say(script, *answer.ds, suggestion, suggestion.recommended || answer.suggestions.size() == 1,
        style);
  }
  if (answer.suggestions.empty()) {
    script.blank();
    script.comment(0, nothing_to_cure(answer));
  } else if (!answer.incurable.empty()) {
    script.blank();
    script.comment(0, "No toleration helps elsewhere:");
  }
  for (const advice::Incurable& incurable : answer.incurable) {
    script.comment(2, fmt::format("{}: {}", name_list(incurable.nodes), incurable.why));
  }
  for (const Alternative& alternative : answer.alternatives) {
    script.blank();
    say(script, *answer.ds, alternative, style);
  }
  if (!changes_template(answer)) return;
  script.blank();
  for (const advice::Owner& owner : answer.owners) script.comment(0, owner_sentence(owner));
  script.later("then",
               kubectl_command(report.ns, {"rollout", "status", "daemonset", report.name}, style));
}

}  // namespace

std::string suggest_text(const std::vector<CureAnswer>& answers, const model::SourceInfo& source,
                         const std::vector<model::Omission>& omissions, const Presentation& style) {
  Script script(style);
  bool first = true;
  for (const CureAnswer& answer : answers) {
    if (!first) script.blank();
    first = false;
    say(script, answer, source, style);
  }
  if (!omissions.empty()) {
    script.blank();
    std::istringstream lines(omission_lines(omissions, style));
    for (std::string line; std::getline(lines, line);) script.comment(0, line);
  }
  return script.take();
}

}  // namespace dsdoctor::render
