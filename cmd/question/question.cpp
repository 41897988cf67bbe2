#include "question/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/edit_distance.h"
#include "decode/objects/selector_syntax.h"
#include "diagnosis/causes/control/identity_findings.h"
#include "diagnosis/evidence/invalid_quantities.h"
#include "diagnosis/reporter.h"
#include "diagnosis/views/needs.h"
#include "line/feature_gates.h"
#include "placement/label_selector.h"
#include "question/taints_files.h"
#include "question/what_if.h"
#include "render/terminal/text_parts.h"
#include "render/words/finding_text.h"

namespace dsdoctor::cmd {
namespace {

using Requirements = std::vector<model::NodeSelectorRequirement>;

base::Result<Requirements> parse_selector(const std::string& text, const char* flag) {
  auto requirements = decode::parse_label_selector(text);
  if (requirements) return requirements;
  base::Error error = requirements.error();
  error.where = fmt::format("{} \"{}\", {}", flag, text, error.where);
  return error;
}

bool satisfies_all(const model::Labels& labels, const Requirements& requirements) {
  return std::ranges::all_of(requirements, [&](const auto& requirement) {
    return placement::satisfies(labels, requirement);
  });
}

std::vector<std::string> asked_names(const AnswerOptions& options) {
  std::vector<std::string> result;
  for (const ObjectName& name : options.names) {
    if (name.type == ObjectType::DaemonSet) result.push_back(name.name);
  }
  return result;
}

/// What is left of a DaemonSet that is gone, and how to get it back.
void add_remains(const model::Cluster& cluster, const std::string& ns, const std::string& name,
                 const render::Style& style, std::vector<std::string>& hints) {
  for (const diagnosis::Finding& finding : diagnosis::absence_findings(cluster, ns, name)) {
    hints.push_back(finding.message);
    for (render::FixLine& line : render::lines_of_fix(finding.fix, style)) {
      hints.push_back(std::move(line.text));
    }
  }
}

/// What to try instead: near names there, and namespaces where one of that name lives.
base::Error not_found(const std::string& name, const std::string& ns,
                      const source::Snapshot& snapshot, const render::Style& style) {
  std::vector<std::string> names_here;
  std::vector<std::string> hints;
  const auto consider = [&](std::string_view other_ns, std::string_view other_name) {
    if (ns.empty() || other_ns == ns) {
      names_here.emplace_back(other_name);
    } else if (other_name == name) {
      hints.push_back(fmt::format("there is one in namespace {}: -n {}", other_ns, other_ns));
    }
  };
  for (const auto& ds : snapshot.cluster.daemon_sets) consider(ds.meta.ns, ds.meta.name);
  for (const auto& [other_ns, other_name] : snapshot.other_daemon_sets) {
    consider(other_ns, other_name);
  }
  for (const std::string& near : base::near_words(name, names_here)) {
    hints.push_back(fmt::format("did you mean: {}", near));
  }
  add_remains(snapshot.cluster, ns, name, style, hints);
  const std::string place = ns.empty() ? "" : fmt::format(" in namespace \"{}\"", ns);
  return {base::ErrorKind::NotFound, "",
          fmt::format("daemonsets.apps \"{}\" not found{}", name, place), std::move(hints)};
}

void pick_daemon_sets(Question& question, const std::vector<std::string>& names,
                      const Requirements& selector, const render::Style& style) {
  const std::string& ns = question.ns;
  const auto& all = question.snapshot.cluster.daemon_sets;
  const auto in_scope = [&](const model::DaemonSet& ds) {
    return (ns.empty() || ds.meta.ns == ns) && satisfies_all(ds.meta.labels, selector);
  };
  if (names.empty()) {
    for (const auto& ds : all) {
      if (in_scope(ds)) question.daemon_sets.push_back(&ds);
    }
    return;
  }
  for (const std::string& name : names) {
    bool found = false;
    for (const auto& ds : all) {
      if (ds.meta.name != name || !in_scope(ds)) continue;
      question.daemon_sets.push_back(&ds);
      found = true;
    }
    if (!found) question.not_found.push_back(not_found(name, ns, question.snapshot, style));
  }
}

/// --node and --node-selector, both of which must hold.
base::Result<std::function<bool(const model::Node&)>> node_filter(const AnswerOptions& options,
                                                                  const Question& question) {
  using Filter = std::function<bool(const model::Node&)>;
  auto requirements = parse_selector(options.node_selector, "--node-selector");
  if (!requirements) return requirements.error();
  for (const std::string& name : options.nodes) {
    const auto node = find_node(question, name);
    if (!node) return node.error();
  }
  if (options.nodes.empty() && requirements->empty()) return Filter();
  Filter filter = [names = options.nodes, wanted = *requirements](const model::Node& node) {
    const bool named =
        names.empty() || std::ranges::find(names, node.meta.name.view()) != names.end();
    return named && satisfies_all(node.meta.labels, wanted);
  };
  // Of no node nothing can be said, least of all that it is well.
  const model::Cluster& cluster = question.snapshot.cluster;
  if (cluster.nodes_known && std::ranges::none_of(cluster.nodes, filter)) {
    return base::Error{
        base::ErrorKind::NotFound, "",
        fmt::format("no node{} matches --node-selector \"{}\"",
                    options.nodes.empty() ? "" : " of --node", options.node_selector)};
  }
  return filter;
}

/// What admission adds to pods that are yet to be created counts where their cost is asked for.
void add_needs_of_cost(const Question& question, model::DetailQuery& needs) {
  for (const model::DaemonSet* ds : question.daemon_sets) {
    const model::Text& runtime_class = ds->pod_template.spec.runtime_class;
    if (!runtime_class.empty()) needs.runtime_classes.insert(runtime_class.str());
    needs.admission_namespaces.insert(ds->meta.ns.str());
  }
}

/// An answer about one node, or about nodes that are to be added, sums up what runs there.
bool tells_the_cost(const AnswerOptions& options, Reads reads) {
  const bool one_node = options.names.size() == 1 && options.names[0].type == ObjectType::Node;
  return reads.pods && (one_node || !options.what_if.add_node.empty());
}

/// Reads what the causes of what is wrong can be told from; nothing where all is well.
void load_details(Question& question, source::ClusterSource& source, bool everything, bool cost) {
  if (!source.has_more()) return;
  diagnosis::ReportOptions survey = question.report;
  survey.diagnoses = false;
  model::DetailQuery needs;
  {
    const model::Cluster& cluster = question.snapshot.cluster;
    const diagnosis::Reporter reporter(cluster, survey);
    std::vector<diagnosis::DaemonSetReport> reports;
    for (const model::DaemonSet* ds : question.daemon_sets) reports.push_back(reporter.report(*ds));
    needs = everything ? diagnosis::everything_about(cluster, question.daemon_sets, reports)
                       : diagnosis::needs_of(cluster, question.daemon_sets, reports);
  }
  if (cost) add_needs_of_cost(question, needs);
  source.load_details(question.snapshot, needs);
}

std::vector<std::size_t> indices_of(const Question& question) {
  std::vector<std::size_t> result;
  result.reserve(question.daemon_sets.size());
  const model::DaemonSet* first = question.snapshot.cluster.daemon_sets.data();
  for (const model::DaemonSet* ds : question.daemon_sets) {
    result.push_back(static_cast<std::size_t>(ds - first));
  }
  return result;
}

/// What the changes mean for each DaemonSet that is asked about.
render::Changed changes(const Question& question, const model::Cluster& before,
                        const advice::WhatIf& what_if, const WhatIfOptions& flags) {
  diagnosis::ReportOptions survey = question.report;
  survey.diagnoses = false;
  const model::Cluster& after = question.snapshot.cluster;
  const diagnosis::Reporter then(before, survey);
  const diagnosis::Reporter now(after, survey);
  std::vector<diagnosis::DaemonSetReport> reports;
  reports.reserve(question.daemon_sets.size());
  render::Changed result;
  result.flags = flag_words(flags);
  for (const model::DaemonSet* ds : question.daemon_sets) {
    const auto old = std::ranges::find_if(before.daemon_sets, [&](const model::DaemonSet& other) {
      return other.meta.ns == ds->meta.ns && other.meta.name == ds->meta.name;
    });
    const bool is_new = old == before.daemon_sets.end();
    reports.push_back(now.report(*ds));
    std::optional<diagnosis::DaemonSetReport> was;
    if (!is_new) was = then.report(*old);
    result.consequences.push_back(advice::consequence(was ? &*was : nullptr, reports.back()));
    result.consequences.back().replaces_pods =
        !is_new && ds->update_strategy != "OnDelete" && old->pod_template != ds->pod_template;
  }
  std::vector<std::pair<const model::DaemonSet*, const diagnosis::DaemonSetReport*>> pairs;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    pairs.emplace_back(question.daemon_sets[i], &reports[i]);
  }
  for (const model::Node& node : what_if.nodes) {
    const model::Node* added = model::find_node(after, node.meta.name);
    result.added.push_back(diagnosis::load_of(after, *added, pairs));
  }
  return result;
}

/// What has to be read.
source::Query query_for(const AnswerOptions& options, const std::string& ns, Reads reads,
                        const advice::WhatIf& what_if) {
  source::Query query;
  query.ns = options.all_namespaces ? std::string() : ns;
  query.names = asked_names(options);
  // Who brings a manifest and names nothing asks about the manifest.
  if (query.names.empty() && options.names.empty() && options.selector.empty() &&
      !options.all_namespaces && !what_if.daemon_sets.empty()) {
    query.ns = common_namespace(what_if.daemon_sets);
    for (const auto& ds : what_if.daemon_sets) query.names.push_back(ds.meta.name.str());
  }
  query.selector = options.selector;
  query.pods = reads.pods;
  query.revisions = reads.revisions;
  return query;
}

/// What this question does not look at is missed by nobody.
void drop_idle_omissions(source::Snapshot& snapshot, Reads reads) {
  std::erase_if(snapshot.omissions, [&](const model::Omission& omission) {
    return (!reads.pods && omission.resource == "pods") ||
           (!reads.revisions && omission.resource == "controllerrevisions");
  });
}

/// Of whom an answer speaks.
struct Selection {
  const std::vector<std::string>& names;
  const Requirements& labels;
};

/// Puts what would be in the place of what is. Today's causes are kept where nothing changes: what
/// would be has no history to explain it by.
base::Status imagine(Question& question, const Selection& selection, source::ClusterSource& source,
                     const advice::WhatIf& what_if, const AnswerOptions& options,
                     const render::Style& style) {
  // What cannot be is said before anything more is read.
  if (auto possible = advice::with_changes(question.snapshot.cluster, what_if); !possible) {
    return possible.error();
  }
  pick_daemon_sets(question, selection.names, selection.labels, style);
  question.not_found.clear();
  load_details(question, source, false, tells_the_cost(options, {}));
  std::vector<diagnosis::DaemonSetReport> reports;
  {
    const diagnosis::Reporter today(question.snapshot.cluster, question.report);
    reports.reserve(question.daemon_sets.size());
    for (const auto* ds : question.daemon_sets) reports.push_back(today.report(*ds));
  }
  const model::Cluster before = std::move(question.snapshot.cluster);
  auto changed = advice::with_changes(before, what_if);
  if (!changed) return changed.error();
  question.snapshot.cluster = std::move(*changed);
  question.daemon_sets.clear();
  question.report.diagnoses = false;
  pick_daemon_sets(question, selection.names, selection.labels, style);
  advice::tolerate(question.snapshot.cluster, what_if.tolerations, indices_of(question));
  question.changed = changes(question, before, what_if, options.what_if);
  // Shared with the copies of the options that reporters keep.
  auto today =
      std::make_shared<const advice::Today>(before, question.snapshot.cluster, std::move(reports));
  for (const std::string& name : today->without_causes()) {
    question.snapshot.warnings.push_back(
        {name, "its template is another one, so that the causes of today are left out"});
  }
  question.report.completes = [today](diagnosis::DaemonSetReport& report) {
    today->complete(report);
  };
  return std::monostate();
}

/// What was read, and what is known about it before anything is picked.
Question question_about(source::Snapshot snapshot, const source::Query& query, Reads reads,
                        Context& ctx) {
  Question question;
  question.snapshot = std::move(snapshot);
  drop_idle_omissions(question.snapshot, reads);
  question.ns = query.ns;
  question.report.named = !query.names.empty();
  // A snapshot is as old as it was when it was read, and the demo tells of one moment.
  const model::SourceInfo& info = question.snapshot.info;
  const bool has_a_moment = info.kind == "snapshot" || info.kind == "demo";
  question.report.now = has_a_moment ? info.read_at : ctx.now();
  return question;
}

}  // namespace

render::Envelope Question::envelope() const {
  render::Envelope result{snapshot.info, snapshot.omissions, snapshot.warnings};
  if (changed) result.what_if = render::what_if_json(*changed);
  return result;
}

std::string Question::preamble(const render::Style& style) const {
  return changed ? render::what_if_text(*changed, style) + "\n" : std::string();
}

base::Result<Question> ask(const AnswerOptions& options, Context& ctx, Reads reads) {
  auto selector = parse_selector(options.selector, "--selector");
  if (!selector) return selector.error();
  auto gates = parse_feature_gates(options.feature_gates);
  if (!gates) return gates.error();
  auto taints = taint_catalogue(options.taints_files, ctx.environment);
  if (!taints) return taints.error();
  auto what_if = parse_what_if(options.what_if);
  if (!what_if) return what_if.error();
  auto opened = open_source(options, ctx);
  if (!opened) return opened.error();
  const auto manifests = read_manifests(options.what_if, opened->manifest_ns, ctx, *what_if);
  if (!manifests) return manifests.error();

  const source::Query query = query_for(options, opened->ns, reads, *what_if);
  auto snapshot = opened->source->load(query);
  if (!snapshot) return snapshot.error();

  Question question = question_about(std::move(*snapshot), query, reads, ctx);
  question.taints = std::move(*taints);
  if (question.taints) question.report.taints = question.taints.get();
  question.report.gates = gates_for(*gates, question.snapshot.cluster.version);
  const render::Style style = style_for(options, ctx);
  if (what_if->empty()) {
    pick_daemon_sets(question, query.names, *selector, style);
  } else {
    const auto imagined =
        imagine(question, {query.names, *selector}, *opened->source, *what_if, options, style);
    if (!imagined) return imagined.error();
  }
  if (options.ignore_not_found) question.not_found.clear();
  if (question.daemon_sets.empty() && !question.not_found.empty()) {
    for (std::size_t i = 0; i + 1 < question.not_found.size(); ++i) {
      fail(ctx, question.not_found[i]);
    }
    return question.not_found.back();
  }
  if (!question.changed) {
    load_details(question, *opened->source, reads.everything, tells_the_cost(options, reads));
  }
  auto filter = node_filter(options, question);
  if (!filter) return filter.error();
  question.report.selects = std::move(*filter);
  std::ranges::move(diagnosis::invalid_quantities(question.snapshot.cluster),
                    std::back_inserter(question.snapshot.warnings));
  warn(ctx, question.snapshot.warnings);
  if (!is_for_people(options.format)) say_omissions(question, ctx);
  return question;
}

base::Result<const model::Node*> find_node(const Question& question, const std::string& name) {
  const model::Cluster& cluster = question.snapshot.cluster;
  if (const model::Node* node = model::find_node(cluster, name)) return node;
  std::vector<std::string> names;
  for (const model::Node& node : cluster.nodes) names.push_back(node.meta.name.str());
  base::Error error{base::ErrorKind::NotFound, "", fmt::format("nodes \"{}\" not found", name)};
  for (const std::string& near : base::near_words(name, names)) {
    error.hints.push_back(fmt::format("did you mean: {}", near));
  }
  if (!cluster.nodes_known) error.hints.emplace_back("no node could be read at all");
  return error;
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
