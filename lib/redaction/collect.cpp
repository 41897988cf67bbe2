// SPDX-License-Identifier: Apache-2.0
#include "redaction/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/text.h"
#include "redaction/near_names.h"
#include "redaction/text_walker.h"
#include "redaction/well_known.h"

namespace dsdoctor::redaction {
namespace {

using Names = std::set<std::string>;

void add(Names& into, std::string_view name) {
  if (!name.empty()) into.emplace(name);
}

/// Names by kind.
using Collected = std::map<Holds, Names>;

/// The kind of a volume's source: a driver, a path, or the name of an object.
Holds source_of(const model::Volume& volume) {
  if (volume.kind == "csi" || volume.kind == "flexVolume") return Holds::Driver;
  const bool path = volume.kind == "hostPath" || volume.kind == "nfs" || volume.kind == "cephfs" ||
                    volume.kind == "glusterfs";
  return path ? Holds::Path : Holds::Object;
}

/// The kind of name that the involved object of an event has.
Holds involved(const model::Event& event) {
  return event.kind == "Node"                               ? Holds::Node
         : event.kind == "Pod" || event.kind == "DaemonSet" ? Holds::OwnName
                                                            : Holds::Object;
}

/// The names in all fields that contain only names of one kind.
Collected collect(const model::Cluster& cluster) {
  Collected result;
  for (const Holds names :
       {Holds::Node, Holds::Namespace, Holds::Object, Holds::Container, Holds::Volume, Holds::User,
        Holds::Program, Holds::Driver, Holds::Handler, Holds::Image}) {
    result[names] = {};
  }
  const auto collect_as = [&](Holds names, std::string_view name) {
    if (const auto at = result.find(names); at != result.end()) add(at->second, name);
  };
  TextWalker walker([&](const auto& owner, const model::Text& text, Holds holds) {
    if constexpr (std::is_same_v<decltype(owner), const model::Volume&>) {
      if (holds == Holds::VolumeSource) holds = source_of(owner);
    }
    collect_as(holds, text);
  });
  walker.walk(cluster);
  description::each_list(cluster, [&](const auto& list, const auto& described) {
    for (const auto& object : list) collect_as(described.names, object.meta.name);
  });
  for (const model::Event& event : cluster.events) collect_as(involved(event), event.name);
  std::erase_if(result[Holds::Program], is_known_program);
  std::erase_if(result[Holds::Driver], is_known_driver);
  std::erase_if(result[Holds::Handler], is_known_handler);
  return result;
}

void each_meta(const model::Cluster& cluster, const auto& visit) {
  description::each_list(cluster, [&](const auto& list, const auto& /*described*/) {
    for (const auto& object : list) visit(object.meta);
  });
}

/// The names of hosts, from node labels and from holders of leases ("host_0a1b..").
Names host_names(const model::Cluster& cluster) {
  Names names;
  for (const model::Node& node : cluster.nodes) {
    if (const model::Text* host = node.meta.labels.find("kubernetes.io/hostname")) {
      add(names, *host);
    }
  }
  for (const model::Lease& lease : cluster.leases) {
    const std::string_view holder = lease.holder;
    add(names, holder.substr(0, holder.find('_')));
  }
  return names;
}

/// The cloud's names of nodes: the ends of their provider ids.
Names instance_names(const model::Cluster& cluster) {
  constexpr std::size_t told_from_words = 4;  // Azure numbers them: ".../virtualMachines/0"
  Names names;
  for (const model::Node& node : cluster.nodes) {
    const std::string_view id = node.provider_id;
    const std::string_view end = id.substr(id.rfind('/') + 1);
    if (end.size() >= told_from_words) add(names, end);
  }
  return names;
}

Names daemon_set_names(const model::Cluster& cluster) {
  Names names;
  for (const auto& ds : cluster.daemon_sets) add(names, ds.meta.name);
  each_meta(cluster, [&](const model::ObjectMeta& meta) {
    if (meta.controller && model::is_daemon_set(*meta.controller))
      add(names, meta.controller->name);
  });
  for (const auto& revision : cluster.revisions) {  // "agent-7d9f6c8b5"
    add(names, revision.meta.name.view().substr(0, revision.meta.name.view().rfind('-')));
  }
  for (const model::Event& event : cluster.events) {
    if (event.kind == "DaemonSet") add(names, event.name);
  }
  return names;
}

Names other_owners(const model::Cluster& cluster) {
  Names names;
  each_meta(cluster, [&](const model::ObjectMeta& meta) {
    if (meta.controller && !model::is_daemon_set(*meta.controller))
      add(names, meta.controller->name);
  });
  return names;
}

/// Names each pod after its DaemonSet, with a number instead of the random letters.
void add_daemon_pods(const model::Cluster& cluster, Pseudonyms& into) {
  const std::size_t width = std::to_string(cluster.pods.size()).size();
  std::size_t number = 0;
  for (const model::Pod& pod : cluster.pods) {
    ++number;
    if (!pod.meta.controller || !model::is_daemon_set(*pod.meta.controller)) continue;
    into.add_as(
        pod.meta.name.str(),
        fmt::format("{}-p{:0{}}", into.name(pod.meta.controller->name).view(), number, width));
  }
}

constexpr std::size_t random_letters = 5;

/// Five digits or letters that sort like the numbers.
std::string letters_of(std::size_t number) {
  constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string result(random_letters, '0');
  for (auto at = result.rbegin(); at != result.rend(); ++at, number /= letters.size()) {
    *at = letters[number % letters.size()];
  }
  return result;
}

/// Keeps the form of the names of pods without an owner, and of pods known only from events: the
/// name of the DaemonSet, a dash, and five letters. It identifies them as pods of the DaemonSet.
void add_lost_pods(const model::Cluster& cluster, const Names& daemon_sets, Pseudonyms& into) {
  std::size_t number = 0;
  const auto add_generated = [&](std::string_view name) {
    const std::size_t dash = name.rfind('-');
    if (dash == name.npos || name.size() - dash - 1 != random_letters) return;
    const std::string owner(name.substr(0, dash));
    if (!daemon_sets.contains(owner)) return;
    into.add_as(std::string(name),
                fmt::format("{}-{}", into.name(model::Text(owner)).view(), letters_of(++number)));
  };
  for (const model::Pod& pod : cluster.pods) {
    if (!pod.meta.controller) add_generated(pod.meta.name);
  }
  for (const model::Event& event : cluster.events) {
    if (event.kind == "Pod") add_generated(event.name);
  }
}

/// Keeps the names of claims of ephemeral volumes, which consist of the names of pod and volume.
void add_ephemeral_claims(const model::Cluster& cluster, Pseudonyms& into) {
  for (const model::Pod& pod : cluster.pods) {
    for (const model::Volume& volume : pod.spec->volumes) {
      if (volume.kind != "ephemeral") continue;
      into.add_as(pod.meta.name.str() + "-" + volume.name.str(),
                  into.name(pod.meta.name).str() + "-" + into.name(volume.name).str());
    }
  }
}

/// The agent for which a node waits, from the key of its taint: "cilium" for
/// "node.cilium.io/agent-not-ready", "ebs-csi" for "ebs.csi.aws.com/agent-not-ready". Empty if the
/// key names no agent.
std::string agent_of(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == key.npos) return {};
  const std::string_view domain = key.substr(0, slash);
  if (domain.ends_with("-taint.cluster-autoscaler.kubernetes.io")) {
    return std::string(key.substr(slash + 1));
  }
  if (!key.ends_with("not-ready")) return {};
  if (const std::size_t csi = domain.find(".csi."); csi != domain.npos) {
    return std::string(domain.substr(0, csi)) + "-csi";
  }
  const std::string_view product = domain.substr(0, domain.rfind('.'));
  return std::string(product.substr(product.rfind('.') + 1));
}

void each_taint(const model::Cluster& cluster, const auto& visit) {
  for (const model::Node& node : cluster.nodes) std::ranges::for_each(node.taints, visit);
}

/// Keeps the relation between such an agent and the names of its DaemonSet and image.
void keep_agents(const model::Cluster& cluster, Pseudonyms& into) {
  each_taint(cluster, [&](const model::Taint& taint) {
    const std::string agent = agent_of(taint.key);
    if (!agent.empty()) into.keep(agent, agent_of(into.words(taint.key)));
  });
  // It writes the labels under feature.node.kubernetes.io, which are not replaced.
  into.keep("node-feature-discovery", "node-feature-discovery");
}

/// Keeps "agent-not-ready" in "acme.io/shop-agent-not-ready", even if "shop-agent" is the name of
/// an object.
void keep_waiting(const model::Cluster& cluster, Pseudonyms& into) {
  constexpr std::string_view waits = "agent-not-ready";
  each_taint(cluster, [&](const model::Taint& taint) {
    const std::string_view key = taint.key;
    const std::string_view name = key.substr(key.find('/') + 1);
    if (!name.ends_with(waits) || name.size() == waits.size()) return;
    const std::string_view front = name.substr(0, name.size() - waits.size());
    into.add_as(std::string(name), into.words(front) + std::string(waits));
  });
}

bool compares_numbers(std::string_view op) { return op == "Gt" || op == "Lt"; }

/// Keeps the numbers in comparisons of a template; returns the keys whose values it compares.
std::set<std::string_view> keep_limits(const model::PodTemplate& of, Pseudonyms& into) {
  std::set<std::string_view> keys;
  for (const model::Toleration& toleration : of.tolerations) {
    if (!compares_numbers(toleration.op)) continue;
    keys.insert(toleration.key);
    into.keep_number(toleration.value);
  }
  if (!of.node_affinity) return keys;
  for (const model::NodeSelectorTerm& term : of.node_affinity->terms) {
    for (const model::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (!compares_numbers(requirement.op)) continue;
      keys.insert(requirement.key);
      for (const model::Text& value : requirement.values) into.keep_number(value);
    }
  }
  return keys;
}

/// Keeps values that affinities and tolerations compare as numbers, by Gt or Lt.
void keep_compared_numbers(const model::Cluster& cluster, Pseudonyms& into) {
  std::set<std::string_view> keys;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    keys.merge(keep_limits(ds.pod_template, into));
  }
  if (keys.empty()) return;
  for (const model::Node& node : cluster.nodes) {
    for (const auto& [key, value] : node.meta.labels) {
      if (keys.contains(key)) into.keep_number(value);
    }
  }
  each_taint(cluster, [&](const model::Taint& taint) {
    if (keys.contains(taint.key)) into.keep_number(taint.value);
  });
}

/// Keeps the times in values of taints: seconds since 1970, as cluster-autoscaler writes them. A
/// taint of somebody's own can have any number.
void keep_times(const model::Cluster& cluster, Pseudonyms& into) {
  constexpr std::int64_t first = 1'420'070'400;  // 2015, older than DaemonSets
  constexpr std::int64_t last = 2'500'000'000;
  each_taint(cluster, [&](const model::Taint& taint) {
    const auto seconds = base::to_number<std::int64_t>(taint.value);
    const bool is_time = seconds && *seconds >= first && *seconds <= last;
    if (is_time && into.words(taint.key) == taint.key.view()) into.keep_number(taint.value);
  });
}

/// The names of Fargate nodes keep their prefix, by which they are recognized.
void add_nodes(Names nodes, Pseudonyms& into) {
  constexpr std::string_view fargate = "fargate-";
  std::size_t number = 0;
  for (const std::string& name : nodes) {
    if (name.starts_with(fargate))
      into.add_as(name, fmt::format("{}anon-node-{}", fargate, ++number));
  }
  std::erase_if(nodes, [&](const std::string& name) { return name.starts_with(fargate); });
  into.add("node", nodes);
}

/// Keys and values of labels and taints that are nearly equal stay nearly equal, since findings
/// report typos that leave a DaemonSet without pods. The domain and the name of a key are treated
/// separately.
void add_near_names(const model::Cluster& cluster, Pseudonyms& into) {
  Names names;
  Names domains;
  TextWalker walker([&](const auto& /*owner*/, const model::Text& text, Holds holds) {
    if (holds != Holds::Key && holds != Holds::Value) return;
    const std::string_view name = text;
    if (!agent_of(name).empty()) return;
    const std::size_t slash = holds == Holds::Key ? name.find('/') : name.npos;
    add(names, name.substr(0, slash));
    if (slash == name.npos) return;
    add(domains, name.substr(0, slash));
    add(names, name.substr(slash + 1));
  });
  for (const model::Node& node : cluster.nodes) walker.walk(node);
  for (const model::DaemonSet& ds : cluster.daemon_sets) walker.walk(ds);
  Names agents;  // already have replacements, because other names and images contain them
  each_taint(cluster, [&](const model::Taint& taint) {
    add(agents, base::lower_case(agent_of(taint.key)));
  });
  std::erase_if(names,
                [&](const std::string& name) { return agents.contains(base::lower_case(name)); });
  const auto settled = [&](const std::string& name) { return into.settled(name); };
  for (const auto& [name, replacement] : near_names(names, domains, settled)) {
    into.add_as(name, replacement);
  }
}

}  // namespace

Pseudonyms pseudonyms_for(const model::Cluster& cluster) {
  Collected names = collect(cluster);
  // The parts of these are redacted.
  std::erase_if(names[Holds::User],
                [](const std::string& name) { return name.starts_with("system:"); });
  Pseudonyms result;
  keep_compared_numbers(cluster, result);
  keep_times(cluster, result);
  add_nodes(names[Holds::Node], result);
  result.add("host", host_names(cluster));
  result.add("namespace", names[Holds::Namespace]);
  result.add("driver", names[Holds::Driver]);
  keep_agents(cluster, result);
  const Names daemon_sets = daemon_set_names(cluster);
  result.add("daemonset", daemon_sets);
  result.add("workload", other_owners(cluster));
  add_daemon_pods(cluster, result);
  add_lost_pods(cluster, daemon_sets, result);
  Names pods;
  for (const model::Pod& pod : cluster.pods) add(pods, pod.meta.name);
  for (const model::Event& event : cluster.events) {
    if (event.kind == "Pod") add(pods, event.name);
  }
  result.add("pod", pods);
  result.add("container", names[Holds::Container]);
  result.add("volume", names[Holds::Volume]);
  add_ephemeral_claims(cluster, result);
  result.add("object", names[Holds::Object]);
  result.add("instance", instance_names(cluster));
  result.add("program", names[Holds::Program]);
  result.add("handler", names[Holds::Handler]);
  result.add("user", names[Holds::User]);
  keep_waiting(cluster, result);
  add_near_names(cluster, result);
  for (const std::string& image : names[Holds::Image]) (void)result.image(model::Text(image));
  return result;
}

}  // namespace dsdoctor::redaction
