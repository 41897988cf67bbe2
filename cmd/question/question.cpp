// SPDX-License-Identifier: Apache-2.0
#include "question/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/printable.h"
#include "base/shell_word.h"
#include "diagnosis/evidence/invalid_quantities.h"
#include "diagnosis/gates.h"
#include "diagnosis/providers/provider.h"
#include "fixes/live_patch.h"
#include "question/taints_files.h"
#include "question/user_files.h"
#include "question/what_if.h"
#include "render/words/text_parts.h"
#include "source/dumps/inputs.h"
#include "source/kind_counts.h"

namespace dsdoctor::cmd {
namespace {

/// Like kubectl apply -n. `ns` is the given namespace; empty: not given.
base::Status check_namespace(const std::vector<model::DaemonSet>& manifest, const std::string& ns) {
  if (ns.empty()) return std::monostate();
  const auto other = std::ranges::find_if(
      manifest, [&](const model::DaemonSet& ds) { return ds.meta.ns.view() != ns; });
  if (other == manifest.end()) return std::monostate();
  return base::usage_error(base::printable_line(
      fmt::format("the namespace from the provided object \"{0}\" does not match the namespace "
                  "\"{1}\". You must pass '--namespace={0}' to perform this operation.",
                  other->meta.ns.view(), ns)));
}

/// Replaces the cluster with the changed one.
base::Result<fixes::Changed> imagine(Reading& reading, const GivenFlags& flags,
                                     const fixes::WhatIf& changes) {
  source::Snapshot& snapshot = reading.snapshot;
  const fixes::Pick pick = [&](const model::Cluster& of) {
    Picked picked = pick_daemon_sets(of, reading.choice, snapshot);
    reading.not_found = std::move(picked.not_found);
    return std::move(picked.daemon_sets);
  };
  const diagnosis::Reporter today(snapshot.cluster, reading.judged_by);
  auto imagined = fixes::imagine(changes, pick, today, reading.daemon_sets);
  if (!imagined) return imagined.error();
  for (const auto& [flag, text] : flags) {
    imagined->changed.flags.push_back(fmt::format("{}{}{}", flag, text.empty() ? "" : " ", text));
  }
  for (const std::string& name : imagined->changed.without_causes) {
    snapshot.warnings.push_back(
        {name, "the template has changed, so current causes are not shown"});
  }
  snapshot.cluster = std::move(imagined->cluster);
  reading.daemon_sets = std::move(imagined->daemon_sets);
  reading.judged_by = std::move(imagined->options);
  return std::move(imagined->changed);
}

/// The flags of what-if that printed commands repeat.
GivenFlags repeated_flags(const WhatIfOptions& what_if) {
  GivenFlags flags = what_if.flags;
  if (!what_if.manifest.empty() && what_if.validate.value != FieldValidation::Strict) {
    flags.emplace_back("--validate", what_if.validate.text);
  }
  return flags;
}

/// Adds the commands that answer for each of the clusters, if the inputs can be read separately.
base::Error with_commands_for_each(base::Error error, const AnswerOptions& asked,
                                   const Context& ctx) {
  if (error.kind != base::ErrorKind::TwoClusters) return error;
  std::size_t inputs = 0;
  for (const std::string& file : asked.input.source.files) {
    const auto below = source::inputs_of(file);
    inputs += below ? below->size() : 1;
  }
  if (inputs > 1) {
    std::string command = ctx.program + " check -A";
    const auto address = address_for(asked, {}, ctx);
    for (const std::string& word : address.own_flags) {
      command += " " + base::shell_word(word);
    }
    error.hints.push_back("for an answer about each: " + command + " --by-file");
  } else {
    error.hints.emplace_back("read them separately: -f FILE for each");
  }
  error.hints.push_back(fmt::format(
      "for one cluster at two times: {} diff-nodes -A --since EARLIER -f LATER", ctx.program));
  return error;
}

/// Adds the templates of new nodes that the source has, each once.
void add_pools(std::vector<model::NodeTemplate> pools, source::Snapshot& snapshot,
               fixes::WhatIf& to) {
  const auto identity = [](const model::NodeTemplate& pool) {
    return std::tuple(pool.kind.view(), pool.group.view(), pool.ns.view(), pool.name.view());
  };
  std::ranges::sort(pools, {}, identity);
  const auto is_same = [&](const auto& a, const auto& b) { return identity(a) == identity(b); };
  pools.erase(std::unique(pools.begin(), pools.end(), is_same), pools.end());
  const std::vector<std::string_view> resources = {"nodepools", "machinedeployments",
                                                   "machinesets"};
  const bool all_read = std::ranges::none_of(snapshot.omissions, [&](const auto& omission) {
    return std::ranges::find(resources, omission.resource) != resources.end();
  });
  if (pools.empty() && all_read) {
    snapshot.warnings.push_back(
        {"--pools", fmt::format("the {} has no templates of new nodes: {}",
                                snapshot.info.kind == "cluster" ? "cluster" : "input",
                                decode::node_template_kinds)});
  }
  std::ranges::move(pools, std::back_inserter(to.templates));
}

/// The nodes to report on; null: all.
base::Result<std::function<bool(const model::Node&)>> selected_nodes(const Reading& reading) {
  auto filter = node_filter(reading.scope, reading.snapshot);
  if (!filter || !reading.one_node) return filter;
  const auto* only = model::find_node(reading.snapshot.cluster, reading.scope.names.front().name);
  return std::function<bool(const model::Node&)>(
      [only](const model::Node& node) { return &node == only; });
}

/// Names files without their folders in what a document shows of the source.
void drop_folders(source::Snapshot& snapshot) {
  for (std::string& path : snapshot.info.paths) {
    const std::string name = path.substr(path.find_last_of("/\\") + 1);
    if (name.empty() || name == path) continue;
    for (model::Omission& omission : snapshot.omissions) {
      for (std::string* text : {&omission.message, &omission.consequence}) {
        for (std::size_t at = text->find(path); at != std::string::npos;
             at = text->find(path, at)) {
          text->replace(at, path.size(), name);
          at += name.size();
        }
      }
    }
    path = name;
  }
}

ProblemKinds kinds_of_problems(const Reading& reading) {
  const diagnosis::Reporter reporter(reading.snapshot.cluster, reading.judged_by);
  return problem_kinds(fixes::explain(reporter, reading.daemon_sets));
}

/// Replaces the names in the data, and in what refers to them. Printed commands lose their flags,
/// which name the source. Errors: Usage if the answer would have other problems.
base::Status redact(Reading& reading) {
  source::Snapshot& snapshot = reading.snapshot;
  const ProblemKinds before_it = kinds_of_problems(reading);
  std::vector<std::size_t> picked;
  for (const model::DaemonSet* ds : reading.daemon_sets) {
    picked.push_back(static_cast<std::size_t>(ds - snapshot.cluster.daemon_sets.data()));
  }
  std::vector<std::size_t> selected;
  std::optional<std::size_t> only_node;
  for (std::size_t i = 0; i < snapshot.cluster.nodes.size(); ++i) {
    const model::Node& node = snapshot.cluster.nodes[i];
    if (reading.selects && reading.selects(node)) selected.push_back(i);
    if (reading.one_node && node.meta.name == reading.scope.names.front().name) only_node = i;
  }
  redaction::Renamed renamed = cmd::redact(snapshot);
  const model::Cluster& cluster = snapshot.cluster;
  reading.daemon_sets.clear();
  for (const std::size_t i : picked) {
    const auto& before = renamed.daemon_sets;
    // Objects of several projects can have the same name; they keep their order.
    auto same =
        std::count(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(i), before[i]);
    const auto at = std::ranges::find_if(cluster.daemon_sets, [&](const model::DaemonSet& ds) {
      return ds.meta.ns == before[i].first && ds.meta.name == before[i].second && same-- == 0;
    });
    if (at != cluster.daemon_sets.end()) reading.daemon_sets.push_back(&*at);
  }
  if (reading.selects) {
    std::set<std::string> names;
    for (const std::size_t i : selected) names.insert(renamed.nodes[i].str());
    reading.selects = [names = std::move(names)](const model::Node& node) {
      return names.contains(node.meta.name.str());
    };
  }
  if (only_node) reading.scope.names.front().name = renamed.nodes[*only_node].str();
  diagnosis::ReportOptions& options = reading.judged_by;
  options.pods_of_node = model::Text(renamed.words(options.pods_of_node.view()));
  reading.choice.ns = renamed.words(reading.choice.ns);
  reading.choice.address.own_flags.clear();
  reading.choice.address.kubectl_flags.clear();
  reading.renames = std::move(renamed.words);
  if (kinds_of_problems(reading) == before_it) return std::monostate();
  return base::usage_error(
      "the redacted answer would have other problems than the cluster, for example because labels "
      "that differ by a letter no longer look alike: leave out --redact");
}

bool shows_timelines(OutputFormat format, bool asked) {
  switch (format) {
    case OutputFormat::Table:
    case OutputFormat::Markdown:
    case OutputFormat::Html: return asked;
    case OutputFormat::Wide:
    case OutputFormat::Json:
    case OutputFormat::Yaml: return true;
    case OutputFormat::Name:
    case OutputFormat::Junit:
    case OutputFormat::Sarif:
    case OutputFormat::Prometheus: return false;
  }
  return false;
}

}  // namespace

ProblemKinds problem_kinds(const fixes::Explanation& explanation) {
  ProblemKinds result;
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    result.emplace_back(problem.finding, static_cast<int>(problem.severity),
                        static_cast<int>(problem.action), problem.placements.size());
  }
  std::ranges::sort(result);
  return result;
}

redaction::Renamed redact(source::Snapshot& snapshot) {
  diagnosis::record_drivers_of_names(snapshot.cluster);
  redaction::Redacted result =
      redaction::redact({std::move(snapshot.cluster), std::move(snapshot.info),
                         std::move(snapshot.omissions), std::move(snapshot.warnings)});
  snapshot.cluster = std::move(result.cluster);
  snapshot.info = std::move(result.source);
  snapshot.omissions = std::move(result.omissions);
  snapshot.warnings = std::move(result.warnings);
  return std::move(result.renamed);
}

Question::Question(Reading reading)
    : Reading(std::move(reading)),
      reporter(std::make_unique<const diagnosis::Reporter>(snapshot.cluster, judged_by)) {}

render::Envelope Question::envelope() const {
  return {snapshot.info, snapshot.omissions, snapshot.warnings, changed,
          diagnosis::rules_taken(*reporter)};
}

namespace {

/// Selects nodes and prints what was odd and what was not read.
/// Errors: those of the selection; NotFound if none of the names exists.
base::Status complete(Reading& reading, OutputFormat format, Context& ctx) {
  std::vector<base::Error>& not_found = reading.not_found;
  if (reading.daemon_sets.empty() && !not_found.empty()) {
    const base::Error last = not_found.back();
    not_found.pop_back();
    finish(reading, ctx, ExitCode::Failed);
    return last;
  }
  auto selects = selected_nodes(reading);
  if (!selects) return selects.error();
  reading.selects = std::move(*selects);
  source::Snapshot& snapshot = reading.snapshot;
  std::ranges::move(diagnosis::invalid_quantities(snapshot.cluster),
                    std::back_inserter(snapshot.warnings));
  warn(ctx, snapshot.warnings);
  if (!is_for_people(format)) say_omissions(reading, ctx);
  return std::monostate();
}

}  // namespace

base::Result<Reading> read_from(source::ClusterSource& source, const std::string& ns,
                                const AnswerOptions& asked, OutputFormat format, Context& ctx,
                                Reads reads) {
  std::vector<std::string> faults;
  auto taints = taint_catalogue(asked.rules.taints_files, ctx.environment, faults);
  if (!taints) return taints.error();
  warn(ctx, faults);
  const fixes::WhatIf nothing;
  const Request request{asked,
                        reads,
                        ns,
                        nothing,
                        *taints ? **taints : diagnosis::TaintCatalogue::built_in(),
                        address_for(asked, {}, ctx)};
  auto reading = read(source, request, ctx);
  if (!reading) return reading.error();
  reading->taints = std::move(*taints);
  reading->snapshot.info.read = source::kind_counts(reading->snapshot.cluster);
  if (auto completed = complete(*reading, format, ctx); !completed) return completed.error();
  return reading;
}

base::Result<Reading> read_asked(const AnswerOptions& asked, const WhatIfOptions& what_if,
                                 OutputFormat format, Context& ctx, Reads reads) {
  const SourceOptions& from = asked.input.source;
  std::vector<std::string> faults;
  auto taints = taint_catalogue(asked.rules.taints_files, ctx.environment, faults);
  if (!taints) return taints.error();
  warn(ctx, faults);
  const auto opened = open_source(from, asked.scope.names, ctx);
  if (!opened) return opened.error();
  auto changes = read_changes(what_if, opened->manifest_ns, ctx);
  if (!changes) return changes.error();
  const std::string given_ns = looked_at(from, from.connection.ns);
  if (auto matches = check_namespace(changes->what_if.daemon_sets, given_ns); !matches) {
    return matches.error();
  }
  decode::NodeTemplates pools;
  const Request request{asked,
                        reads,
                        opened->ns,
                        changes->what_if,
                        *taints ? **taints : diagnosis::TaintCatalogue::built_in(),
                        address_for(asked, repeated_flags(what_if), ctx),
                        what_if.pools ? &pools : nullptr};
  auto reading = read(*opened->source, request, ctx);
  if (!reading) return with_commands_for_each(reading.error(), asked, ctx);
  reading->taints = std::move(*taints);
  if (what_if.pools) add_pools(std::move(pools.all()), reading->snapshot, changes->what_if);
  if (auto valid = check_manifest(changes->fields, what_if.validate.value, reading->snapshot);
      !valid) {
    return valid.error();
  }
  reading->snapshot.info.read = source::kind_counts(reading->snapshot.cluster);
  if (!changes->what_if.empty()) {
    auto changed = imagine(*reading, what_if.flags, changes->what_if);
    if (!changed) return changed.error();
    reading->changed = std::move(*changed);
    reading->changed->places = std::move(changes->fields.places());
  }
  if (auto completed = complete(*reading, format, ctx); !completed) return completed.error();
  if (is_document(format)) drop_folders(reading->snapshot);
  if (asked.redact) {
    if (auto redacted = redact(*reading); !redacted) return redacted.error();
  }
  return reading;
}

base::Result<std::unique_ptr<const Question>> ask(const AnswerOptions& asked,
                                                  const WhatIfOptions& what_if, OutputFormat format,
                                                  Context& ctx, Reads reads) {
  auto reading = read_asked(asked, what_if, format, ctx, reads);
  if (!reading) return reading.error();
  return std::make_unique<const Question>(std::move(*reading));
}

fixes::Explanation explanation_of(const Question& question, diagnosis::Attention attention,
                                  Context& ctx, const Shown& shown) {
  std::vector<std::string> warnings;
  add_user_config(ctx.environment, attention, warnings);
  warn(ctx, warnings);
  if (question.renames) {
    for (diagnosis::Accepted& each : attention.ignored) {
      each.root = question.renames(each.root);
      each.part = question.renames(each.part);
    }
  }
  fixes::Details details = {.groups = shown.groups, .suggestions = shown.suggestions};
  const bool of_some = !question.scope.names.empty() || !question.choice.labels.empty();
  if (!of_some && !question.changed && !shown.selection.alert) {
    constexpr std::chrono::minutes longest_read{1};
    details.missing_owners = {question.choice.ns};
    if (question.snapshot.info.kind == "cluster") {
      details.missing_owners->before = question.judged_by.now - longest_read;
    }
  }
  // A hypothetical cluster has no history.
  if (!question.changed && shows_timelines(shown.format, shown.timeline)) {
    using enum fixes::Details::Timelines;
    details.timelines = shown.by_class     ? OfDaemonSet
                        : shown.every_node ? OfEveryNode
                                           : OfWrongNodes;
  } else if (!question.changed && shown.format == OutputFormat::Html) {
    details.timelines = fixes::Details::Timelines::OfProblems;
  }
  fixes::Selection selection = shown.selection;
  if (!selection.selects) selection.selects = question.selects;
  fixes::Explanation result =
      fixes::explain(*question.reporter, question.daemon_sets, attention, details, selection);
  if (question.changed) {
    fixes::fit_to_cluster(result, question.daemon_sets, *question.changed);
  }
  return result;
}

void say_omissions(const Reading& reading, Context& ctx) {
  for (const std::string& sentence : render::omission_sentences(reading.snapshot.omissions)) {
    ctx.err << base::shortened_line(sentence) << "\n";
  }
}

void say_nothing_found(const Question& question, OutputFormat format,
                       const render::Presentation& style, Context& ctx) {
  if (!question.daemon_sets.empty() || question.scope.ignore_not_found) return;
  if (!is_for_people(format)) return;
  const std::string& ns = question.choice.ns;
  if (!ns.empty()) {
    ctx.err << fmt::format("No resources found in {} namespace.\n", base::shortened_line(ns));
  } else {
    ctx.err << "No resources found\n";
  }
  ctx.err << render::omission_lines(question.snapshot.omissions, style);
}

std::optional<base::Error> no_daemon_set_read(const Question& question) {
  const bool asked = question.not_found.empty() && !question.scope.ignore_not_found;
  const bool known = question.snapshot.cluster.known.daemon_sets;
  if (!asked || known || !question.daemon_sets.empty()) return {};
  return base::Error{base::ErrorKind::NotFound, "",
                     "no DaemonSet was read: the input has no complete list of DaemonSets"};
}

ExitCode finish(const Reading& reading, Context& ctx, ExitCode otherwise) {
  ExitCode code = otherwise;
  for (const base::Error& error : reading.not_found) code = fail(ctx, error);
  return code;
}

}  // namespace dsdoctor::cmd
