// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/template/ahead_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/causes/template/computed_labels.h"
#include "diagnosis/causes/template/old_taint_keys.h"
#include "diagnosis/causes/template/toleration_seconds.h"
#include "diagnosis/rollout/rollout_replay.h"
#include "scheduling/host_ports.h"

namespace dsdoctor::diagnosis {
namespace {

/// The first port of a container that becomes a host port: "containers[0].ports[1]"; empty if it is
/// a sidecar's.
std::string path_of_first_port(const model::PodTemplate& pods) {
  const auto& containers = pods.spec.containers;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const auto& ports = containers[i].ports;
    const auto at = std::ranges::find_if(ports, [&](const model::ContainerPort& port) {
      return port.host_port > 0 || (pods.host_network && port.container_port > 0);
    });
    if (at == ports.end()) continue;
    return fmt::format("containers[{}].ports[{}]", i, at - ports.begin());
  }
  return {};
}

/// "80/TCP", or "10.0.0.1:80/TCP" for a port of one address.
std::string text_of(const scheduling::HostPort& port) {
  const std::string ip = port.ip == "0.0.0.0" ? "" : port.ip.str() + ":";
  return fmt::format("{}{}/{}", ip, port.port, port.protocol.view());
}

/// Reports that the next rolling update cannot start a pod because the old one holds its host port.
/// The API server accepts that: ValidateRollingUpdateDaemonSet, kubernetes v1.36.2,
/// pkg/apis/apps/validation/validation.go, does not see the template.
void check_surge(const DaemonSetCase& c, bool in_progress, std::vector<Finding>& findings) {
  if (!obstructs_own_surge(c.ds)) return;
  const auto& evaluated = c.report.evaluated;
  if (evaluated.nodes_known && evaluated.counts.desired_number_scheduled == 0) return;
  const model::PodTemplate& pods = c.ds.pod_template;
  std::vector<std::string> ports;
  for (const auto& port : scheduling::admitted_host_ports(pods.spec, pods.host_network)) {
    ports.push_back(text_of(port));
  }
  const auto is_declared = [](const model::Container& container) {
    return std::ranges::any_of(container.ports,
                               [](const auto& port) { return port.host_port > 0; });
  };
  const bool is_declared_anywhere = std::ranges::any_of(pods.spec.containers, is_declared) ||
                                    std::ranges::any_of(pods.spec.init_containers, is_declared);
  const std::string path = path_of_first_port(pods);
  const auto& surge = *c.ds.max_surge;
  findings.push_back(make_finding(
      finding::RolloutSurgePortAhead{.by_host_network = pods.host_network && !is_declared_anywhere,
                                     .in_progress = in_progress,
                                     .ports = ports},
      {Evidence(ref_of(c.ds), "spec.template.spec." + (path.empty() ? "initContainers" : path),
                ports.front()),
       Evidence(ref_of(c.ds), "spec.updateStrategy.rollingUpdate.maxSurge",
                fmt::format("{}{}", surge.value, surge.percent ? "%" : ""))},
      names_of(c)));
}

bool has(const std::vector<Finding>& findings, FindingId id) {
  return std::ranges::find(findings, id, &Finding::id) != findings.end();
}

bool has_on_a_node(const DaemonSetCase& c, FindingId id) {
  return std::ranges::any_of(c.report.nodes.states(), [&](const NodeReports::Use& use) {
    return use.nodes > 0 && has(use.state->findings, id);
  });
}

}  // namespace

std::vector<Finding> ahead_findings(const DaemonSetCase& c, const std::vector<Finding>& found) {
  std::vector<Finding> findings;
  if (c.ds.meta.deleted) return findings;
  if (!has(found, FindingId::RolloutSurgePort)) {
    check_surge(c, has(found, FindingId::RolloutPaced), findings);
  }
  const auto append = [&](std::vector<Finding> more) {
    std::ranges::move(more, std::back_inserter(findings));
  };
  append(toleration_seconds_findings(c, has_on_a_node(c, FindingId::TolerationSecondsLoop)));
  append(old_taint_key_findings(c));
  append(computed_label_findings(c));
  return findings;
}

}  // namespace dsdoctor::diagnosis
