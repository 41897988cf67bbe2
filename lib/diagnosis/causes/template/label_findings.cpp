// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/label_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/report/departure.h"
#include "diagnosis/report/eligibility.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

/// The writer of the label, or the one that may have removed it: node-feature-discovery rewrites
/// all feature labels.
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

/// Whether the pod's own template required the label.
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
  LabelFinder(const NodeCase& of, bool asked) : of_(of), asked_(asked) {
    if (of.report.verdict() != NodeVerdict::Excluded) return;
    loss_ = label_loss(of.node, of.of.ds, of.of.events);
  }

  std::vector<Finding> find() {
    for (const placement::Reason& reason : of_.report.reasons()) {
      if (const model::Text* key = label_of_reason(reason)) look_at(reason, *key);
    }
    if (of_.report.verdict() == NodeVerdict::Missing) newly_eligible();
    return std::move(findings_);
  }

 private:
  Finding& add(FindingKind kind, std::vector<Evidence> evidence) {
    findings_.push_back(make_finding(std::move(kind), std::move(evidence), names_of(of_)));
    return findings_.back();
  }

  [[nodiscard]] Evidence of_node(std::string path, std::string_view value) const {
    return {ref_of(of_.node), std::move(path), std::string(value)};
  }

  /// Whether the label has changed. A pod that is being removed was created while the label
  /// matched, if its template required the label; without such a pod only managedFields shows a
  /// change.
  [[nodiscard]] bool has_changed(std::string_view key,
                                 const std::optional<Attribution>& writer) const {
    if (of_.report.verdict() == NodeVerdict::Removing) {
      const auto& pods = of_.report.pods();
      return !std::ranges::all_of(pods, &PodReport::outdated) || pods.empty() ||
             std::ranges::any_of(of_.pods, [&](const auto* pod) { return asks_for(*pod, key); });
    }
    if (loss_) return true;
    const auto& created = of_.of.ds.meta.created;
    const bool later = writer && writer->not_later_than && created &&
                       *writer->not_later_than > *created &&
                       of_.of.facts.now() - *writer->not_later_than < std::chrono::hours(24);
    return later && of_.report.verdict() == NodeVerdict::Excluded && is_feature_writer(*writer);
  }

  [[nodiscard]] static bool is_feature_writer(const Attribution& writer) {
    return writer.manager == "nfd-master";
  }

  /// The writer of all feature labels did not necessarily write this one: only an earlier pod here
  /// shows that the node was eligible.
  [[nodiscard]] bool had_pod() const {
    if (loss_) return loss_->is_certain;
    if (!of_.report.pods().empty()) return true;
    const model::ObjectMeta& ds = of_.of.ds.meta;
    const std::string bound = " to " + of_.node.meta.name.str();
    return std::ranges::any_of(
        of_.of.facts.events_of_generated_pods(ds.ns, ds.name.str() + "-"),
        [&](const model::Event* event) {
          // The scheduler's event names the node only in its message.
          return event->host == of_.node.meta.name ||
                 (event->reason == "Scheduled" && event->message.view().ends_with(bound));
        });
  }

  /// Whether node-feature-discovery no longer lists the label among those it has set.
  [[nodiscard]] bool is_no_longer_listed(std::string_view key) const {
    return key.starts_with(feature_prefix) && !of_.node.feature_labels.empty() &&
           !is_listed(of_.node.feature_labels, key.substr(feature_prefix.size()));
  }

  void look_at(const placement::Reason& reason, std::string_view key) {
    auto writer = writer_of(of_.node, key);
    if (!writer && loss_ && loss_->writer != nullptr) {
      writer = Attribution{loss_->writer->manager, loss_->writer->operation, loss_->writer->time};
    }
    const model::Text* label = of_.node.meta.labels.find(key);
    std::vector<Evidence> evidence = {
        of_node(fmt::format("metadata.labels['{}']", key), label ? label->view() : "")};
    if (!has_changed(key, writer)) {
      if (!asked_) return;
      add(finding::NodeLabelExcluded{.reason = clause_of(reason)}, std::move(evidence)).group = key;
      return;
    }
    if (writer) {
      evidence.push_back(
          of_node(writer_path(of_.node.meta, *writer) + ".manager", writer->manager));
    }
    const bool not_listed = label == nullptr && is_no_longer_listed(key);
    if (not_listed) {
      evidence.push_back(of_node("metadata.annotations['nfd.node.kubernetes.io/feature-labels']",
                                 evidence_value(of_.node.feature_labels)));
    }
    if (loss_) evidence.push_back(event_evidence(*loss_->deletion));
    Finding& finding = add(
        finding::NodeLabelChanged{
            .deleted =
                loss_ ? model::OptionalTime(last_seen(*loss_->deletion)) : model::OptionalTime(),
            .deleted_pod = loss_ ? loss_->pod : std::string_view(),
            .it_is_there = label != nullptr,
            .it_was_removed = label == nullptr && loss_ && !writer,
            .its_node = loss_ ? of_.node.meta.name : model::Text(),
            .not_listed = not_listed,
            .reason = clause_of(reason),
            .writer = writer ? parameter::Phrases(phrase_of(*writer)) : parameter::Phrases()},
        std::move(evidence));
    finding.group = key;
    // A computed label can disappear and return; any other label was removed on purpose.
    if (!is_computed_label(key) && loss_) {
      finding.severity = Severity::Info;
      if (!loss_->is_certain) finding.basis = Basis::Suspected;
      return;
    }
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
    if (of_.of.facts.is_now_earliest()) return;
    const EligibleSince since = eligible_since(of_);
    const model::Time now = of_.of.facts.now();
    if (!since.time || now - *since.time > threshold::missing) return;
    const ObjectRef object = since.by_node ? ref_of(of_.node) : ref_of(of_.of.ds);
    add(finding::NodeNewlyEligible{.since = {since.time, now}},
        {Evidence(object, since.path, base::rfc3339_seconds(*since.time))})
        .transient = true;
  }

  const NodeCase& of_;
  bool asked_;
  std::optional<LabelLoss> loss_;  // of an excluded node
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> label_findings(const NodeCase& of, bool asked) {
  return LabelFinder(of, asked).find();
}

}  // namespace dsdoctor::diagnosis
