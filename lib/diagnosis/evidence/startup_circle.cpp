// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/startup_circle.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "diagnosis/catalogue/findings/node.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/evidence/workload_kind.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

using Member = StartupCircle::Member;

/// Whether a word of `text` begins with `agent`: "datadog" in "my-datadog-agent".
bool names_agent(std::string_view text, std::string_view agent) {
  const auto is_of_a_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (std::size_t at = text.find(agent); at != std::string_view::npos;
       at = text.find(agent, at + 1)) {
    if (at == 0 || !is_of_a_word(text[at - 1])) return true;
  }
  return false;
}

/// The path of an image without the registry's host, which shows where the image is stored and not
/// what it is.
std::string_view without_registry(std::string_view image) {
  const std::size_t slash = image.find('/');
  if (slash == std::string_view::npos) return image;
  const std::string_view first = image.substr(0, slash);
  const bool is_host = first.find_first_of(".:") != std::string_view::npos || first == "localhost";
  return is_host ? image.substr(slash + 1) : image;
}

constexpr int of_the_vendor = 1;  // only the path of an image names the agent: it is the vendor
constexpr int of_the_agent = 2;   // the agent is in the name of the DaemonSet or of an image

/// How strongly the names suggest that the DaemonSet runs the agent. 0: not at all.
int likeness(const model::DaemonSet& ds, std::string_view agent) {
  if (names_agent(ds.meta.name, agent)) return of_the_agent;
  int result = 0;
  for (const model::Container& container : ds.pod_template.spec.containers) {
    const std::string_view path = without_registry(container.image);
    if (names_agent(path.substr(path.rfind('/') + 1), agent)) return of_the_agent;
    if (names_agent(path, agent)) result = of_the_vendor;
  }
  return result;
}

/// Whether the name is that of the agent, except for a usual suffix: "ebs-csi-node".
bool is_whole_name(std::string_view name, std::string_view agent) {
  constexpr std::array<std::string_view, 6> rests = {"",    "-agent",     "-daemon",
                                                     "-ds", "-daemonset", "-node"};
  if (!name.starts_with(agent)) return false;
  return std::ranges::find(rests, name.substr(agent.size())) != rests.end();
}

/// The first part of the taint's domain, before the product: "cni" of "cni.istio.io/not-ready".
std::string_view qualifier_of(const model::Taint& taint) {
  const std::string_view key = taint.key;
  const std::string_view domain = key.substr(0, key.find('/'));
  if (std::ranges::count(domain, '.') < 2) return {};
  const std::string_view first = domain.substr(0, domain.find('.'));
  return first == "node" ? std::string_view() : first;
}

using DaemonSets = std::vector<const model::DaemonSet*>;

bool runs_on(const Facts& facts, const model::DaemonSet& agent, const model::Node& node) {
  return std::ranges::any_of(facts.pods_on(node.meta.name), [&](const model::Pod* pod) {
    return is_named_owner(agent, *pod) && is_live(*pod);
  });
}

/// Simulates which agents of a node start, and which startup taints remain.
class Startup {
 public:
  /// `own`: a DaemonSet whose pods are known even if others were not read.
  Startup(const Facts& facts, const model::Node& node, placement::FeatureGates gates,
          const model::DaemonSet* own = nullptr)
      : facts_(facts), node_(node), gates_(gates), own_(own) {
    for (const model::Taint& taint : node.taints) {
      if (!placement::is_blocking(taint)) continue;
      if (const model::DaemonSet* ds = remover_of(facts.cluster(), taint)) {
        removers_.push_back({&taint, ds});
      }
      if (are_too_many()) break;
    }
  }

  [[nodiscard]] bool may_have_circle() const { return removers_.size() > 1 && !are_too_many(); }

  /// The taints that remain after all agents that can start have started. `also`: a toleration to
  /// assume for one of the agents.
  [[nodiscard]] std::vector<const model::Taint*> taints_left(const Member* also = nullptr) const {
    std::vector<const model::Taint*> left;
    if (are_too_many()) return left;
    for (const model::Taint& taint : node_.taints) left.push_back(&taint);
    for (bool removed = true; removed;) {
      removed = false;
      for (const auto& [taint, agent] : removers_) {
        const auto at = std::ranges::find(left, taint);
        if (at == left.end() || !starts(*agent, left, also)) continue;
        left.erase(at);
        removed = true;
      }
    }
    return left;
  }

  /// The remaining taints whose remover is known, each with a taint that its remover waits for.
  [[nodiscard]] std::vector<Member> waiting(const std::vector<const model::Taint*>& left) const {
    std::vector<Member> result;
    for (const auto& [taint, agent] : removers_) {
      if (std::ranges::find(left, taint) == left.end()) continue;
      const auto reasons =
          placement::Evaluator(agent->pod_template, gates_).evaluate(node_).reasons;
      for (const placement::Reason& reason : reasons) {
        const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
        if (open == nullptr) break;  // no toleration makes the node eligible
        const model::Taint* other = &node_.taints[open->index];
        if (other == taint || std::ranges::find(left, other) == left.end()) continue;
        result.push_back({agent, taint, other});
      }
    }
    return result;
  }

 private:
  /// The search takes the fourth power of the number of agents.
  [[nodiscard]] bool are_too_many() const { return removers_.size() > most_startup_agents; }

  struct Remover {
    const model::Taint* taint;
    const model::DaemonSet* agent;
  };

  [[nodiscard]] bool starts(const model::DaemonSet& agent,
                            const std::vector<const model::Taint*>& left,
                            const Member* also) const {
    const bool is_known = &agent == own_ || facts_.knows_all_pods_on(node_.meta.name);
    if (!is_known || runs_on(facts_, agent, node_)) return true;
    const auto reasons = placement::Evaluator(agent.pod_template, gates_).evaluate(node_).reasons;
    return std::ranges::none_of(reasons, [&](const placement::Reason& reason) {
      const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
      if (open == nullptr) return true;
      const model::Taint* taint = &node_.taints[open->index];
      const bool given = also != nullptr && also->agent == &agent && also->waits_for == taint;
      return !given && std::ranges::find(left, taint) != left.end();
    });
  }

  const Facts& facts_;
  const model::Node& node_;
  placement::FeatureGates gates_;
  const model::DaemonSet* own_;
  std::vector<Remover> removers_;
};

/// The chain from `first`: each member removes the taint that the one before waits for. Empty if
/// the chain does not lead back to `first`.
std::vector<Member> circle_from(const Member& first, const std::vector<Member>& waiting) {
  std::vector<Member> path = {first};
  while (path.back().waits_for != first.removes) {
    const auto next = std::ranges::find(waiting, path.back().waits_for, &Member::removes);
    if (next == waiting.end() || path.size() > waiting.size()) return {};
    path.push_back(*next);
  }
  return path;
}

}  // namespace

const model::DaemonSet* remover_of(const model::Cluster& cluster, const model::Taint& taint) {
  const DaemonSets found = possible_removers(cluster, taint);
  if (found.size() <= 1) return found.empty() ? nullptr : found.front();
  const std::string agent = *startup_agent(taint);
  const auto is_whole = [&](const model::DaemonSet& ds) {
    return is_whole_name(ds.meta.name, agent);
  };
  if (const auto* whole = only_one(found, is_whole)) return whole;
  const std::string_view qualifier = qualifier_of(taint);
  return only_one(found, [&](const model::DaemonSet& ds) {
    return !qualifier.empty() && names_agent(ds.meta.name, qualifier);
  });
}

std::vector<const model::DaemonSet*> possible_removers(const model::Cluster& cluster,
                                                       const model::Taint& taint) {
  DaemonSets result;
  const auto agent = startup_agent(taint);
  if (!agent) return result;
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    if (!ds.meta.deleted && likeness(ds, *agent) == of_the_agent) result.push_back(&ds);
  }
  return result;
}

bool is_agent(const model::DaemonSet& ds, std::string_view agent) {
  return likeness(ds, agent) > 0;
}

bool removes_startup_taint(const model::DaemonSet& ds, const model::Taint& taint) {
  const auto agent = startup_agent(taint);
  return agent && is_agent(ds, *agent);
}

std::vector<const model::Taint*> taints_left_behind(const Facts& facts, const model::Node& node,
                                                    placement::FeatureGates gates,
                                                    const model::DaemonSet* own) {
  return Startup(facts, node, gates, own).taints_left();
}

bool has_to_remove(const model::DaemonSet& ds, const model::Taint& taint, const Facts& facts,
                   const model::Node& node, placement::FeatureGates gates) {
  if (remover_of(facts.cluster(), taint) != &ds) return false;
  const auto left = taints_left_behind(facts, node, gates, &ds);
  return std::ranges::any_of(left, [&](const model::Taint* each) { return *each == taint; });
}

bool StartupCircle::contains(const model::DaemonSet& ds) const {
  return std::ranges::find(members, &ds, &Member::agent) != members.end();
}

std::optional<StartupCircle> startup_circle(const Facts& facts, const model::Node& node,
                                            placement::FeatureGates gates) {
  if (!facts.knows_all_pods_on(node.meta.name)) return std::nullopt;  // an agent may run there
  const Startup startup(facts, node, gates);
  if (!startup.may_have_circle()) return std::nullopt;
  const auto left = startup.taints_left();
  std::vector<Member> waiting = startup.waiting(left);
  const auto rank = [&](const Member& member) {
    const auto still = startup.taints_left(&member).size();
    return std::tuple(still, !is_network_plugin(*member.agent),
                      !member.agent->pod_template.host_network, member.agent->meta.ns.view(),
                      member.agent->meta.name.view());
  };
  std::ranges::stable_sort(waiting, {}, rank);
  for (const Member& first : waiting) {
    auto members = circle_from(first, waiting);
    if (members.size() > 1) return StartupCircle{std::move(members)};
  }
  return std::nullopt;
}

bool waits_for_several_agents(const model::Node& node) {
  std::set<std::string> agents;
  for (const model::Taint& taint : node.taints) {
    if (!placement::is_blocking(taint)) continue;
    if (auto agent = startup_agent(taint)) agents.insert(*std::move(agent));
  }
  return agents.size() > 1;
}

std::vector<Message> waits_of(const StartupCircle& circle) {
  std::vector<Message> result;
  for (std::size_t i = 0; i < circle.members.size(); ++i) {
    const Member& member = circle.members[i];
    const Member& next = circle.members[(i + 1) % circle.members.size()];
    result.push_back(phrase::AgentWaitsForAgent{.agent = member.agent->meta.name,
                                                .remover = next.agent->meta.name,
                                                .taint = wording::taint(*member.waits_for)});
  }
  return result;
}

bool prepares_nodes(const model::DaemonSet& ds, const std::vector<model::Node>& nodes,
                    const TaintCatalogue& known) {
  const model::PodSpec& spec = ds.pod_template.spec;
  const bool is_critical = spec.priority_class == "system-node-critical" ||
                           spec.priority_class == "system-cluster-critical";
  if (is_critical || is_network_plugin(ds)) return true;
  const auto removes_one_of = [&](const model::Node& node) {
    return std::ranges::any_of(
        node.taints, [&](const model::Taint& taint) { return removes_startup_taint(ds, taint); });
  };
  if (std::ranges::any_of(nodes, removes_one_of)) return true;
  return std::ranges::any_of(known.built_in_entries(), [&](const model::KnownTaint* entry) {
    return entry->match == model::KeyMatch::Exact &&
           removes_startup_taint(ds, {entry->key, {}, {}});
  });
}

}  // namespace dsdoctor::diagnosis
