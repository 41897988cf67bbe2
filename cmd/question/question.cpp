#include "question/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "diagnosis/evidence/invalid_quantities.h"
#include "diagnosis/views/needs.h"
#include "line/feature_gates.h"
#include "question/selection.h"
#include "question/taints_files.h"
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
};

base::Result<Request> parse(const AnswerOptions& options, const Context& ctx) {
  auto labels = parse_selector(options.selector, "--selector");
  if (!labels) return labels.error();
  auto gates = parse_feature_gates(options.feature_gates);
  if (!gates) return gates.error();
  auto taints = taint_catalogue(options.taints_files, ctx.environment);
  if (!taints) return taints.error();
  auto what_if = parse_what_if(options.what_if);
  if (!what_if) return what_if.error();
  return Request{std::move(*labels), *gates, std::move(*taints), std::move(*what_if)};
}

/// What has to be read.
source::Query query_for(const AnswerOptions& options, const std::string& ns, Reads reads,
                        const advice::WhatIf& what_if) {
  source::Query query;
  query.ns = ns;
  for (const ObjectName& name : options.names) {
    if (name.type == ObjectType::DaemonSet) query.names.push_back(name.name);
  }
  // Who brings a manifest and names nothing asks about the manifest.
  if (options.names.empty() && options.selector.empty() && !options.all_namespaces &&
      !what_if.daemon_sets.empty()) {
    query.ns = common_namespace(what_if.daemon_sets);
    for (const auto& ds : what_if.daemon_sets) query.names.push_back(ds.meta.name.str());
  }
  query.selector = options.selector;
  query.pods = reads.pods;
  query.revisions = reads.revisions;
  return query;
}

/// What was read, and how it is judged, before anything is picked.
std::unique_ptr<Question> question_about(source::Snapshot snapshot, const source::Query& query,
                                         Request& request, const Context& ctx) {
  auto question = std::make_unique<Question>();
  question->snapshot = std::move(snapshot);
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
  if (question->taints) report.taints = question->taints.get();
  // A snapshot is as old as it was when it was read, and the demo tells of one moment.
  const model::SourceInfo& info = question->snapshot.info;
  const bool has_a_moment = info.kind == "snapshot" || info.kind == "demo";
  report.now = has_a_moment ? info.read_at : ctx.now();
  question->reporter = std::make_unique<diagnosis::Reporter>(cluster, std::move(report));
  return question;
}

/// An answer about one node, or about nodes that are to be added, sums up what runs there.
bool tells_the_cost(const AnswerOptions& options, Reads reads) {
  const bool one_node = options.names.size() == 1 && options.names[0].type == ObjectType::Node;
  return reads.pods && (one_node || !options.what_if.add_node.empty());
}

/// Reads what the causes of what is wrong can be told from; nothing where all is well.
void load_details(Question& question, source::ClusterSource& source, const AnswerOptions& options,
                  Reads reads) {
  if (!source.has_more()) return;
  const model::Cluster& cluster = question.snapshot.cluster;
  std::vector<diagnosis::DaemonSetReport> reports;
  for (const auto* ds : question.daemon_sets) reports.push_back(question.reporter->verdicts(*ds));
  model::DetailQuery needs =
      reads.everything ? diagnosis::everything_about(cluster, question.daemon_sets, reports)
                       : diagnosis::needs_of(cluster, question.daemon_sets, reports);
  // What admission adds to pods that are yet to be created counts where their cost is asked for.
  for (const model::DaemonSet* ds : question.daemon_sets) {
    if (!tells_the_cost(options, reads)) break;
    const model::Text& runtime_class = ds->pod_template.spec.runtime_class;
    if (!runtime_class.empty()) needs.runtime_classes.insert(runtime_class.str());
    needs.admission_namespaces.insert(ds->meta.ns.str());
  }
  source.load_details(question.snapshot, needs);
  question.reporter->forget();
}

/// Puts what would be in the place of what is.
base::Status imagine(Question& question, const advice::WhatIf& what_if, const advice::Pick& pick,
                     source::ClusterSource& source, const AnswerOptions& options) {
  model::Cluster& cluster = question.snapshot.cluster;
  // What cannot be is said before anything more is read.
  if (auto possible = advice::with_changes(cluster, what_if); !possible) return possible.error();
  load_details(question, source, options, {});
  auto changed = advice::imagine(what_if, pick, {cluster, question.daemon_sets, question.reporter});
  if (!changed) return changed.error();
  changed->flags = flag_words(options.what_if);
  for (const std::string& name : changed->without_causes) {
    question.snapshot.warnings.push_back(
        {name, "its template is another one, so that the causes of today are left out"});
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

}  // namespace

render::Envelope Question::envelope() const {
  return {snapshot.info, snapshot.omissions, snapshot.warnings, changed};
}

base::Result<std::unique_ptr<Question>> ask(const AnswerOptions& options, Context& ctx,
                                            Reads reads) {
  auto request = parse(options, ctx);
  if (!request) return request.error();
  auto opened = open_source(options, ctx);
  if (!opened) return opened.error();
  advice::WhatIf& what_if = request->what_if;
  const auto manifests = read_manifests(options.what_if, opened->manifest_ns, ctx, what_if);
  if (!manifests) return manifests.error();

  const source::Query query = query_for(options, opened->ns, reads, what_if);
  auto snapshot = opened->source->load(query);
  if (!snapshot) return snapshot.error();
  auto question = question_about(std::move(*snapshot), query, *request, ctx);
  const model::Cluster& cluster = question->snapshot.cluster;

  const render::Presentation style = style_for(options, ctx);
  const advice::Pick pick = [&](const model::Cluster& of) {
    return pick_daemon_sets(of, query.names, request->labels, style, *question);
  };
  question->daemon_sets = pick(cluster);
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
  if (!question->changed) load_details(*question, *opened->source, options, reads);

  auto filter = node_filter(options, cluster);
  if (!filter) return filter.error();
  question->reporter->options().selects = std::move(*filter);
  std::vector<model::Warning>& warnings = question->snapshot.warnings;
  std::ranges::move(diagnosis::invalid_quantities(cluster), std::back_inserter(warnings));
  warn(ctx, warnings);
  if (!is_for_people(options.format)) say_omissions(*question, ctx);
  return question;
}

advice::Explanation explanation_of(const Question& question, const AnswerOptions& options,
                                   bool every_node) {
  advice::Explanation result = advice::explain(*question.reporter, question.daemon_sets);
  if (shows_timelines(options) && !question.changed) {  // what would be has no past
    advice::add_timelines(result, *question.reporter, question.daemon_sets, every_node);
  }
  return result;
}

void say_omissions(const Question& question, Context& ctx) {
  for (const std::string& sentence : render::omission_sentences(question.snapshot.omissions)) {
    ctx.err << sentence << "\n";
  }
}

void say_nothing_found(const AnswerOptions& options, const Question& question, Context& ctx) {
  if (!question.daemon_sets.empty() || options.ignore_not_found) return;
  if (!is_for_people(options.format)) return;
  if (!question.ns.empty()) {
    ctx.err << fmt::format("No resources found in {} namespace.\n", question.ns);
  } else {
    ctx.err << "No resources found\n";
  }
  ctx.err << render::omission_lines(question.snapshot.omissions, style_for(options, ctx));
}

ExitCode finish(const Question& question, Context& ctx, ExitCode otherwise) {
  ExitCode code = otherwise;
  for (const base::Error& error : question.not_found) code = fail(ctx, error);
  return code;
}

}  // namespace dsdoctor::cmd
