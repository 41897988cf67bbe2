// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "commands/commands.h"
#include "fixes/fixes.h"
#include "fixes/live_patch.h"
#include "question/printing.h"
#include "question/selection.h"
#include "render/data/patch_forms.h"
#include "render/document/reports.h"
#include "render/terminal/texts.h"
#include "render/words/message_text.h"

namespace dsdoctor::cmd {
namespace {

using fixes::FixAnswer;

/// A fix that patches its DaemonSet.
struct Candidate {
  const model::DaemonSet* ds;
  const std::string* id;
  const fixes::TemplateChange* change;
  bool recommended;
  bool of_manifest;
  std::string why_not;  // the objection if it is not recommended
};

/// Explains why a fix is not recommended: its consequence, how the problem resolves, or its
/// purpose.
std::string why_not(const fixes::Suggestion& each) {
  const bool risk_decides = !each.effect.evicted.empty() || !each.effect.waits_for.empty();
  if (risk_decides) return render::text_of(each.risk);
  if (!each.wait) return render::text_of(each.purpose);
  return fmt::format("resolves without action: {}", render::text_of(*each.wait));
}

std::vector<Candidate> candidates(const std::vector<FixAnswer>& answers, bool with_alternatives) {
  std::vector<Candidate> result;
  for (const FixAnswer& answer : answers) {
    for (const auto& each : answer.suggestions) {
      result.push_back(
          {answer.ds, &each.id, &each.change, each.recommended, each.of_manifest, why_not(each)});
    }
    for (const auto& each : answer.alternatives) {
      const bool is_meant = with_alternatives || each.recommended;
      if (each.change && is_meant) {
        result.push_back({answer.ds, &each.id, &*each.change, each.recommended, each.of_manifest,
                          render::text_of(each.risk)});
      }
    }
  }
  return result;
}

/// The error if no patch can be printed.
base::Error no_fix(const std::vector<FixAnswer>& answers) {
  base::Error error{base::ErrorKind::NotFound, "", "no toleration helps here"};
  for (const FixAnswer& answer : answers) {
    for (const auto& incurable : answer.incurable) {
      error.hints.push_back(base::printable_line(fmt::format(
          "{}/{}: {}{}: {}", answer.report.ns.view(), answer.report.name.view(),
          incurable.nodes.front().view(),
          incurable.nodes.size() == 1 ? std::string()
                                      : fmt::format(" and {} more", incurable.nodes.size() - 1),
          render::text_of(incurable.why))));
    }
  }
  for (const FixAnswer& answer : answers) {
    for (const auto& problem : answer.problems) {
      error.hints.push_back(base::printable_line(fmt::format("{}/{}: {}", answer.report.ns.view(),
                                                             answer.report.name.view(),
                                                             render::text_of(problem.message))));
    }
  }
  if (error.hints.empty()) error.hints.emplace_back("no fix is known");
  return error;
}

/// Reports whether no action is needed: a valid answer, but without a patch to print.
bool is_idle(const std::vector<FixAnswer>& answers) {
  return !answers.empty() && candidates(answers, false).empty() &&
         std::ranges::all_of(answers, [](const FixAnswer& answer) {
           return needs_nothing(answer) || targets_need_nothing(answer);
         });
}

base::Error not_answered() {
  return {base::ErrorKind::NotFound, "", "not answered: no node was read"};
}

/// Formats some of the fixes: "agent -n mon --id tolerate-x-NoSchedule".
std::vector<std::string> choices(const std::vector<Candidate>& found) {
  constexpr std::size_t most = 10;
  std::vector<std::string> result;
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
    result.push_back(
        base::printable_line(fmt::format("{} -n {} --id {}", found[i].ds->meta.name.view(),
                                         found[i].ds->meta.ns.view(), *found[i].id)));
  }
  return result;
}

base::Error several_fixes(const std::vector<Candidate>& found) {
  base::Error error{
      base::ErrorKind::Usage, "",
      fmt::format("a patch needs one suggestion, found {}: choose one with --id, or choose "
                  "nodes with --for",
                  found.size())};
  error.hints = choices(found);
  return error;
}

base::Error several_of_one_id(const std::vector<Candidate>& found, const std::string& id) {
  base::Error error{base::ErrorKind::Usage, "",
                    fmt::format("a patch needs one DaemonSet, but {} have a suggestion with id "
                                "\"{}\": name the DaemonSet",
                                found.size(), id)};
  error.hints = choices(found);
  return error;
}

base::Error unknown_id(const std::string& id) {
  return {base::ErrorKind::NotFound,
          "",
          fmt::format("suggestion \"{}\" not found", id),
          {"-o json lists them"}};
}

/// Selects the fix to print: by id, else the only one, else the only recommended one.
base::Result<Candidate> choose(const std::vector<FixAnswer>& answers, const std::string& id) {
  std::vector<Candidate> found = candidates(answers, !id.empty());
  if (!id.empty()) {
    std::erase_if(found, [&](const Candidate& each) { return *each.id != id; });
    if (found.empty()) return unknown_id(id);
    if (found.size() > 1) return several_of_one_id(found, id);
  }
  if (found.empty()) return no_fix(answers);
  if (found.size() == 1) return found.front();
  const auto recommended = std::ranges::count_if(found, &Candidate::recommended);
  if (recommended == 1) return *std::ranges::find_if(found, &Candidate::recommended);
  return several_fixes(found);
}

/// The problem to fix first, before patching the template; absent if there is none.
std::optional<diagnosis::Message> repair_first(const std::vector<FixAnswer>& answers,
                                               const Candidate& chosen) {
  const auto answer = std::ranges::find(answers, chosen.ds, &FixAnswer::ds);
  return answer == answers.end() ? std::nullopt : phrase_of(answer->first);
}

/// Warns users who apply a patch without reading the script.
void say_what_speaks_against(const std::vector<FixAnswer>& answers, const Candidate& chosen,
                             Context& ctx) {
  if (chosen.of_manifest) {
    ctx.err << "warning: make this change in the manifest, before it is applied\n";
  }
  if (const auto first = repair_first(answers, chosen); first) {
    ctx.err << "warning: " << render::text_of(*first) << "\n";
  } else if (!chosen.recommended) {
    ctx.err << "warning: "
            << base::printable_line(
                   fmt::format("{} is not recommended: {}", *chosen.id, chosen.why_not))
            << "\n";
  }
}

/// The answers that contain a fix with this id, reduced to that fix.
std::vector<FixAnswer> with_id(std::vector<FixAnswer> answers, const std::string& id) {
  for (FixAnswer& answer : answers) {
    std::erase_if(answer.suggestions, [&](const auto& each) { return each.id != id; });
    std::erase_if(answer.alternatives, [&](const auto& each) { return each.id != id; });
  }
  std::erase_if(answers, [](const FixAnswer& answer) {
    return answer.suggestions.empty() && answer.alternatives.empty();
  });
  return answers;
}

std::vector<FixAnswer> answers_to(const Question& question, const SuggestOptions& options) {
  auto answers =
      fixes::fixes_for(*question.reporter, question.daemon_sets, options.target, question.selects);
  if (question.changed) fixes::fit_to_cluster(answers, *question.changed);
  return answers;
}

/// A pool without nodes is probably a typing error, like an unknown node.
base::Status find_pool(const SuggestOptions& options, const model::Cluster& cluster) {
  if (options.target.kind != fixes::FixTarget::Kind::Pool || !cluster.nodes_known) {
    return std::monostate();
  }
  const bool found = std::ranges::any_of(cluster.nodes, [&](const model::Node& node) {
    return fixes::is_target(options.target, diagnosis::OwnNodeReport(), node);
  });
  if (found) return std::monostate();
  const fixes::FixTarget& target = options.target;
  return base::Error{base::ErrorKind::NotFound, "",
                     fmt::format("no node matches --for \"pool={}{}{}\"", target.key,
                                 target.key.empty() ? "" : "=", target.name)};
}

void show(const std::vector<FixAnswer>& answers, const SuggestOptions& options,
          const Question& question, Context& ctx) {
  const source::Snapshot& snapshot = question.snapshot;
  render::Presentation style = style_for(question, {{options.print}, options.all_nodes}, ctx);
  style.address.shell = options.shell;
  const auto extent = options.id.empty() ? render::Extent::Short : render::Extent::Whole;
  Forms forms;
  forms.text = [&] {
    return answers.empty()
               ? std::string()
               : render::suggest_text(answers, snapshot.info, snapshot.omissions, extent, style);
  };
  forms.json = [&] { return render::to_json(answers, question.envelope(), style); };
  forms.names = [&] {
    std::string result;
    for (const FixAnswer& answer : answers) {
      if (answer.suggestions.empty()) continue;
      result += name_line(question.choice.ns, answer.report.ns, answer.report.name);
    }
    return result;
  };
  forms.document = [&] { return render::suggest_document(answers, question.envelope(), style); };
  print(question, options.print.format, forms, style, ctx, options.shell);
}

/// Prints the patch of the selected fix, or of the only one.
ExitCode print_patch(const std::vector<FixAnswer>& answers, const SuggestOptions& options,
                     const Question& question, Context& ctx) {
  if (options.id.empty() && is_idle(answers)) {
    ctx.err << "No action needed: there is no patch to print\n";
    for (const std::string& choice : choices(candidates(answers, true))) {
      ctx.err << "possible: " << choice << "\n";
    }
    return finish(question, ctx, ExitCode::Clean);
  }
  const auto chosen = choose(answers, options.id);
  if (!chosen) return fail(ctx, chosen.error());
  const auto text = render::patch_document(
      *options.form, *chosen->ds, *chosen->change,
      chosen->of_manifest ? render::PatchTarget::Manifest : render::PatchTarget::Cluster);
  if (!text) return fail(ctx, text.error());
  say_what_speaks_against(answers, *chosen, ctx);
  ctx.out << *text;
  return finish(question, ctx, ExitCode::Clean);
}

}  // namespace

ExitCode run(const SuggestOptions& options, Context& ctx) {
  const OutputFormat format = options.print.format;
  const auto asked = ask(options, options.what_if, format, ctx);
  if (!asked) return fail(ctx, asked.error());
  const Question& question = **asked;
  const model::Cluster& cluster = question.snapshot.cluster;
  if (options.scope.ignore_not_found && question.daemon_sets.empty() && options.form) {
    return ExitCode::Clean;
  }
  if (options.target.kind == fixes::FixTarget::Kind::Node) {
    const auto node = find_node(question.snapshot, options.target.name);
    if (!node) return fail(ctx, node.error());
  }
  if (const auto found = find_pool(options, cluster); !found) return fail(ctx, found.error());
  const std::vector<FixAnswer> answers = answers_to(question, options);
  say_nothing_found(question, format,
                    style_for(question, {{options.print}, options.all_nodes}, ctx), ctx);
  const bool answered = cluster.nodes_known || question.daemon_sets.empty();
  const auto none = no_daemon_set_read(question);
  if (options.form) {
    if (none) return fail(ctx, *none);
    say_omissions(question, ctx);
    if (!answered) return fail(ctx, not_answered());
    return print_patch(answers, options, question, ctx);
  }
  const bool recommended = std::ranges::any_of(answers, fixes::recommends_patch);
  if (!options.id.empty() && answered) {
    const std::vector<FixAnswer> named = with_id(answers, options.id);
    if (named.empty()) return fail(ctx, unknown_id(options.id));
    show(named, options, question, ctx);
  } else {
    show(answers, options, question, ctx);
  }
  if (none) return fail(ctx, *none);
  if (!answered) return fail(ctx, not_answered());
  return finish(question, ctx,
                options.exit_code && recommended ? ExitCode::Findings : ExitCode::Clean);
}

}  // namespace dsdoctor::cmd
