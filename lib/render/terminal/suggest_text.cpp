// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>

#include "base/printable.h"
#include "base/shell_word.h"
#include "fixes/shared_fixes.h"
#include "render/data/patch.h"
#include "render/terminal/problem_lines.h"
#include "render/terminal/script.h"
#include "render/terminal/texts.h"
#include "render/terminal/trial.h"
#include "render/words/finding_text.h"
#include "render/words/fix_parts.h"
#include "render/words/message_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using fixes::Alternative;
using fixes::FixAnswer;
using fixes::Suggestion;

void nodes_line(Script& script, std::string_view verb, const std::vector<model::Text>& nodes) {
  if (nodes.empty()) return;
  script.comment(detail_indent, fmt::format("{} {}", verb, name_list(nodes, script.style())));
}

void effect_lines(Script& script, const fixes::Effect& effect) {
  nodes_line(script, "eligible then:", effect.gained);
  nodes_line(script, "no longer eligible:", effect.lost);
  nodes_line(script, "deletes the pod on", effect.deletes);
}

/// Whether the command of the step would print this script again.
bool asks_for_this(const diagnosis::Step& step, const model::DaemonSet& ds) {
  constexpr std::array<std::string_view, 3> start = {"kubectl", "dsdoctor", "suggest"};
  if (!step.command || step.command->words.size() <= start.size()) return false;
  const auto& words = step.command->words;
  return std::equal(start.begin(), start.end(), words.begin()) &&
         words[start.size()] == ds.meta.name.view();
}

/// Writes the fix of a finding as comments, because it is not certain enough to run.
void fix_lines(Script& script, const model::DaemonSet& ds, const std::vector<diagnosis::Step>& fix,
               const Presentation& style) {
  for (const diagnosis::Step& step : fix) {
    if (asks_for_this(step, ds)) continue;
    if (const std::string words = words_of(step); !words.empty()) {
      script.comment(detail_indent, fmt::format("fix: {}{}", words, step.command ? ":" : ""));
    }
    if (step.command) {
      if (const auto trial = trial_of(*step.command)) {
        script.later("try", base::printable_line(addressed(*trial, style)));
      }
      script.later("do", base::printable_line(addressed(*step.command, style)));
    }
  }
}

void say(Script& script, const model::DaemonSet& ds, const fixes::Incurable& incurable,
         const Presentation& style) {
  script.comment(0, fmt::format("{}{}: {}", lead_of(incurable), name_list(incurable.nodes, style),
                                text_of(incurable.why)));
  if (incurable.finding) fix_lines(script, ds, incurable.finding->fix, style);
}

void say(Script& script, const model::DaemonSet& ds, const diagnosis::Finding& problem,
         const Presentation& style) {
  script.comment(0, fmt::format("{}: {}", to_string(problem.severity), text_of(problem.message)),
                 color_of(problem.severity));
  fix_lines(script, ds, problem.fix, style);
}

/// The commands of a fix that changes the template.
template <typename Fix>
void patch_lines(Script& script, const model::DaemonSet& ds, const Fix& fix,
                 const fixes::TemplateChange& change, const Presentation& style) {
  if (const auto more = imagined_sentence(change); !more.empty()) {
    script.comment(detail_indent, more);
  }
  if (fix.of_manifest) {
    script.comment(detail_indent, manifest_sentence);
    return script.later("print", manifest_command(ds.meta.ns, ds.meta.name, fix.id, style));
  }
  // Commands that are not recommended are comments, so that the whole script can be run.
  script.command(patch_command(ds, change, style), fix.recommended);
  script.later("undo", undo_command(ds, change, style));
}

void say(Script& script, const model::DaemonSet& ds, const Suggestion& suggestion,
         const Presentation& style) {
  script.comment(0,
                 fmt::format("{}: {}, {}", lead_of(suggestion), tolerate_clause(suggestion),
                             text_of(suggestion.purpose)),
                 suggestion.recommended ? Color::Bold : Color::Plain);
  effect_lines(script, suggestion.effect);
  script.comment(detail_indent, effect_line(suggestion.effect, suggestion.restarted_pods,
                                            suggestion.on_delete, style));
  script.comment(detail_indent, text_of(suggestion.risk));
  if (const auto wait = wait_sentence(suggestion); !wait.empty()) {
    script.comment(detail_indent, wait);
  }
  patch_lines(script, ds, suggestion, suggestion.change, style);
}

void say(Script& script, const model::DaemonSet& ds, const Alternative& alternative,
         const Presentation& style) {
  script.comment(0, fmt::format("{}: {}", lead_of(alternative), text_of(alternative.what)),
                 alternative.recommended ? Color::Bold : Color::Plain);
  effect_lines(script, alternative.effect);
  if (alternative.change) {
    script.comment(detail_indent, effect_line(alternative.effect, alternative.restarted_pods,
                                              alternative.on_delete, style));
    script.comment(detail_indent, text_of(alternative.risk));
    patch_lines(script, ds, alternative, *alternative.change, style);
  } else if (alternative.nodes) {
    script.comment(detail_indent, counts_change(alternative.effect, style) + ".");
    script.comment(detail_indent, text_of(alternative.risk));
    script.command(node_command(*alternative.nodes, style), false);
  }
}

std::optional<std::string> rollout_command(const FixAnswer& answer, const Presentation& style) {
  const diagnosis::DaemonSetReport& report = answer.report;
  return shell_line(daemon_set_command({"rollout", "status"}, report.ns, report.name), style);
}

/// Writes who may revert the changes, before the first command.
void say_owners(Script& script, const FixAnswer& answer) {
  if (!changes_template(answer) || answer.owners.empty()) return;
  script.blank();
  for (const fixes::Owner& owner : answer.owners) script.comment(0, owner_sentence(owner));
}

/// The patches of a fix that several DaemonSets share, each with its owners.
void shared_patches(Script& script, const std::vector<FixAnswer>& answers,
                    const fixes::SharedFix& shared, const Presentation& style) {
  for (const std::size_t i : shared.answers) {
    const FixAnswer& answer = answers[i];
    const auto own = std::ranges::find(answer.suggestions, shared.suggestion->id, &Suggestion::id);
    script.blank();
    script.comment(detail_indent, full_name(answer.report) + ":");
    for (const fixes::Owner& owner : answer.owners) {
      script.comment(detail_indent, owner_sentence(owner));
    }
    patch_lines(script, *answer.ds, *own, own->change, style);
    script.later("then", rollout_command(answer, style));
  }
}

void say(Script& script, const std::vector<FixAnswer>& answers, const fixes::SharedFix& shared,
         const Presentation& style) {
  const std::string of_all = counted(shared.answers.size(), "DaemonSet");
  std::vector<model::Text> names;
  for (const std::size_t i : shared.answers) names.emplace_back(full_name(answers[i].report));
  if (const Suggestion* suggestion = shared.suggestion) {
    script.comment(0,
                   fmt::format("{} in {}: {}, {}", lead_of(*suggestion), of_all,
                               tolerate_clause(*suggestion), text_of(suggestion->purpose)),
                   suggestion->recommended ? Color::Bold : Color::Plain);
    nodes_line(script, "for", names);
    effect_lines(script, shared.effect);
    script.comment(detail_indent, effect_line(shared.effect, shared.restarted_pods, false, style));
    script.comment(detail_indent, text_of(suggestion->risk));
    if (const auto wait = wait_sentence(*suggestion); !wait.empty()) {
      script.comment(detail_indent, wait);
    }
    return shared_patches(script, answers, shared, style);
  }
  const Alternative& alternative = *shared.alternative;
  script.comment(0, fmt::format("Possible for {}: {}", of_all, text_of(alternative.what)));
  nodes_line(script, "for", names);
  effect_lines(script, shared.effect);
  script.comment(detail_indent, counts_change(shared.effect, style) + ".");
  script.comment(detail_indent, text_of(alternative.risk));
  script.command(node_command(*alternative.nodes, style), false);
}

/// The fixes that a DaemonSet does not share with others.
struct Rest {
  const fixes::SharedFixes& shared;

  [[nodiscard]] bool has(const Suggestion& each) const { return !shared.contains(each); }
  [[nodiscard]] bool has(const Alternative& each) const { return !shared.contains(each); }
  /// Whether the answer has a fix that others share.
  [[nodiscard]] bool is_part(const FixAnswer& answer) const {
    const auto is_said = [&](const auto& each) { return !has(each); };
    return std::ranges::any_of(answer.suggestions, is_said) ||
           std::ranges::any_of(answer.alternatives, is_said);
  }
  [[nodiscard]] bool has_fixes(const FixAnswer& answer) const {
    const auto is_left = [&](const auto& each) { return has(each); };
    return std::ranges::any_of(answer.suggestions, is_left) ||
           std::ranges::any_of(answer.alternatives, is_left);
  }
  [[nodiscard]] bool is_empty(const FixAnswer& answer) const {
    return is_part(answer) && !has_fixes(answer) && answer.problems.empty() &&
           answer.incurable.empty() && answer.withheld.empty();
  }
};

/// Writes the first line and the conclusion.
void say_head(Script& script, const FixAnswer& answer, bool is_part,
              const model::SourceInfo& source) {
  const diagnosis::DaemonSetReport& report = answer.report;
  script.comment(
      0,
      fmt::format("{}    {}{}", full_name(report), counts_clause(report.evaluated),
                  scope_suffix(report.evaluated.nodes_known ? counted(report.all_nodes, "node")
                                                            : "nodes unknown",
                               source)),
      Color::Bold);
  const std::string line = is_part ? "A fix for several DaemonSets is above." : conclusion(answer);
  if (line.empty()) return;
  script.blank();
  script.comment(0, line);
}

/// Writes the parts that fit into `room` lines of the script, at least the first; the others are
/// counted.
template <typename List>
void say_first(Script& script, const model::DaemonSet& ds, const List& list, std::size_t room,
               const Presentation& style) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    Script part = script.part();
    say(part, ds, list[i], style);
    script.blank();
    if (i != 0 && script.size() + part.size() > room) {
      return script.comment(0, fmt::format("{} more: --all-nodes shows them", list.size() - i));
    }
    script.add(std::move(part));
  }
}

/// A fix that is not recommended, as a row of a table.
struct Row {
  const std::string& id;
  std::string what;  // empty if the id says it
  std::string desired;
  std::string misscheduled;
  std::string replaced;
};

template <typename Fix>
Row row_of(const Fix& fix, std::string what) {
  const auto change = [](std::int64_t before, std::int64_t after) {
    return before == after ? std::to_string(before) : fmt::format("{} to {}", before, after);
  };
  const fixes::Effect& effect = fix.effect;
  std::string replaced = "-";
  if (fix.on_delete) replaced = "0";
  if (fix.restarted_pods && !fix.on_delete) replaced = std::to_string(*fix.restarted_pods);
  return {fix.id, std::move(what),
          change(effect.before.desired_number_scheduled, effect.after.desired_number_scheduled),
          change(effect.before.number_misscheduled, effect.after.number_misscheduled),
          std::move(replaced)};
}

/// The fixes that are not recommended, except for `said`.
std::vector<Row> rows_of(const FixAnswer& answer, const Rest& rest, const Suggestion* said) {
  std::vector<Row> result;
  for (const Suggestion& each : answer.suggestions) {
    if (!each.recommended && rest.has(each) && &each != said) result.push_back(row_of(each, {}));
  }
  for (const Alternative& each : answer.alternatives) {
    if (!each.recommended && rest.has(each)) result.push_back(row_of(each, text_of(each.what)));
  }
  return result;
}

/// Rows as a table, or with an id on a line of its own if the terminal is too narrow: an id is
/// never shortened, because it is an argument.
void say_rows(Script& script, std::span<const Row> rows) {
  static constexpr GridColumn columns[] = {
      {"DESIRED"}, {"MISSCHEDULED"}, {"REPLACED PODS", true}, {"ID"}};
  Grid grid = grid_of(columns);
  for (const Row& row : rows) {
    grid.rows.push_back({row.desired, row.misscheduled, row.replaced, row.id});
  }
  const Lines lines = grid_lines(grid, rows.size() + 1, Style{});
  const std::size_t width = script.narrow().width;
  const bool fits = width == 0 || std::ranges::all_of(lines, [&](const std::string& line) {
                      return columns_of(line) <= width;
                    });
  if (fits) script.comment_line(lines.front());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    script.comment_line(fits ? lines[i + 1] : row.id);
    if (!row.what.empty()) script.comment(detail_indent, row.what);
    if (fits) continue;
    script.comment(detail_indent, fmt::format("desired {}, misscheduled {}, replaced pods {}",
                                              row.desired, row.misscheduled, row.replaced));
  }
}

/// Writes what else is possible: a row for each fix, and the command that prints the whole of it.
void say_table(Script& script, const FixAnswer& answer, const std::vector<Row>& rows,
               std::size_t room, const Presentation& style) {
  if (rows.empty()) return;
  script.blank();
  script.comment(0, "Possible, not recommended:");
  if (auto command = style.address.own_command("suggest", answer.report.ns, answer.report.name)) {
    script.later("commands, risk and undo", *command + " --id ID");
  }
  constexpr std::size_t least_rows = 3;
  std::size_t shown = rows.size();
  const auto part_of = [&] {
    Script part = script.part();
    say_rows(part, std::span(rows).first(shown));
    return part;
  };
  const std::size_t left = room > script.size() + 1 ? room - script.size() - 1 : 0;
  while (shown > least_rows && part_of().size() > left) --shown;
  script.add(part_of());
  if (shown < rows.size()) {
    script.comment(0, fmt::format("{} more: --all-nodes shows them", rows.size() - shown));
  }
}

/// Lines of the answer about one DaemonSet.
std::size_t lines_for(const Style& style) {
  constexpr std::size_t most = 60;
  return style.rows == 0 ? most : std::min(most, style.screen_lines());
}

/// The answer about one DaemonSet in a limited number of lines: recommended fixes in full, a table
/// of the others.
void say_short(Script& to, const FixAnswer& answer, const Rest& rest,
               const model::SourceInfo& source, const Presentation& style) {
  Script script = to.part();
  const bool is_part = rest.is_part(answer);
  const bool recommends = fixes::recommends_patch(answer);
  const bool changes = rest.has_fixes(answer) && changes_template(answer);
  const std::size_t lines = lines_for(style);
  say_head(script, answer, is_part, source);
  say_first(script, *answer.ds, answer.problems, lines / 3, style);
  if (changes && recommends) say_owners(script, answer);
  const auto say_recommended = [&](const auto& list) {
    for (const auto& each : list) {
      if (!each.recommended || !rest.has(each)) continue;
      script.blank();
      say(script, *answer.ds, each, style);
    }
  };
  say_recommended(answer.alternatives);
  say_recommended(answer.suggestions);
  say_first(script, *answer.ds, answer.incurable, 2 * lines / 3, style);
  // The only possible toleration is shown with its commands.
  const bool only_one = answer.suggestions.size() == 1 && !answer.suggestions.front().recommended &&
                        rest.has(answer.suggestions.front());
  const Suggestion* said = only_one ? &answer.suggestions.front() : nullptr;
  if (changes && !recommends) say_owners(script, answer);
  if (only_one) {
    script.blank();
    say(script, *answer.ds, *said, style);
  }
  const std::string withheld = withheld_sentence(answer);
  const bool has_commands = changes && (recommends || only_one);
  const std::size_t after = (withheld.empty() ? 0 : 2) + (has_commands ? 2 : 0);
  say_table(script, answer, rows_of(answer, rest, said), lines - std::min(lines, after), style);
  if (!withheld.empty()) {
    script.blank();
    script.comment(0, withheld);
  }
  if (has_commands) {
    script.blank();
    script.later("then", rollout_command(answer, style));
  }
  to.add(std::move(script));
}

/// The whole answer about one DaemonSet.
void say(Script& script, const FixAnswer& answer, const Rest& rest, const model::SourceInfo& source,
         const Presentation& style) {
  say_head(script, answer, rest.is_part(answer), source);
  const auto say_all = [&](const auto& list, auto&& is_meant) {
    for (const auto& each : list) {
      if (!is_meant(each)) continue;
      script.blank();
      say(script, *answer.ds, each, style);
    }
  };
  const auto any = [](const auto&) { return true; };
  const auto is_recommended = [&](const auto& each) { return each.recommended && rest.has(each); };
  const auto is_possible = [&](const auto& each) { return !each.recommended && rest.has(each); };
  const bool has_fixes = rest.has_fixes(answer);
  say_all(answer.problems, any);
  if (has_fixes && fixes::recommends_patch(answer)) say_owners(script, answer);
  say_all(answer.alternatives, is_recommended);
  say_all(answer.suggestions, is_recommended);
  say_all(answer.incurable, any);
  if (has_fixes && !fixes::recommends_patch(answer)) say_owners(script, answer);
  say_all(answer.suggestions, is_possible);
  say_all(answer.alternatives, is_possible);
  if (const std::string withheld = withheld_sentence(answer); !withheld.empty()) {
    script.blank();
    script.comment(0, withheld);
  }
  if (!has_fixes || !changes_template(answer)) return;
  script.blank();
  script.later("then", rollout_command(answer, style));
}

}  // namespace

std::string suggest_text(const std::vector<FixAnswer>& answers, const model::SourceInfo& source,
                         const std::vector<model::Omission>& omissions, Extent extent,
                         const Presentation& style) {
  Script script(style);
  bool first = true;
  const auto begin_part = [&] {
    if (!first) script.blank();
    first = false;
  };
  const fixes::SharedFixes shared = fixes::shared_fixes(answers);
  for (const fixes::SharedFix& each : shared.fixes) {
    begin_part();
    say(script, answers, each, style);
  }
  const Rest rest{shared};
  for (const FixAnswer& answer : answers) {
    if (rest.is_empty(answer)) continue;
    begin_part();
    if (extent == Extent::Whole || style.lists_every_node()) {
      say(script, answer, rest, source, style);
    } else {
      say_short(script, answer, rest, source, style);
    }
  }
  if (!omissions.empty()) {
    script.blank();
    for (const std::string& line : lines_of_text(omission_lines(omissions, style))) {
      script.comment(0, line);
    }
  }
  return script.take();
}

}  // namespace dsdoctor::render
