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

std::vector<Lack> lacks_of(const model::Pod& pod, const diagnosis::Providers& providers) {
  if (pod.node_name.empty()) return diagnosis::lacks_of_unbound(pod);
  const auto waits = providers.wait_of(pod);
  return waits ? std::vector<Lack>{waits->lack} : std::vector<Lack>();
}

Meant meant_provider(const Meant& pod, const Lack& lack, const model::DaemonSet& provider) {
  Meant result{{ObjectType::DaemonSet, provider.meta.name.str()},
               provider.meta.ns.str(),
               pod.node,
               fmt::format("{}, and waits for {} of DaemonSet {}/{}", pod.note, text_of(lack),
                           provider.meta.ns.view(), provider.meta.name.view())};
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
    for (const Lack& lack : lacks_of(*found, providers)) {
      const model::DaemonSet* provider = providers.provider_of(lack, node);
      if (provider != nullptr) return meant_provider(pod, lack, *provider);
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
