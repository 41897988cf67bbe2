// SPDX-License-Identifier: Apache-2.0
#include "render/data/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/printable.h"
#include "base/text.h"
#include "render/data/json_parts.h"
#include "render/data/patch.h"
#include "render/data/yaml.h"
#include "render/words/alert_words.h"
#include "render/words/finding_text.h"
#include "render/words/message_text.h"
#include "render/words/reason_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

Json text_or_null(const std::optional<model::Text>& text) {
  return text ? Json(text->str()) : Json(nullptr);
}

Json to_json(const model::NodeSelectorRequirement& requirement) {
  Json values = Json::array();
  for (const model::Text& value : requirement.values) values.push_back(value.str());
  return {{"key", requirement.key.str()},
          {"operator", requirement.op.str()},
          {"values", std::move(values)}};
}

struct ReasonFields {
  Json& out;
  void operator()(const placement::NodeNameMismatch& r) const { out["want"] = r.want.str(); }
  void operator()(const placement::NodeSelectorMismatch& r) const {
    out["key"] = r.key.str();
    out["want"] = r.want.str();
    out["have"] = text_or_null(r.have);
  }
  void operator()(const placement::AffinityTermMismatch& r) const {
    out["term"] = r.term;
    out["requirement"] = to_json(*r.requirement);
    out["have"] = text_or_null(r.have);
    out["more"] = r.more;
  }
  void operator()(const placement::AffinityMatchesNothing&) const {}
  void operator()(const placement::UntoleratedTaint& r) const {
    out["taint"] = taint_json(r.taint);
  }
};

Json pod_json(const diagnosis::PodReport& pod) {
  return {{"name", pod.name.str()},
          {"phase", pod.phase.str()},
          {"ready", pod.ready},
          {"outdated", pod.outdated},
          {"terminating", pod.terminating}};
}

}  // namespace

Json findings_json(const std::vector<diagnosis::Finding>& findings, const Presentation& style) {
  return list_json(findings, [&](const auto& finding) { return to_json(finding, style); });
}

Json timeline_json(const std::optional<diagnosis::Timeline>& timeline) {
  Json result = Json::array();
  if (!timeline) return result;
  for (const diagnosis::TimelineEntry& entry : timeline->entries) {
    result.push_back({{"time", rfc3339(entry.time)},
                      {"object", entry.object},
                      {"field", entry.field},
                      {"text", entry.text},
                      {"upperBound", entry.upper_bound}});
  }
  return result;
}

Json node_json(const diagnosis::NodeReport& node, const Presentation& style) {
  Json pods = Json::array();
  for (const auto& pod : node.pods()) pods.push_back(pod_json(pod));
  Json reasons = Json::array();
  const diagnosis::ReasonsOfNode of_node = node.reasons();
  for (std::size_t i = 0; i < of_node.size(); ++i) {
    reasons.push_back(reason_json(of_node[i], node.known()[i]));
  }
  const auto known = [&](bool decided) {
    return node.node_known() ? Json(decided) : Json(nullptr);
  };
  Json result = {{"name", node.name.str()},
                 {"shouldRun", known(placement::should_run(node.decision()))},
                 {"shouldContinueRunning", known(placement::should_continue(node.decision()))},
                 {"verdict", to_string(node.verdict())},
                 {"pods", std::move(pods)},
                 {"reasons", std::move(reasons)},
                 {"findings", findings_json(node.findings(), style)},
                 {"timeline", timeline_json(node.timeline())}};
  return result;
}

Json nodes_json(const diagnosis::NodeReports& nodes, const Presentation& style) {
  return list_json(nodes, [&](const auto& node) { return node_json(node, style); });
}

Json evaluated_json(const diagnosis::EvaluatedCounts& evaluated) {
  const bool nodes = evaluated.nodes_known;
  const bool both = nodes && evaluated.pods_known;
  const model::DaemonSetCounts& counts = evaluated.counts;
  return {{"desiredNumberScheduled", count_json(nodes, counts.desired_number_scheduled)},
          {"currentNumberScheduled", count_json(both, counts.current_number_scheduled)},
          {"numberMisscheduled", count_json(both, counts.number_misscheduled)},
          {"numberReady", count_json(both, counts.number_ready)},
          {"numberAvailable", count_json(both, counts.number_available)},
          {"updatedNumberScheduled",
           count_json(both && evaluated.revision_known, counts.updated_number_scheduled)}};
}

Json to_json(const diagnosis::Finding& finding, const Presentation& style) {
  return {
      {"id", finding.name()},
      {"severity", to_string(finding.severity)},
      {"message", text_of(finding.message)},
      {"evidence", evidence_json(finding.evidence)},
      {"fix", fix_json(finding.fix, style)},
      {"standing", to_string(finding.standing)},
      {"basis", to_string(finding.basis)},
      {"transient", finding.transient},
      {"overdueSince", finding.overdue_since ? Json(base::rfc3339_seconds(*finding.overdue_since))
                                             : Json(nullptr)}};
}

Json reason_json(const placement::Reason& reason, const model::KnownTaint* known) {
  Json result = {{"kind", kind_of(reason)}};
  std::visit(ReasonFields{result}, reason);
  result["path"] = path_of(reason);
  result["message"] = sentence(reason);
  if (std::holds_alternative<placement::UntoleratedTaint>(reason)) {
    result["meaning"] = known == nullptr ? "" : known->meaning.str();
    result["setBy"] = known == nullptr ? "" : known->set_by.str();
    result["lifecycle"] = known == nullptr ? std::string_view() : to_string(known->lifecycle);
  }
  return result;
}

Json effect_json(const fixes::Effect& effect, const diagnosis::EvaluatedCounts& today) {
  const auto counted = [&](const fixes::PlacementCounts& counts) -> Json {
    return {
        {"desiredNumberScheduled", count_json(today.nodes_known, counts.desired_number_scheduled)},
        {"numberMisscheduled",
         count_json(today.nodes_known && today.pods_known, counts.number_misscheduled)}};
  };
  return {{"before", counted(effect.before)}, {"after", counted(effect.after)}};
}

Json count_json(bool is_known, std::int64_t count) {
  return is_known ? Json(count) : Json(nullptr);
}

Json names_json(const std::vector<model::Text>& texts) {
  Json result = Json::array();
  for (const model::Text& text : texts) result.push_back(text.str());
  return result;
}

Json suggestion_json(const diagnosis::DaemonSetReport& report, const fixes::Suggestion& suggestion,
                     const Presentation& style) {
  Json tolerations = Json::array();
  for (const auto& toleration : suggestion.change.added)
    tolerations.push_back(toleration_json(toleration));
  const auto command = suggestion.of_manifest
                           ? std::nullopt
                           : patch_command(report.ns, report.name, suggestion, style);
  return {{"id", suggestion.id},
          {"tolerations", std::move(tolerations)},
          {"nodes", names_json(suggestion.effect.gained)},
          {"effect", effect_json(suggestion.effect, report.evaluated)},
          {"recommended", suggestion.recommended},
          {"advised", to_string(suggestion.advised)},
          {"purpose", text_of(suggestion.purpose)},
          {"risk", text_of(suggestion.risk)},
          {"restartedPods",
           suggestion.restarted_pods ? Json(*suggestion.restarted_pods) : Json(nullptr)},
          {"patch", json_patch(suggestion)},
          {"command", command ? Json(*command) : Json(nullptr)}};
}

Json rules_json(const diagnosis::RulesTaken& rules) {
  Json gates = Json::array();
  for (const diagnosis::GateSetting& gate : rules.gates) {
    std::vector<diagnosis::Evidence> evidence;
    if (gate.evidence) evidence.push_back(*gate.evidence);
    gates.push_back({{"name", gate.gate},
                     {"enabled", gate.enabled},
                     {"source", to_string(gate.source)},
                     {"assumed", gate.is_assumed()},
                     {"message", text_of(gate.reason)},
                     {"evidence", evidence_json(evidence)}});
  }
  const model::ClusterRelease& of = rules.release;
  return {{"release", full_text(of.release)},
          {"source", to_string(of.source)},
          {"newestKnown", full_text(model::newest_known_release)},
          {"newerThanKnown", is_newer_than_known(of)},
          {"message", release_text(of)},
          {"featureGates", std::move(gates)}};
}

Json start_document(std::string_view kind, const Envelope& envelope) {
  const model::SourceInfo& source = envelope.source;
  Json omissions = Json::array();
  for (const model::Omission& omission : envelope.omissions) {
    omissions.push_back({{"resource", omission.resource},
                         {"namespace", omission.ns},
                         {"reason", omission.reason},
                         {"message", base::limited(omission.message)},
                         {"consequence", omission.consequence}});
  }
  Json warnings = Json::array();
  for (const model::Warning& warning : envelope.warnings) {
    warnings.push_back(
        {{"where", base::limited(warning.where)}, {"message", base::limited(warning.what)}});
  }
  Json read = Json::object();
  for (const model::KindCount& count : source.read) {
    read[std::string(count.resource)] = count.objects ? Json(*count.objects) : Json(nullptr);
  }
  Json document = {{"apiVersion", "dsdoctor/v1"},
                   {"kind", kind},
                   {"source",
                    {{"kind", source.kind},
                     {"context", source.context},
                     {"server", source.server},
                     {"serverVersion", source.server_version},
                     {"paths", source.paths},
                     {"readAt", rfc3339(source.read_at)},
                     {"savedFrom", source.saved_from},
                     {"asOf", source.as_of ? Json(rfc3339(*source.as_of)) : Json(nullptr)},
                     {"read", std::move(read)},
                     {"rules", rules_json(envelope.rules)}}},
                   {"omissions", std::move(omissions)},
                   {"warnings", std::move(warnings)}};
  if (envelope.what_if) document["whatIf"] = what_if_json(*envelope.what_if);
  return document;
}

Json alert_json(const diagnosis::AlertReport& report) {
  Json values = Json::object();
  for (const diagnosis::AlertTerm& term : report.terms) {
    values[term.left] = term.left_value;
    if (!term.right.empty()) values[term.right] = term.right_value;
  }
  std::string message = alert_message(report);
  for (const std::string& sentence : clearing_sentences(report)) message += "; " + sentence;
  // Prometheus waits: an alert whose condition holds is pending before it fires.
  const std::optional<bool> fires = report.holds ? diagnosis::fires_already(report) : false;
  return {
      {"name", to_string(report.alert)},
      {"holds", report.holds},
      {"fires", fires ? Json(*fires) : Json(nullptr)},
      {"expression", expression_of(report.alert)},
      {"for", fmt::format("{}m", diagnosis::window_of(report.alert).count())},
      {"values", std::move(values)},
      {"since", report.since ? Json(rfc3339(*report.since)) : Json(nullptr)},
      {"findings", report.findings},
      {"clearsByItself", report.clears_by_itself ? Json(*report.clears_by_itself) : Json(nullptr)},
      {"message", std::move(message)}};
}

Json taint_json(const model::Taint& taint) {
  return {{"key", taint.key.str()}, {"value", taint.value.str()}, {"effect", taint.effect.str()}};
}

Json workload_json(const diagnosis::Workload& workload) {
  return {{"kind", to_string(workload.kind)}, {"because", workload.because}};
}

std::string notation_of(const Json& value) {
  return base::with_hidden_escaped(value.dump(4, ' ', false, Json::error_handler_t::replace),
                                   base::Notation::Json);
}

Json to_json(const fixes::Explanation& explanation,
             const std::vector<diagnosis::PlacementDiff>& diffs, const Envelope& envelope,
             const Presentation& style) {
  Json document = start_document("NodeDiff", envelope);
  document["problems"] = problems_json(explanation, style);
  document["daemonSets"] = sorted_by_name(diffs, [&](const diagnosis::PlacementDiff& diff) {
    return Json{{"namespace", diff.ns.str()},
                {"name", diff.name.str()},
                {"missing", nodes_json(diff.missing, style)},
                {"unexpected", nodes_json(diff.unexpected, style)},
                {"lost", nodes_json(diff.lost, style)},
                {"agreeing", diff.agreeing},
                {"unknown", diff.unknown},
                {"unbound", diff.unbound},
                {"unwell", diff.unwell + diff.ending}};
  });
  return document;
}

std::string json_text(const Json& document) { return notation_of(document) + "\n"; }

}  // namespace dsdoctor::render
