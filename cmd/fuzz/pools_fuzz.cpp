// SPDX-License-Identifier: Apache-2.0

// Templates of new nodes, and the forecast for DaemonSets that select nodes in several ways.

#include <vector>

#include "decode/cluster/documents.h"
#include "decode/pools/node_templates.h"
#include "diagnosis/pools/pool_forecast.h"
#include "fuzz/test_fuzz.h"
#include "fuzz/test_reading.h"

namespace dsdoctor::fuzz {
namespace {

model::DaemonSet selecting(const char* name, std::vector<model::NodeSelectorTerm> terms) {
  model::DaemonSet ds;
  ds.meta.ns = "x";
  ds.meta.name = name;
  ds.selector.emplace();
  ds.selector->match_labels = {{"app", name}};
  if (!terms.empty()) ds.pod_template.node_affinity.emplace().terms = std::move(terms);
  return ds;
}

/// DaemonSets for the labels of the seeds.
model::Cluster daemon_sets_for_pools() {
  model::Cluster cluster;
  cluster.daemon_sets = {
      selecting("arch", {{{{"kubernetes.io/arch", "In", {"arm64"}}}, {}}}),
      selecting("cpus", {{{{"karpenter.k8s.aws/instance-cpu", "Gt", {"4"}}}, {}}}),
      selecting("every", {}),
      selecting("gpu", {{{{"nvidia.com/gpu.present", "In", {"true"}}}, {}}}),
      selecting("team", {{{{"team", "NotIn", {"a"}}, {"pool", "Exists", {}}}, {}},
                         {{{"zone", "DoesNotExist", {}}}, {}}}),
  };
  return cluster;
}

void check_forecast(const model::Cluster& cluster, const diagnosis::NodesOfPools& nodes,
                    const model::NodeTemplate& of) {
  std::vector<const model::DaemonSet*> all;
  for (const model::DaemonSet& ds : cluster.daemon_sets) all.push_back(&ds);
  const auto forecast = diagnosis::forecast(cluster, nodes, of, all, {});
  if (!forecast.contradicted.empty()) return;
  require(forecast.daemons.size() == all.size(), "each DaemonSet has a forecast");
  for (const auto& daemon : forecast.daemons) {
    const bool is_none = daemon.reach == diagnosis::PoolReach::None;
    require(is_none != daemon.reasons.empty(), "only a DaemonSet without a pod has reasons");
    require(daemon.decides.empty() || daemon.reach == diagnosis::PoolReach::Some,
            "labels decide only if it depends on them");
  }
}

}  // namespace

void node_templates(std::string_view input) {
  decode::NodeTemplates templates;
  decode::ClusterBuilder builder;
  builder.collect_templates(&templates);
  std::vector<model::Warning> warnings;
  const auto status = decode::read_documents(std::string(input), "input", builder, warnings);
  const Result without = documents(input);
  if (status) {
    const Result read = result_of(builder, status);
    require(templates.all().size() > 0 || read.cluster == without.cluster,
            "templates do not change what else is read");
  }
  static const model::Cluster cluster = daemon_sets_for_pools();
  static const diagnosis::NodesOfPools nodes(cluster);
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(most, templates.all().size()); ++i) {
    check_forecast(cluster, nodes, templates.all()[i]);
  }
}

}  // namespace dsdoctor::fuzz
