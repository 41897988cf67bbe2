// SPDX-License-Identifier: Apache-2.0
#include "question/other_pod.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "diagnosis/evidence/facts.h"
#include "diagnosis/providers/provider.h"

namespace dsdoctor::cmd {
namespace {

using diagnosis::Lack;
using diagnosis::Provides;

std::string text_of(const Lack& lack) {
  switch (lack.what) {
    case Provides::Driver: return "driver " + lack.name;
    case Provides::Network: return "the pod network";
    case Provides::Device: return "resource " + lack.name;
    case Provides::Path: return lack.name;
  }
  return lack.name;
}

struct PodNeed {
  Lack lack;
  bool waits = true;  // false: the pod uses it
};

std::vector<PodNeed> needs_of_pod(const model::Pod& pod, const diagnosis::Providers& providers,
                                  const diagnosis::Facts& facts) {
  std::vector<PodNeed> result;
  if (pod.node_name.empty()) {
    for (Lack& lack : diagnosis::lacks_of_unbound(pod)) result.push_back({std::move(lack)});
  } else if (const auto waits = providers.wait_of(pod)) {
    result.push_back({waits->lack});
  } else {
    for (auto& used : diagnosis::drivers_of_volumes(pod, facts)) {
      result.push_back({{Provides::Driver, std::move(used.driver)}, false});
    }
  }
  return result;
}

Meant meant_provider(const Meant& pod, const PodNeed& need, const model::DaemonSet& provider) {
  Meant result{
      {ObjectType::DaemonSet, provider.meta.name.str()},
      provider.meta.ns.str(),
      pod.node,
      fmt::format("{}, and {} {} of DaemonSet {}/{}", pod.note, need.waits ? "waits for" : "uses",
                  text_of(need.lack), provider.meta.ns.view(), provider.meta.name.view())};
  if (!pod.node.empty()) result.note += " on node " + pod.node;
  return result;
}

}  // namespace

base::Result<Meant> lead_of(const Meant& pod, const model::Cluster& cluster) {
  const diagnosis::Facts facts(cluster, {});
  const diagnosis::Providers providers(facts, {});
  const model::Pod* found = model::find_pod(cluster, pod.ns, pod.object.name);
  const model::Node* node = model::find_node(cluster, pod.node);
  if (found != nullptr) {
    for (const PodNeed& need : needs_of_pod(*found, providers, facts)) {
      const model::DaemonSet* provider = providers.provider_of(need.lack, node);
      if (provider == nullptr) continue;
      if (!need.waits && diagnosis::is_ready_on(facts, *provider, pod.node)) continue;
      return meant_provider(pod, need, *provider);
    }
  }
  if (!pod.node.empty()) {
    return Meant{{ObjectType::Node, pod.node, true},
                 "",
                 pod.node,
                 fmt::format("{}; it waits for nothing that is known to come from a DaemonSet; the "
                             "answer is about its node {}",
                             pod.note, pod.node)};
  }
  base::Error error{
      base::ErrorKind::NotFound, "",
      fmt::format("{}, is not bound to a node, and waits for nothing that is known to "
                  "come from a DaemonSet",
                  pod.note)};
  if (found != nullptr) {
    const auto scheduled = model::find_condition(found->conditions, "PodScheduled");
    if (scheduled != nullptr && !scheduled->message.empty()) {
      error.what += ": " + scheduled->message.str();
    }
  }
  error.hints.push_back(fmt::format("see its events: kubectl --namespace {} describe pod {}",
                                    pod.ns, pod.object.name));
  return error;
}

}  // namespace dsdoctor::cmd
