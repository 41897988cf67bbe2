// SPDX-License-Identifier: Apache-2.0
#include "fixes/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/evidence/daemon_pods.h"
#include "diagnosis/evidence/node_state.h"
#include "diagnosis/evidence/startup_circle.h"
#include "diagnosis/problems/placement_cause.h"
#include "diagnosis/report/reach.h"
#include "diagnosis/taints/taint_catalogue.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "placement/tolerates.h"

namespace dsdoctor::fixes {
namespace {

using diagnosis::Message;
using diagnosis::NodeReport;
namespace phrase = diagnosis::phrase;

// An annotation of pods that cluster-autoscaler reads when it drains a node to remove it.
constexpr std::string_view eviction_annotation =
    "cluster-autoscaler.kubernetes.io/enable-ds-eviction";

Alternative of_template(const Patient& patient, std::string id, Message what, Message risk,
                        TemplateChange change) {
  Alternative result;
  result.id = std::move(id);
  result.what = std::move(what);
  result.risk = std::move(risk);
  result.effect = effect_of(patient.reporter, patient.ds, change, patient.report);
  result.change = std::move(change);
  result.restarted_pods = restarted_pods(patient.report, result.effect);
  result.on_delete = patient.ds.update_strategy == "OnDelete";
  return result;
}

/// Nodes on which no pod of a DaemonSet runs, and the label that excludes them.
struct Excluding {
  std::string_view id;
  std::string_view name;
  bool has_kubelet;
  std::string_view key;
  std::string_view value;
};

constexpr std::array<Excluding, ForeignNodes::kinds> excludings = {{
    {"fargate-nodes", "Fargate", false, "eks.amazonaws.com/compute-type", "fargate"},
    {"virtual-nodes", "virtual", false, "type", "virtual-kubelet"},
    {"windows-nodes", "Windows", true, "kubernetes.io/os", "windows"},
}};

/// Whether the template selects such nodes, alone or among others.
bool is_meant_for(const model::PodTemplate& pod, const Excluding& nodes) {
  const bool is_windows = nodes.key == "kubernetes.io/os" && nodes.value == "windows";
  if (is_windows && pod.spec.os == "windows") return true;
  const model::Text* selected = pod.node_selector.find(nodes.key);
  if (selected != nullptr) return *selected == nodes.value;
  if (!pod.node_affinity) return false;
  const auto asks = [&](const model::NodeSelectorRequirement& requirement) {
    return requirement.key == nodes.key && requirement.op == "In" &&
           std::ranges::find(requirement.values, nodes.value, &model::Text::view) !=
               requirement.values.end();
  };
  return std::ranges::any_of(pod.node_affinity->terms, [&](const model::NodeSelectorTerm& term) {
    return std::ranges::any_of(term.match_expressions, asks);
  });
}

/// How an exclusion of one kind of nodes affects the requested nodes.
struct Concern {
  bool any = false;    // no pod can run on one of them, or a fix for it was requested
  bool fails = false;  // a pod fails on one of them, and that needs action
};

/// Whether the cause implies that no pod of the DaemonSet can run on such a node.
bool is_of_the_kind(const diagnosis::Finding* cause, const Excluding& nodes) {
  if (nodes.value != "windows") return true;  // their kubelets run none
  return cause != nullptr && is_about(cause->id, diagnosis::About::OperatingSystem);
}

Concern concern_of(const Patient& patient, FixTarget::Kind asked_for, const NodeFilter& is_asked,
                   std::size_t kind) {
  Concern result;
  bool can_run = false;  // a ready pod runs on such a node
  for_each_node(patient.report, patient.cluster(), [&](const auto& entry, const model::Node& node) {
    if (can_run || !patient.foreign.is(kind, node)) return;
    can_run = std::ranges::any_of(entry.pods(), &diagnosis::PodReport::ready);
    const diagnosis::Finding* cause = diagnosis::cause_of(entry);
    // If only taints keep a pod away, an affinity would change nothing; it is only offered if the
    // node is requested.
    const bool is_wrong_there = placement::should_run(entry.decision()) &&
                                entry.verdict() != diagnosis::NodeVerdict::Running &&
                                is_of_the_kind(cause, excludings[kind]);
    const bool is_refused = asked_for != FixTarget::Kind::Each && is_curable(entry) &&
                            !takes_no_daemons(entry, node).empty();
    if (!(is_wrong_there || is_refused) || !is_asked(entry)) return;
    result.any = true;
    result.fails = result.fails || (is_wrong_there &&
                                    diagnosis::action_of(entry, cause) != diagnosis::Action::None);
  });
  return can_run ? Concern() : result;
}

/// Excludes the nodes of all `kinds` (at least one) in one change. `is_needed`: each kind has a
/// problem that needs action.
Alternative exclusion(const Patient& patient, const std::vector<const Excluding*>& kinds,
                      bool is_needed) {
  TemplateChange change;
  std::string id = "exclude";
  std::vector<std::string> names;
  for (const Excluding* kind : kinds) {
    change.requirements.push_back({kind->key, "NotIn", {kind->value}});
    id += fmt::format("-{}", kind->id);
    names.emplace_back(kind->name);
  }
  const bool is_one = kinds.size() == 1;
  const bool has_kubelet = kinds.front()->has_kubelet;
  Alternative result = of_template(patient, std::move(id),
                                   phrase::ExcludeNodes{.kinds = std::move(names),
                                                        .no_kubelet = is_one && !has_kubelet,
                                                        .other_images = is_one && has_kubelet},
                                   phrase::PodsThereAreDeleted{}, std::move(change));
  const auto first =
      phrase_of(repair_first(patient.reporter, patient.ds, patient.report, result.effect));
  result.recommended = is_needed && !first;
  if (result.effect.lost.empty()) result.risk = phrase::NoPodRunsThere{};
  if (first) result.risk = *first;
  return result;
}

void exclude_foreign_nodes(const Patient& patient, FixTarget::Kind asked_for,
                           const NodeFilter& is_asked, std::vector<Alternative>& into) {
  std::vector<const Excluding*> needed;
  for (std::size_t kind = 0; kind < ForeignNodes::kinds; ++kind) {
    if (!patient.foreign.has_any(kind)) continue;
    const Excluding& each = excludings[kind];
    if (is_meant_for(patient.ds.pod_template, each)) continue;
    const Concern concern = concern_of(patient, asked_for, is_asked, kind);
    if (!concern.any) continue;
    if (concern.fails && asked_for == FixTarget::Kind::Each) {
      needed.push_back(&each);
    } else {
      into.push_back(exclusion(patient, {&each}, false));
    }
  }
  // A patch replaces all terms, so a second patch would revert the first.
  if (!needed.empty()) into.push_back(exclusion(patient, needed, true));
}

bool tolerates_every_key(const model::Toleration& toleration) {
  return toleration.key.empty() && toleration.op == "Exists";
}

/// Whether other tolerations of every key cover the effects of this one.
bool is_redundant(const std::vector<model::Toleration>& tolerations, std::size_t index) {
  const model::Text& effect = tolerations[index].effect;
  return std::ranges::all_of(std::array{model::effect::no_schedule, model::effect::no_execute},
                             [&](auto each) {
                               if (!effect.empty() && effect != each) return true;
                               for (std::size_t i = 0; i < tolerations.size(); ++i) {
                                 const model::Toleration& other = tolerations[i];
                                 const bool covers = other.effect.empty() || other.effect == each;
                                 if (i != index && covers && tolerates_every_key(other))
                                   return true;
                               }
                               return false;
                             });
}

/// The tolerations that replace toleration `index`: for the lasting taints of nodes in this cluster
/// on which the pod can run.
std::vector<model::Toleration> narrow_list(const Patient& patient, std::size_t index) {
  const auto seconds = patient.ds.pod_template.tolerations[index].toleration_seconds;
  TemplateChange removal;
  removal.removed = index;
  const placement::Evaluator without(changed(patient.ds.pod_template, removal), patient.gates());
  std::map<std::string, model::Toleration> needed;
  for_each_node(patient.report, patient.cluster(), [&](const auto& entry, const model::Node& node) {
    if (node.taints.empty() || !placement::should_run(entry.decision())) return;
    if (!takes_no_daemons(entry, node).empty()) return;
    const placement::Verdict verdict = without.evaluate(node);
    for (const placement::Reason& reason : verdict.reasons) {
      // Without the toleration only taints exclude a node that is eligible now.
      const model::Taint& taint = std::get<placement::UntoleratedTaint>(reason).taint;
      if (diagnosis::passes(patient.reporter.options().taints->find(taint, node.meta.labels)))
        continue;
      model::Toleration narrow = narrowest(taint, entry.name);
      if (narrow.effect == model::effect::no_execute) narrow.toleration_seconds = seconds;
      std::string key =
          fmt::format("{}\n{}\n{}", narrow.key.view(), narrow.effect.view(), narrow.value.view());
      needed.emplace(std::move(key), std::move(narrow));
    }
  });
  std::vector<model::Toleration> result;
  result.reserve(needed.size());
  for (auto& [key, toleration] : needed) result.push_back(std::move(toleration));
  return result;
}

/// The risk includes that new nodes have the taint not-ready until their network is ready.
Message risk_of_narrowing(const Patient& patient, const TemplateChange& change) {
  const model::Taint not_ready{"node.kubernetes.io/not-ready", {}, model::effect::no_schedule};
  const model::PodTemplate then = changed(patient.ds.pod_template, change);
  const bool waits =
      placement::first_tolerating(then.tolerations, not_ready, patient.gates()) == nullptr;
  return phrase::LaterTaintsExclude{.new_nodes_wait = waits};
}

/// Whether a lasting taint would exclude a node that is eligible now.
bool loses_nodes(const Patient& patient, const TemplateChange& narrow) {
  const placement::Evaluator then(changed(patient.ds.pod_template, narrow), patient.gates());
  bool result = false;
  for_each_node(patient.report, patient.cluster(), [&](const auto& entry, const model::Node& node) {
    if (result || !placement::should_run(entry.decision())) return;
    const placement::Verdict verdict = then.evaluate(node);
    result = std::ranges::any_of(verdict.reasons, [&](const placement::Reason& reason) {
      const model::Taint& taint = std::get<placement::UntoleratedTaint>(reason).taint;
      return !diagnosis::passes(patient.reporter.options().taints->find(taint, node.meta.labels));
    });
  });
  return result;
}

/// Adds a fix only if it changes which nodes are eligible, unless all nodes are requested.
void narrow_tolerations(const Patient& patient, FixTarget::Kind asked_for,
                        std::vector<Alternative>& into) {
  const diagnosis::TaintCatalogue& known = *patient.reporter.options().taints;
  if (diagnosis::prepares_nodes(patient.ds, patient.cluster().nodes, known)) return;
  const auto& tolerations = patient.ds.pod_template.tolerations;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const model::Toleration& wide = tolerations[i];
    if (!tolerates_every_key(wide) || wide.effect == model::effect::prefer_no_schedule) continue;
    if (is_redundant(tolerations, i)) continue;  // a rollout without an effect
    TemplateChange change;
    change.removed = i;
    change.added = narrow_list(patient, i);
    Message risk = risk_of_narrowing(patient, change);
    Alternative narrow = of_template(patient, fmt::format("narrow-toleration-{}", i),
                                     phrase::NarrowToleration{.effect = wide.effect, .index = i},
                                     std::move(risk), std::move(change));
    if (asked_for == FixTarget::Kind::All || loses_nodes(patient, *narrow.change)) {
      into.push_back(std::move(narrow));
    }
  }
}

/// cluster-autoscaler does not evict daemon pods from a node that it drains, unless they have an
/// annotation.
void evict_on_scale_down(const Patient& patient, const NodeFilter& is_asked,
                         std::vector<Alternative>& into) {
  bool concerned = false;
  for_each_node(patient.report, patient.cluster(), [&](const auto& entry, const model::Node& node) {
    concerned = concerned || (!entry.pods().empty() && !placement::should_run(entry.decision()) &&
                              is_asked(entry) &&
                              diagnosis::find_taint(node, diagnosis::to_be_deleted_key) != nullptr);
  });
  if (!concerned) return;
  TemplateChange change;
  change.annotations.set(eviction_annotation, "true");
  into.push_back(of_template(patient, "evict-on-scale-down", phrase::EvictOnScaleDown{},
                             phrase::EvictedWithOtherPods{}, std::move(change)));
}

/// The index of the template's first toleration that matches a NoExecute taint of the node, if it
/// has tolerationSeconds; else absent.
std::optional<std::size_t> ending_toleration(const Patient& patient, const model::Node& node) {
  const auto& list = patient.ds.pod_template.tolerations;
  for (const model::Taint& taint : node.taints) {
    if (taint.effect != model::effect::no_execute) continue;
    const auto* first = placement::first_tolerating(list, taint, patient.gates());
    if (first == nullptr || !first->toleration_seconds) continue;
    return static_cast<std::size_t>(first - list.data());
  }
  return std::nullopt;
}

/// The controller creates a pod again after it was evicted at the end of tolerationSeconds.
void tolerate_for_good(const Patient& patient, const NodeFilter& is_asked,
                       std::vector<Alternative>& into) {
  std::set<std::size_t> found;
  for_each_node(patient.report, patient.cluster(), [&](const auto& entry, const model::Node& node) {
    const bool loops = std::ranges::any_of(entry.findings(), [](const diagnosis::Finding& each) {
      return each.id == diagnosis::FindingId::TolerationSecondsLoop;
    });
    if (!loops || !is_asked(entry)) return;
    if (const auto index = ending_toleration(patient, node)) found.insert(*index);
  });
  for (const std::size_t index : found) {
    model::Toleration lasting = patient.ds.pod_template.tolerations[index];
    lasting.toleration_seconds.reset();
    TemplateChange change;
    change.removed = index;
    change.added = {lasting};
    into.push_back(of_template(patient, fmt::format("tolerate-for-good-{}", index),
                               phrase::LeaveOutTolerationSeconds{.index = index},
                               phrase::PodsStayWithTheTaint{}, std::move(change)));
  }
}

}  // namespace

ForeignNodes::ForeignNodes(const model::Cluster& cluster) : cluster_(cluster) {
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const Excluding& each = excludings[kind];
    labelled_[kind].reserve(cluster.nodes.size());
    for (const model::Node& node : cluster.nodes) {
      const bool has_it = diagnosis::has_label(node, each.key, each.value);
      labelled_[kind].push_back(has_it);
      any_[kind] = any_[kind] || has_it;
    }
  }
}

std::vector<Alternative> alternatives(const Patient& patient, FixTarget::Kind asked_for,
                                      const NodeFilter& is_asked) {
  using Kind = FixTarget::Kind;
  std::vector<Alternative> result;
  if (!diagnosis::takes_patches(patient.ds)) return result;
  evict_on_scale_down(patient, is_asked, result);
  exclude_foreign_nodes(patient, asked_for, is_asked, result);
  tolerate_for_good(patient, is_asked, result);
  if (asked_for == Kind::Node || asked_for == Kind::Pool || asked_for == Kind::Misscheduled) {
    add_node_changes(patient, is_asked, result);
  }
  if (asked_for == Kind::Each) add_removals_of_unknown_taints(patient, is_asked, result);
  if (asked_for == Kind::Each || asked_for == Kind::All) {
    narrow_tolerations(patient, asked_for, result);
  }
  return result;
}

}  // namespace dsdoctor::fixes
