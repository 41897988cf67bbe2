// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "diagnosis/catalogue/findings/daemonset.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/report/cases.h"
#include "placement/integers.h"

namespace dsdoctor::diagnosis {
namespace {

using model::DaemonSet;

constexpr std::string_view gate_name = "TaintTolerationComparisonOperators";
constexpr placement::FeatureGates gate_on{.taint_toleration_comparison_operators = true};

std::string_view on_or_off(bool enabled) { return enabled ? "on" : "off"; }

/// The first toleration that an API server accepts only while the gate is on; null if there is
/// none. A value that is not a canonical integer is never accepted.
const model::Toleration* comparing(const std::vector<model::Toleration>& tolerations) {
  const auto at = std::ranges::find_if(tolerations, [](const model::Toleration& toleration) {
    return (toleration.op == "Gt" || toleration.op == "Lt") &&
           placement::parse_canonical_integer(toleration.value);
  });
  return at == tolerations.end() ? nullptr : &*at;
}

/// Whether the object is from an API server, and not from a manifest.
bool is_stored(const model::ObjectMeta& meta) { return !meta.uid.empty() || meta.created; }

bool is_daemon_pod(const model::Pod& pod) {
  return pod.meta.controller && pod.meta.controller->kind == "DaemonSet";
}

/// "... spec.tolerations[0].operator: Unsupported value: "Gt": supported values: ..."
bool rejects_comparison(std::string_view message) {
  constexpr std::string_view what = ".operator: Unsupported value: \"";
  const std::size_t at = message.find(what);
  if (at == message.npos || message.find("tolerations[") == message.npos) return false;
  const std::string_view value = message.substr(at + what.size(), 3);
  return value == "Gt\"" || value == "Lt\"";
}

class ComparisonGate {
 public:
  ComparisonGate(const model::Cluster& cluster, const ReportOptions& options)
      : cluster_(cluster), options_(options), reporter_(cluster, options) {
    for (const DaemonSet& ds : cluster.daemon_sets) {
      if (comparing(ds.pod_template.tolerations) != nullptr) users_.push_back(&ds);
    }
  }

  [[nodiscard]] std::optional<GateSetting> setting(std::optional<bool> given) const {
    if (!given && users_.empty()) return {};
    const model::ClusterRelease of = model::release_of(cluster_);
    if (given.value_or(true) && of.source == model::ReleaseSource::Server &&
        !applies(model::ReleaseRule::ComparisonOperators, of.release)) {
      return made(false, GateSource::Release,
                  phrase::GateIsNotInRelease{.release = to_string(of.release)});
    }
    if (given) {
      return made(*given, GateSource::Override, phrase::GateIsGiven{.setting = on_or_off(*given)});
    }
    const Votes votes = votes_of_counters();
    if (votes.on != nullptr && votes.off == nullptr) return by_counters(*votes.on, true);
    if (votes.off != nullptr && votes.on == nullptr) return by_counters(*votes.off, false);
    GateSetting result = by_other_signs();
    if (votes.on != nullptr) {
      result.reason.notes.push_back(phrase::CountersContradict{.with_gate = ref_of(*votes.on),
                                                               .without_gate = ref_of(*votes.off)});
    }
    return result;
  }

 private:
  /// The first DaemonSets whose counters prove one of the settings; null if there is none.
  struct Votes {
    const DaemonSet* on = nullptr;
    const DaemonSet* off = nullptr;
  };

  static GateSetting made(bool enabled, GateSource source, Message reason,
                          std::optional<Evidence> evidence = {}) {
    return {gate_name, enabled, source, std::move(reason), std::move(evidence)};
  }

  [[nodiscard]] bool fits(const DaemonSet& ds, placement::FeatureGates gates) const {
    ReportOptions options = options_;
    options.gates = gates;
    options.selects = nullptr;
    options.completes = nullptr;
    options.diagnoses = false;
    const EvaluatedCounts evaluated = reporter_.report(ds, options).evaluated;
    const model::DaemonSetCounts& counts = evaluated.counts;
    if (counts.desired_number_scheduled != ds.reported.desired_number_scheduled) return false;
    return !evaluated.pods_known ||
           (counts.current_number_scheduled == ds.reported.current_number_scheduled &&
            counts.number_misscheduled == ds.reported.number_misscheduled);
  }

  /// The newest time at which the controller is known to have counted.
  [[nodiscard]] model::OptionalTime counted_at(const DaemonSet& ds) const {
    model::OptionalTime result = ds.meta.created;
    for (const model::FieldManager& manager : ds.meta.managers) {
      if (manager.subresource == "status") result = std::max(result, manager.time);
    }
    return result;
  }

  /// The newest time at which the controller is known to have worked.
  [[nodiscard]] model::OptionalTime worked_at() const {
    model::OptionalTime result;
    for (const model::Pod& pod : cluster_.pods) {
      if (is_daemon_pod(pod)) result = std::max(result, pod.meta.created);
    }
    return result;
  }

  /// Whether the counters include a node on which the gate decides. A controller that has stopped
  /// does not count new nodes; that must not be mistaken for a gate that is off.
  [[nodiscard]] bool is_settled(const DaemonSet& ds) const {
    const placement::Evaluator with(ds.pod_template, gate_on);
    const placement::Evaluator without(ds.pod_template, {});
    const model::OptionalTime counted = counted_at(ds);
    const model::OptionalTime worked = worked_at();
    return std::ranges::any_of(cluster_.nodes, [&](const model::Node& node) {
      if (with.decide(node) == without.decide(node)) return false;
      const auto writer = taints_writer(node);
      const model::OptionalTime changed =
          writer && writer->not_later_than ? writer->not_later_than : node.meta.created;
      if (!changed || (counted && *changed <= *counted)) return true;
      return worked && *changed <= *worked && options_.now - *changed >= threshold::counted;
    });
  }

  /// The setting that the DaemonSet's counters prove.
  [[nodiscard]] std::optional<bool> counted_with(const DaemonSet& ds) const {
    const bool observed = ds.observed_generation > 0 && ds.generation <= ds.observed_generation;
    if (!observed || ds.meta.deleted || !cluster_.nodes_known || !cluster_.all_nodes_known ||
        !is_settled(ds)) {
      return {};
    }
    const bool with = fits(ds, gate_on);
    if (with == fits(ds, {})) return {};
    return with;
  }

  [[nodiscard]] Votes votes_of_counters() const {
    Votes result;
    for (const DaemonSet* ds : users_) {
      const auto counted = counted_with(*ds);
      if (!counted) continue;
      const DaemonSet*& first = *counted ? result.on : result.off;
      if (first == nullptr) first = ds;
    }
    return result;
  }

  static GateSetting by_counters(const DaemonSet& ds, bool enabled) {
    const std::string desired = std::to_string(ds.reported.desired_number_scheduled);
    return made(
        enabled, GateSource::Counters,
        phrase::GateFitsCounters{.desired = desired,
                                 .misscheduled = std::to_string(ds.reported.number_misscheduled),
                                 .object = ref_of(ds),
                                 .setting = on_or_off(enabled)},
        Evidence(ref_of(ds), "status.desiredNumberScheduled", desired));
  }

  [[nodiscard]] GateSetting by_other_signs() const {
    if (auto rejected = by_rejection()) return *rejected;
    if (auto stored = by_stored_object()) return *stored;
    return made(false, GateSource::Default, gate_by_default());
  }

  /// A pod that the API server accepted later proves the opposite.
  [[nodiscard]] std::optional<GateSetting> by_rejection() const {
    model::OptionalTime accepted;
    for (const model::Pod& pod : cluster_.pods) {
      if (pod.meta.created && comparing(*pod.tolerations) != nullptr) {
        accepted = std::max(accepted, pod.meta.created);
      }
    }
    for (const model::Event& event : cluster_.events) {
      if (event.reason != "FailedCreate" || !rejects_comparison(event.message)) continue;
      const model::OptionalTime at = event.last ? event.last : event.first;
      if (accepted && at && *at <= *accepted) continue;
      return made(false, GateSource::Rejection, phrase::GateIsOffInApiServer{},
                  event_evidence(event));
    }
    return {};
  }

  [[nodiscard]] std::optional<GateSetting> by_stored_object() const {
    for (const DaemonSet* ds : users_) {
      if (!is_stored(ds->meta)) continue;
      const std::vector<model::Toleration>& tolerations = ds->pod_template.tolerations;
      const model::Toleration* by = comparing(tolerations);
      return made(true, GateSource::StoredObject,
                  phrase::GateLetObjectBeStored{.object = ref_of(*ds), .op = by->op},
                  Evidence(ref_of(*ds),
                           fmt::format("spec.template.spec.tolerations[{}].operator",
                                       by - tolerations.data()),
                           by->op.str()));
    }
    return {};
  }

  const model::Cluster& cluster_;
  const ReportOptions& options_;
  Reporter reporter_;
  std::vector<const DaemonSet*> users_;
};

}  // namespace

std::optional<GateSetting> comparison_gate(const model::Cluster& cluster,
                                           const ReportOptions& options,
                                           std::optional<bool> given) {
  return ComparisonGate(cluster, options).setting(given);
}

void set_gates(const model::Cluster& cluster, std::optional<bool> given, ReportOptions& options) {
  options.comparison_gate = comparison_gate(cluster, options, given);
  options.gates.taint_toleration_comparison_operators =
      options.comparison_gate && options.comparison_gate->enabled;
}

RulesTaken rules_taken(const Reporter& reporter) {
  RulesTaken result{model::release_of(reporter.cluster()), {}};
  if (const auto& gate = reporter.options().comparison_gate) result.gates.push_back(*gate);
  return result;
}

}  // namespace dsdoctor::diagnosis
