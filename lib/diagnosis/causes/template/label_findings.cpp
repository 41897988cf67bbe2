#include "diagnosis/causes/template/label_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/eligibility.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

/// The label that a reason is about; null for reasons that are about something else.
const model::Text* label_of(const placement::Reason& reason) {
  if (const auto* r = std::get_if<placement::NodeSelectorMismatch>(&reason)) return &r->key;
  const auto* r = std::get_if<placement::AffinityTermMismatch>(&reason);
  return r != nullptr && !r->in_fields && !r->fault ? &r->requirement->key : nullptr;
}

/// Who wrote the label, or may have removed it: what maintains feature labels rewrites them all.
std::optional<Attribution> writer_of(const model::Node& node, std::string_view key) {
  if (auto writer = label_writer(node.meta, key)) return writer;
  if (!is_computed_label(key)) return std::nullopt;
  for (const model::FieldManager& entry : node.meta.managers) {
    if (entry.manager == "nfd-master")
      return Attribution{entry.manager, entry.operation, entry.time};
  }
  return std::nullopt;
}

bool is_listed(std::string_view list, std::string_view feature) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == feature) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

/// The pod's own template asked for the label.
bool asks_for(const model::Pod& pod, std::string_view key) {
  if (pod.node_selector.find(key) != nullptr) return true;
  if (!pod.node_affinity) return false;
  return std::ranges::any_of(pod.node_affinity->terms, [&](const model::NodeSelectorTerm& term) {
    return std::ranges::any_of(term.match_expressions,
                               [&](const auto& required) { return required.key == key; });
  });
}

class LabelFinder {
 public:
  LabelFinder(const NodeCase& of, bool asked) : of_(of), asked_(asked) {}

  std::vector<Finding> find() {
    for (const placement::Reason& reason : of_.report.reasons()) {
      if (const model::Text* key = label_of(reason)) look_at(reason, *key);
    }
    if (of_.report.verdict() == NodeVerdict::Missing) newly_eligible();
    return std::move(findings_);
  }

 private:
  Finding& add(const FindingKind& kind, std::string message, std::vector<Evidence> evidence) {
    findings_.push_back(make_said_finding(kind, std::move(message), std::move(evidence), names_of(of_)));
    return findings_.back();
  }

  /// A pod that has to go was created when the label was right, if its template asked for the same;
  /// without one only the record of who wrote what tells.
  [[nodiscard]] bool has_changed(std::string_view key,
                                 const std::optional<Attribution>& writer) const {
    if (of_.report.verdict() == NodeVerdict::Removing) {
      const auto& pods = of_.report.pods();
      return !std::ranges::all_of(pods, &PodReport::outdated) || pods.empty() ||
             std::ranges::any_of(of_.pods, [&](const auto* pod) { return asks_for(*pod, key); });
    }
    const auto& created = of_.of.ds.meta.created;
    const bool later = writer && writer->not_later_than && created &&
                       *writer->not_later_than > *created &&
                       of_.of.facts.now() - *writer->not_later_than < std::chrono::hours(24);
    return later && of_.report.verdict() == NodeVerdict::Excluded && is_feature_writer(*writer);
  }

  [[nodiscard]] static bool is_feature_writer(const Attribution& writer) {
    return writer.manager == "nfd-master";
  }

  /// What writes all feature labels immediately need not have written this one: only a pod that was
  /// here shows that the node was eligible.
  [[nodiscard]] bool had_pod() const {
    if (!of_.report.pods().empty()) return true;
    const model::ObjectMeta& ds = of_.of.ds.meta;
    const std::string bound = " to " + of_.node.meta.name.str();
    return std::ranges::any_of(
        of_.of.facts.events_of_generated_pods(ds.ns, ds.name.str() + "-"),
        [&](const model::Event* event) {
          // The scheduler names the node in its message alone.
          return event->host == of_.node.meta.name ||
                 (event->reason == "Scheduled" && event->message.view().ends_with(bound));
        });
  }

  void look_at(const placement::Reason& reason, std::string_view key) {
    const auto writer = writer_of(of_.node, key);
    const std::string path =
        fmt::format("Node/{} metadata.labels[{}]", of_.node.meta.name.view(), key);
    if (!has_changed(key, writer)) {
      if (asked_) {
        add(FindingId::NodeLabelExcluded, fmt::format("{} does not match", clause_text(reason)),
            {path})
            .group = key;
      }
      return;
    }
    const bool there = of_.node.meta.labels.find(key) != nullptr;
    std::string message = fmt::format("{} no longer matches", clause_text(reason));
    std::vector<Evidence> evidence = {path};
    if (writer) {
      message += there ? fmt::format("; written by {}", to_string(*writer))
                       : fmt::format("; the label may have been removed by {}", to_string(*writer));
      evidence.push_back(fmt::format("Node/{} metadata.managedFields[{}]",
                                     of_.node.meta.name.view(), writer->manager.view()));
    }
    if (!there && key.starts_with(feature_prefix) && !of_.node.feature_labels.empty() &&
        !is_listed(of_.node.feature_labels, key.substr(feature_prefix.size()))) {
      message += "; node-feature-discovery no longer lists it for the node";
      evidence.push_back(
          fmt::format("Node/{} metadata.annotations[nfd.node.kubernetes.io/feature-labels]",
                      of_.node.meta.name.view()));
    }
    Finding& finding = add(FindingId::NodeLabelChanged, std::move(message), std::move(evidence));
    finding.group = key;
    // A label that is computed comes and goes; any other was taken away on purpose.
    if (!is_computed_label(key) && all_end_by_themselves(of_.pods, of_.of.facts)) {
      finding.severity = Severity::Info;
      finding.transient = true;
      finding.fix.clear();
      return;
    }
    if (had_pod()) return;
    finding.severity = Severity::Info;
    finding.basis = Basis::Suspected;
  }

  void newly_eligible() {
    const EligibleSince since = eligible_since(of_);
    const model::Time now = of_.of.facts.now();
    if (!since.time || now - *since.time > threshold::missing) return;
    Finding& finding = add(
        FindingId::NodeNewlyEligible,
        fmt::format("eligible since {1} ({0})", wording::span(now - *since.time),
                    format_utc(*since.time)),
        {since.by_node ? fmt::format("Node/{} {}", of_.node.meta.name.view(), since.field)
                       : fmt::format("DaemonSet/{} {}", of_.of.ds.meta.name.view(), since.field)});
    finding.transient = true;
  }

  const NodeCase& of_;
  bool asked_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> label_findings(const NodeCase& of, bool asked) {
  return LabelFinder(of, asked).find();
}

}  // namespace dsdoctor::diagnosis
