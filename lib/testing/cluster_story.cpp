// SPDX-License-Identifier: Apache-2.0
#include "testing/cluster_story.h"

#include <stdexcept>
#include <string>

namespace dsdoctor::testing {

model::Time at(std::int64_t seconds) {
  return model::Time(std::chrono::seconds(1'700'000'000 + seconds));
}

ClusterStory::ClusterStory() {
  model::DaemonSet& set = cluster.daemon_sets.emplace_back();
  set.meta.ns = "x";
  set.meta.name = "agent";
  set.meta.uid = "uid-1";
  set.meta.created = at(0);
  set.selector = model::LabelSelector{{{"app", "agent"}}, {}};
  set.pod_template.labels = {{"app", "agent"}};
  set.generation = set.observed_generation = 1;
}

void ClusterStory::add_revision(std::string_view hash, std::int64_t number,
                                std::uint64_t fingerprint) {
  model::ControllerRevision& revision = cluster.revisions.emplace_back();
  revision.meta.ns = "x";
  revision.meta.name = "agent-" + std::string(hash);
  revision.meta.labels = {{"controller-revision-hash", hash}};
  revision.meta.created = at(0);
  revision.meta.controller = model::ControllerRef{"DaemonSet", "agent", "uid-1"};
  revision.revision = number;
  revision.template_fingerprint = fingerprint;
}

model::Node& ClusterStory::add_node(std::string_view name) {
  model::Node& node = cluster.nodes.emplace_back();
  node.meta.name = name;
  node.conditions = {{"Ready", "True", "", "", at(0)}};
  return node;
}

model::Node& ClusterStory::node(std::string_view name) {
  for (model::Node& node : cluster.nodes) {
    if (node.meta.name == name) return node;
  }
  throw std::out_of_range("no node " + std::string(name));
}

model::Pod& ClusterStory::add_pod(std::string_view name, std::string_view node) {
  model::Pod& pod = cluster.pods.emplace_back();
  pod.meta.ns = "x";
  pod.meta.name = name;
  pod.meta.labels = {{"app", "agent"}};
  pod.meta.created = at(0);
  pod.meta.controller = model::ControllerRef{"DaemonSet", "agent", "uid-1"};
  pod.node_name = node;
  pod.phase = "Running";
  pod.conditions = {{"Ready", "True", "", "", at(0)}};
  return pod;
}

void ClusterStory::unbind(model::Pod& pod, std::string_view target, std::string_view why) {
  pod.node_name = {};
  pod.phase = "Pending";
  pod.conditions = {{"PodScheduled", "False", "Unschedulable", why, at(0)}};
  pod.node_affinity = model::NodeSelector{{{{}, {{"metadata.name", "In", {target}}}}}};
}

model::Event& ClusterStory::add_event(std::string_view kind, std::string_view name,
                                      std::string_view reason, std::string_view message,
                                      model::Time when) {
  model::Event& event = cluster.events.emplace_back();
  event.kind = kind;
  event.ns = "x";
  event.name = name;
  event.reason = reason;
  event.message = message;
  event.first = event.last = when;
  cluster.known.events = true;
  return event;
}

}  // namespace dsdoctor::testing
