// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/reporter.h"
#include "fixes/fixes.h"

/// Clusters with one DaemonSet, and the fixes for it.
namespace dsdoctor::fixes {

inline diagnosis::ReportOptions verdicts_only() {
  diagnosis::ReportOptions options;
  options.diagnoses = false;
  return options;
}

inline diagnosis::DaemonSetReport report_of(const model::Cluster& cluster) {
  return diagnosis::Reporter(cluster, verdicts_only()).report(cluster.daemon_sets.front());
}

inline FixAnswer fix(const model::Cluster& cluster, const FixTarget& target) {
  const diagnosis::Reporter reporter(cluster, verdicts_only());
  return fixes_for(reporter, {&cluster.daemon_sets.front()}, target).front();
}

inline void add_node(model::Cluster& cluster, const char* name, std::vector<model::Taint> taints,
                     model::Labels labels) {
  model::Node& node = cluster.nodes.emplace_back();
  node.meta.name = name;
  node.meta.labels = std::move(labels);
  node.taints = std::move(taints);
}

/// DaemonSet x/agent, which selects app=agent.
inline model::DaemonSet& add_agent(model::Cluster& cluster) {
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  return ds;
}

/// Adds a Ready pod of the DaemonSet.
inline model::Pod& add_agent_pod(model::Cluster& cluster, const char* name, const char* node) {
  model::Pod& pod = cluster.pods.emplace_back();
  pod.meta.ns = "x";
  pod.meta.name = name;
  pod.meta.labels = {{"app", "agent"}};
  pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", ""};
  pod.node_name = node;
  pod.phase = "Running";
  pod.conditions = {{"Ready", "True", "", "", model::Time()}};
  return pod;
}

/// Nodes a1, a2 and b1, labelled by pool, and a pod of DaemonSet x/agent on the first.
inline model::Cluster three_nodes() {
  model::Cluster cluster;
  for (const char* name : {"a1", "a2", "b1"}) {
    model::Node& node = cluster.nodes.emplace_back();
    node.meta.name = name;
    node.meta.labels = {{"pool", std::string(1, name[0])}};
  }
  model::DaemonSet& ds = cluster.daemon_sets.emplace_back();
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.meta.uid = "1";
  ds.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  ds.template_fingerprint = 7;
  model::Pod& pod = cluster.pods.emplace_back();
  pod.meta.ns = "x";
  pod.meta.name = "agent-1";
  pod.meta.labels = {{"app", "agent"}};
  pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", "1"};
  pod.node_name = "a1";
  return cluster;
}

inline std::set<std::string> names_of(const std::vector<model::Text>& names) {
  std::set<std::string> result;
  for (const auto& name : names) result.insert(name.str());
  return result;
}

}  // namespace dsdoctor::fixes
