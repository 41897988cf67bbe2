// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/controller/controller_behaviour.h"
#include "diagnosis/controller/gate_setting.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/daemon_set_events.h"
#include "diagnosis/evidence/facts.h"
#include "diagnosis/providers/provider.h"
#include "diagnosis/report/report.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "model/cluster.h"
#include "placement/feature_gates.h"

/// Input of the families of findings. A case has references to data of its creator and must not be
/// stored.
namespace dsdoctor::diagnosis {

/// A DaemonSet. `report` is complete except for findings.
struct DaemonSetCase {
  const model::DaemonSet& ds;
  const Facts& facts;
  const ControllerBehaviour& behaviour;
  const PodIndex::Claimed& claimed;
  const std::vector<const model::Pod*>& lost;  // pods whose target node is unknown
  const TemplateRevision& revision;
  const DaemonSetReport& report;
  placement::FeatureGates gates;
  const TaintCatalogue* taints = &TaintCatalogue::built_in();  // never null
  std::optional<GateSetting> comparison_gate = {};             // as in ReportOptions
  const DaemonSetEvents events{ds, facts};
  const ContainerStarts starts = {};
  const Providers* providers = nullptr;  // null: which pods wait for others is not examined
};

/// A DaemonSet on a node.
struct NodeCase {
  const DaemonSetCase& of;
  const model::Node& node;
  const std::vector<const model::Pod*>& pods;  // in representative order; may be empty
  NodeReport report;                           // without findings
};

[[nodiscard]] inline CaseNames names_of(const DaemonSetCase& c, std::string_view pod = {}) {
  return {.ns = c.ds.meta.ns, .ds = c.ds.meta.name, .pod = pod};
}
[[nodiscard]] inline CaseNames names_of(const NodeCase& c, std::string_view pod = {}) {
  return {c.of.ds.meta.ns, c.of.ds.meta.name, c.node.meta.name, pod};
}

/// Minimum durations before a condition is reported, and maximum ages of evidence.
namespace threshold {
using namespace std::chrono_literals;
inline constexpr std::chrono::seconds new_node = 120s;
inline constexpr std::chrono::seconds missing = creating_slack;
inline constexpr std::chrono::seconds pending = 60s;
inline constexpr std::chrono::seconds requeue = 300s;      // retry of unschedulable pods
inline constexpr std::chrono::seconds acknowledged = 60s;  // bound, but no startTime
inline constexpr std::chrono::seconds preparing = 60s;     // volumes, sandbox, image
inline constexpr std::chrono::seconds creating = 300s;
// Twice the maximum back-off of a kubelet (configurations can only lower it), for its own delays.
inline constexpr std::chrono::seconds restart = 600s;
inline constexpr std::chrono::seconds ready_slack = 60s;  // beyond the probes' own budget
inline constexpr std::chrono::seconds rollout = 900s;
inline constexpr std::chrono::days parked{14};  // outdated pods that nobody deletes
inline constexpr std::chrono::seconds failed_pod_backoff = 900s;  // maximum, until the next pod
inline constexpr std::chrono::seconds terminating = 60s;          // after the deletionTimestamp
inline constexpr std::chrono::seconds startup_taint = 600s;
inline constexpr std::chrono::seconds counted = 30s;  // until status shows a change
inline constexpr std::chrono::seconds clock_skew = 30s;
inline constexpr std::chrono::seconds events = 3600s;  // default retention of the API server
}  // namespace threshold

}  // namespace dsdoctor::diagnosis
