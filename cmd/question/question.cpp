#include "question/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "advice/live_patch.h"
#include "base/printable.h"
#include "base/time.h"
#include "diagnosis/evidence/invalid_quantities.h"
#include "diagnosis/needs.h"
#include "line/feature_gates.h"
#include "placement/namespace_selector.h"
#include "question/named.h"
#include "question/selection.h"
#include "question/taints_files.h"
#include "question/user_files.h"
#include "question/what_if.h"
#include "render/words/text_parts.h"

namespace dsdoctor::cmd {
namespace {

/// What the options say, before anything is read.
struct Request {
  Requirements labels;  // of DaemonSets
  placement::FeatureGates gates;
  std::unique_ptr<const diagnosis::TaintCatalogue> taints;
  advice::WhatIf what_if;
  model::OptionalTime now;  // --now
};

base::Result<Request> parse(const AnswerOptions& options, Context& ctx) {
  auto labels = parse_selector(options.selector, "--selector");
  if (!labels) return labels.error();
  const auto node_labels = parse_selector(options.node_selector, "--node-selector");
  if (!node_labels) return node_labels.error();  // else only once all was read
  auto gates = parse_feature_gates(options.feature_gates);
  if (!gates) return gates.error();
  std::vector<std::string> warnings;
  auto taints = taint_catalogue(options.taints_files, ctx.environment, warnings);
  if (!taints) return taints.error();
  warn(ctx, warnings);
  auto what_if = parse_what_if(options.what_if);
  if (!what_if) return what_if.error();
  model::OptionalTime now;
  if (!options.source.now.empty()) {
    now = base::parse_rfc3339(options.source.now);
    if (!now) {
      return base::usage_error(fmt::format(
          "--now \"{}\": expected a time like 2006-01-02T15:04:05Z", options.source.now));
    }
  }
  return Request{std::move(*labels), *gates, std::move(*taints), std::move(*what_if), now};
}

/// Who brings a manifest and names nothing asks about the manifest.
bool asks_about_manifest(const AnswerOptions& options, const advice::WhatIf& what_if) {
  return options.names.empty() && options.selector.empty() && !options.all_namespaces &&
         !what_if.daemon_sets.empty();
}

/// As kubectl apply -n does. `ns` is the one that was given; empty: none.
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

/// DaemonSets of one name may be in several namespaces.
void keep_those_of(const std::vector<model::DaemonSet>& manifest,
                   std::vector<const model::DaemonSet*>& picked) {
  const auto full_name = [](const model::DaemonSet& ds) {
    return std::pair(ds.meta.ns.view(), ds.meta.name.view());
  };
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const model::DaemonSet& ds : manifest) names.insert(full_name(ds));
  std::erase_if(picked,
                [&](const model::DaemonSet* ds) { return !names.contains(full_name(*ds)); });
}

/// What has to be read.
source::Query query_for(const AnswerOptions& options, const std::string& ns, Reads reads,
                        const advice::WhatIf& what_if) {
  source::Query query;
  query.ns = ns;
  for (const ObjectName& name : options.names) {
    if (name.type != ObjectType::Node) query.names.push_back(name.name);
  }
  if (asks_about_manifest(options, what_if)) {
    query.ns = common_namespace(what_if.daemon_sets);
    for (const auto& ds : what_if.daemon_sets) query.names.push_back(ds.meta.name.str());
  }
  query.selector = options.selector;
  query.pods = reads.pods;
  if (reads.one_node && what_if.empty()) query.node = options.names.front().name;
  query.revisions = reads.revisions;
  return query;
}

/// Reads what is asked about, and fills in `query`. In `options` and `reads` the DaemonSet or node
/// takes the place of a name that stands for it, which is said on stderr.
base::Result<source::Snapshot> read_asked(AnswerOptions& options, Reads& reads,
                                          const advice::WhatIf& what_if, const Opened& opened,
                                          source::Query& query, Context& ctx) {
  source::ClusterSource& source = *opened.source;
  query = query_for(options, opened.ns, reads, what_if);
  if (!source.has_more()) query.node.clear();  // files are read as a whole
  const bool follows = reads.follows && options.names.size() == 1 && !query.names.empty();
  if (!follows) return source.load(query);
  const ObjectName name = options.names.front();
  query.pod_names = name.type == ObjectType::Pod ? source::Query::PodNames::All
                                                 : source::Query::PodNames::Perhaps;
  auto snapshot = source.load(query);
  if (!snapshot) return snapshot;
  const auto meant = meant_by(name, query.ns, snapshot->cluster);
  if (!meant) return meant.error();
  if (meant->note.empty()) return snapshot;
  ctx.err << "note: " << base::shortened_line(meant->note) << "\n";
  options.names = {meant->object};
  if (meant->object.type == ObjectType::DaemonSet) {
    query.ns = meant->ns;
    query.names = {meant->object.name};
    const bool there = model::find_node(snapshot->cluster, meant->node) != nullptr;
    if (options.nodes.empty() && there) options.nodes = {meant->node};
    return snapshot;
  }
  reads.one_node = true;
  query = query_for(options, options.all_namespaces ? "" : options.source.connection.ns, reads,
                    what_if);
  if (source.has_more()) return source.load(query);
  query.node.clear();
  return snapshot;
}

/// What was read, and how it is judged, before anything is picked.
std::unique_ptr<Question> question_about(source::Snapshot snapshot, const source::Query& query,
                                         Request& request, const Context& ctx) {
  auto question = std::make_unique<Question>();
  question->snapshot = std::move(snapshot);
  placement::set_namespace_selectors(question->snapshot.cluster);
  // What this question does not look at is missed by nobody.
  std::erase_if(question->snapshot.omissions, [&](const model::Omission& omission) {
    return (!query.pods && omission.resource == "pods") ||
           (!query.revisions && omission.resource == "controllerrevisions");
  });
  question->ns = query.ns;
  question->taints = std::move(request.taints);
  const model::Cluster& cluster = question->snapshot.cluster;
  diagnosis::ReportOptions report;
  report.gates = gates_for(request.gates, cluster.version);
  report.named = !query.names.empty();
  report.pods_of_node = query.node;
  if (question->taints) report.taints = question->taints.get();
  // A snapshot is as old as it was when it was read, files have their own clock, and the demo tells
  // of one moment.
  model::SourceInfo& info = question->snapshot.info;
  if (request.now) info.as_of = request.now;
  report.now = info.kind == "cluster" && !info.as_of ? ctx.now() : info.moment();
  question->reporter = std::make_unique<diagnosis::Reporter>(cluster, std::move(report));
  return question;
}

/// An answer about one node, or about nodes that are to be added, sums up what runs there.
bool tells_the_cost(const AnswerOptions& options, Reads reads) {
  const bool one_node = options.names.size() == 1 && options.names[0].type == ObjectType::Node;
  return reads.pods && (one_node || !options.what_if.add_node.empty());
}

/// Null: every node.
std::function<bool(const model::Node&)> asked_nodes(const AnswerOptions& options,
                                                    const source::Snapshot& snapshot) {
  if (options.names.size() == 1 && options.names[0].type == ObjectType::Node) {
    return
        [name = options.names[0].name](const model::Node& node) { return node.meta.name == name; };
  }
  const auto filter = node_filter(options, snapshot);
  return filter ? *filter : nullptr;  // what is wrong with it is said where the answer is made
}

/// Reads what the causes of what is wrong can be told from; nothing where all is well.
void load_details(Question& question, source::ClusterSource& source, const AnswerOptions& options,
                  Reads reads, const advice::Pick& pick) {
  if (!source.has_more()) return;
  const model::Cluster& cluster = question.snapshot.cluster;
  std::vector<diagnosis::DaemonSetReport> reports;
  for (const auto* ds : question.daemon_sets) reports.push_back(question.reporter->verdicts(*ds));
  model::DetailQuery needs =
      reads.everything ? diagnosis::everything_about(cluster, question.daemon_sets, reports)
                       : diagnosis::needs_of(cluster, question.daemon_sets, reports,
                                             {question.reporter->options().now,
                                              asked_nodes(options, question.snapshot)});
  // What admission adds to pods that are yet to be created counts where their cost is asked for.
  for (const model::DaemonSet* ds : question.daemon_sets) {
    if (!tells_the_cost(options, reads)) break;
    const model::Text& runtime_class = ds->pod_template.spec.runtime_class;
    if (!runtime_class.empty()) needs.runtime_classes.insert(runtime_class.str());
    needs.admission_namespaces.insert(ds->meta.ns.str());
  }
  if (options.timeline) {
    diagnosis::add_history_of(question.daemon_sets, needs);
    for (const ObjectName& name : options.names) {
      if (name.type == ObjectType::Node) needs.node_events.insert(name.name);
    }
  }
  source.load_details(question.snapshot, needs);
  placement::set_namespace_selectors(question.snapshot.cluster);
  question.reporter->forget();
  if (!needs.every_daemon_set) return;
  auto not_found = std::move(question.not_found);  // the same again
  question.daemon_sets = pick(cluster);
  question.not_found = std::move(not_found);
}

/// Puts what would be in the place of what is.
base::Status imagine(Question& question, const advice::WhatIf& what_if, const advice::Pick& pick,
                     source::ClusterSource& source, const AnswerOptions& options) {
  model::Cluster& cluster = question.snapshot.cluster;
  // What cannot be is said before anything more is read.
  if (auto possible = advice::with_changes(cluster, what_if); !possible) return possible.error();
  load_details(question, source, options, {}, pick);
  auto changed = advice::imagine(what_if, pick, {cluster, question.daemon_sets, question.reporter});
  if (!changed) return changed.error();
  changed->flags = flag_words(options.what_if);
  for (const std::string& name : changed->without_causes) {
    question.snapshot.warnings.push_back(
        {name, "the template has changed, so current causes are not shown"});
  }
  question.changed = std::move(*changed);
  return std::monostate();
}

bool shows_timelines(const AnswerOptions& options) {
  switch (options.format) {
    case OutputFormat::Table:
    case OutputFormat::Markdown:
    case OutputFormat::Html: return options.timeline;
    case OutputFormat::Wide:
    case OutputFormat::Json:
    case OutputFormat::Yaml: return true;
    case OutputFormat::Name:
    case OutputFormat::Junit:
    case OutputFormat::Prometheus: return false;
  }
  return false;
}

/// A namespace without DaemonSets may be one that does not exist; only then it is looked for,
/// unless something else is in it.
std::optional<base::Error> missing_namespace(Question& question, source::ClusterSource& source,
                                             const AnswerOptions& options) {
  const bool names_none = std::ranges::all_of(
      options.names, [](const auto& name) { return name.type == ObjectType::Node; });
  const bool asked_for_all = !question.ns.empty() && names_none;
  if (!asked_for_all || !question.daemon_sets.empty() || options.ignore_not_found) return {};
  source::Snapshot& snapshot = question.snapshot;
  auto not_found = namespace_not_found(snapshot.cluster, question.ns);
  if (not_found && source.has_more()) {
    const std::size_t omissions = snapshot.omissions.size();
    model::DetailQuery query;
    query.namespaces.insert(question.ns);
    source.load_details(snapshot, query);
    question.reporter->forget();
    for (std::size_t i = omissions; i < snapshot.omissions.size(); ++i) {
      snapshot.omissions[i].consequence = unread_namespace_text(question.ns);
    }
    question.ns_unread = !snapshot.cluster.known.namespaces;
    if (question.ns_unread) return {};
    not_found = namespace_not_found(snapshot.cluster, question.ns);
  }
  return not_found;
}

}  // namespace

render::Envelope Question::envelope() const {
  return {snapshot.info, snapshot.omissions, snapshot.warnings, changed};
}

base::Result<std::unique_ptr<Question>> ask(const AnswerOptions& given, Context& ctx, Reads reads) {
  AnswerOptions options = given;
  auto request = parse(options, ctx);
  if (!request) return request.error();
  auto opened = open_source(options, ctx);
  if (!opened) return opened.error();
  advice::WhatIf& what_if = request->what_if;
  const auto manifests = read_manifests(options.what_if, opened->manifest_ns, ctx, what_if);
  if (!manifests) return manifests.error();
  const std::string given_ns =
      options.all_namespaces ? std::string() : options.source.connection.ns;
  if (auto matches = check_namespace(what_if.daemon_sets, given_ns); !matches) {
    return matches.error();
  }

  source::Query query;
  auto snapshot = read_asked(options, reads, what_if, *opened, query, ctx);
  if (!snapshot) return snapshot.error();
  auto question = question_about(std::move(*snapshot), query, *request, ctx);
  question->names = options.names;
  question->nodes = options.nodes;
  const model::Cluster& cluster = question->snapshot.cluster;

  const render::Presentation style = style_for(options, ctx);
  const bool about_manifest = asks_about_manifest(options, what_if);
  const advice::Pick pick = [&](const model::Cluster& of) {
    Picked picked =
        pick_daemon_sets(of, question->ns, query.names, request->labels, question->snapshot, style);
    question->not_found = std::move(picked.not_found);
    if (about_manifest) keep_those_of(what_if.daemon_sets, picked.daemon_sets);
    return std::move(picked.daemon_sets);
  };
  question->daemon_sets = pick(cluster);
  if (auto missing = missing_namespace(*question, *opened->source, options);
      missing && what_if.empty()) {
    return *missing;
  }
  if (!what_if.empty()) {
    const auto imagined = imagine(*question, what_if, pick, *opened->source, options);
    if (!imagined) return imagined.error();
  }
  if (options.ignore_not_found) question->not_found.clear();
  if (question->daemon_sets.empty() && !question->not_found.empty()) {
    const base::Error last = question->not_found.back();
    question->not_found.pop_back();
    finish(*question, ctx, ExitCode::Failed);
    return last;
  }
  if (!question->changed) load_details(*question, *opened->source, options, reads, pick);

  auto filter = node_filter(options, question->snapshot);
  if (!filter) return filter.error();
  question->selects = std::move(*filter);
  std::vector<model::Warning>& warnings = question->snapshot.warnings;
  std::ranges::move(diagnosis::invalid_quantities(cluster), std::back_inserter(warnings));
  warn(ctx, warnings);
  if (!is_for_people(options.format)) say_omissions(*question, ctx);
  return question;
}

advice::Explanation explanation_of(const Question& question, const AnswerOptions& options,
                                   Context& ctx, const Shown& shown) {
  diagnosis::Attention attention = options.attention;
  std::vector<std::string> warnings;
  add_user_config(ctx.environment, attention, warnings);
  warn(ctx, warnings);
  advice::Details details = {shown.groups, shown.suggestions};
  if (shows_timelines(options) && !question.changed) {  // what would be has no past
    using enum advice::Details::Timelines;
    details.timelines = shown.every_node ? OfEveryNode : OfWrongNodes;
  }
  advice::Selection selection = shown.selection;
  if (!selection.selects) selection.selects = question.selects;
  advice::Explanation result =
      advice::explain(*question.reporter, question.daemon_sets, attention, details, selection);
  if (question.changed) {
    advice::fit_to_cluster(result, question.daemon_sets, *question.changed);
  }
  return result;
}

std::string unread_namespace_text(std::string_view ns) {
  return fmt::format("whether namespace {} exists is unknown", ns);
}

void say_omissions(const Question& question, Context& ctx) {
  for (const std::string& sentence : render::omission_sentences(question.snapshot.omissions)) {
    ctx.err << base::shortened_line(sentence) << "\n";
  }
}

void say_nothing_found(const AnswerOptions& options, const Question& question, Context& ctx) {
  if (!question.daemon_sets.empty() || options.ignore_not_found) return;
  if (!is_for_people(options.format)) return;
  if (!question.ns.empty()) {
    ctx.err << fmt::format("No resources found in {} namespace.\n",
                           base::shortened_line(question.ns));
  } else {
    ctx.err << "No resources found\n";
  }
  ctx.err << render::omission_lines(question.snapshot.omissions, style_for(options, ctx));
}

std::optional<base::Error> no_daemon_set_read(const Question& question,
                                              const AnswerOptions& options) {
  const bool asked = question.not_found.empty() && !options.ignore_not_found;
  const bool known = question.snapshot.cluster.known.daemon_sets;
  if (!asked || known || !question.daemon_sets.empty()) return {};
  return base::Error{base::ErrorKind::NotFound, "",
                     "no DaemonSet was read: the input has no complete list of DaemonSets"};
}

ExitCode finish(const Question& question, Context& ctx, ExitCode otherwise) {
  ExitCode code = otherwise;
  for (const base::Error& error : question.not_found) code = fail(ctx, error);
  return code;
}

}  // namespace dsdoctor::cmd
