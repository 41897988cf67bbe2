// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/providers/absent_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "diagnosis/catalogue/findings/pods.h"
#include "diagnosis/catalogue/object_evidence.h"
#include "diagnosis/providers/provider.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/reach.h"
#include "placement/verdict.h"

namespace dsdoctor::diagnosis {
namespace {

/// `by_event`: an event names it; else only the pod's fields show that it is needed.
Message phrase_of(const Lack& lack, bool by_event) {
  switch (lack.what) {
    case Provides::Driver:
      if (!by_event) return phrase::NeedsDriver{.driver = lack.name};
      return phrase::LacksDriver{.driver = lack.name};
    case Provides::Network: return phrase::LacksNetwork{};
    case Provides::Device: return phrase::LacksDevice{.resource = lack.name};
    case Provides::Path: return phrase::LacksPath{.path = lack.name};
  }
  return phrase::LacksNetwork{};
}

/// Pods that wait for the same thing, where the same obstacle keeps its provider away.
struct Waiting {
  std::vector<const Dependent*> pods;
  std::set<std::string> nodes;  // sorted
  std::optional<Message> obstacle;
};

/// `state`: why the provider has no ready pod there.
Finding finding_of(const model::DaemonSet& provider, const Waiting& waiting, const Message& state,
                   bool is_eligible, CaseNames names) {
  const Dependent& first = *waiting.pods.front();
  const bool is_one = waiting.pods.size() == 1;
  std::vector<std::string> nodes(waiting.nodes.begin(), waiting.nodes.end());
  names.node = nodes.front();
  std::optional<std::int64_t> count;
  if (!is_one) count = static_cast<std::int64_t>(waiting.pods.size());
  Finding finding =
      make_finding(finding::ProviderAbsent{.it_is_eligible = is_eligible,
                                           .it_is_not_eligible = !is_eligible,
                                           .lack = phrase_of(first.lack, first.event != nullptr),
                                           .nodes = nodes,
                                           .one_pod = is_one ? full_name(first.pod->meta) : "",
                                           .pods = count,
                                           .provider = full_name(provider.meta),
                                           .provider_name = provider.meta.name,
                                           .provider_ns = provider.meta.ns,
                                           .reason = first.event != nullptr ? first.event->reason
                                                                            : model::Text(),
                                           .state = state},
                   {first.event != nullptr ? event_evidence(*first.event)
                                           : Evidence{ref_of(*first.pod), first.field}},
                   names);
  // A pod that is running gets by without it until it is replaced.
  const auto runs = [](const Dependent* one) { return one->pod->phase == "Running"; };
  if (std::ranges::all_of(waiting.pods, runs)) finding.severity = Severity::Warning;
  // Another DaemonSet, which does not exist yet, may be the one that offers the device.
  if (first.lack.what == Provides::Device && first.event == nullptr) {
    finding.severity = Severity::Warning;
    finding.basis = Basis::Suspected;
  }
  finding.root = full_name(provider.meta);
  return finding;
}

/// The same for nodes that the same rule of the DaemonSet excludes: the taint without its value, or
/// the key of the label.
std::string group_of(const placement::Reason& reason) {
  const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
  if (const auto* label = std::get_if<placement::NodeSelectorMismatch>(&reason)) {
    return label->key.str();
  }
  if (const auto* term = std::get_if<placement::AffinityTermMismatch>(&reason)) {
    return term->requirement->key.str();
  }
  if (open == nullptr) return "other";
  return fmt::format("{}:{}", open->taint.key.view(), open->taint.effect.view());
}

}  // namespace

std::vector<Finding> absent_provider_findings(const DaemonSetCase& of) {
  std::vector<Finding> result;
  if (of.providers == nullptr) return result;
  std::map<std::pair<Lack, std::string>, Waiting> groups;
  for (const Dependent& dependent : of.providers->dependents_of(of.ds)) {
    // A driver may register shortly after the node has started.
    const auto& begin =
        dependent.pod->start_time ? dependent.pod->start_time : dependent.pod->meta.created;
    if (is_younger(begin, threshold::preparing, of.facts.now())) continue;
    const std::string_view place = dependent.place();
    const auto node = of.report.nodes.find(place);
    if (!node || node->verdict() != NodeVerdict::Excluded) continue;
    if (node->reasons().empty()) continue;
    // Its kubelet or its provider may have the driver built in.
    const model::Node* object = model::find_node(of.facts.cluster(), place);
    const bool by_event = dependent.event != nullptr;
    if (!by_event && (object == nullptr || !takes_no_daemons(*node, *object).empty())) continue;
    const placement::Reason reason = node->reasons().front();
    Waiting& waiting = groups[{dependent.lack, group_of(reason)}];
    // The pod whose event says it comes first.
    const bool leads = dependent.event != nullptr && !waiting.pods.empty() &&
                       waiting.pods.front()->event == nullptr;
    waiting.pods.insert(leads ? waiting.pods.begin() : waiting.pods.end(), &dependent);
    waiting.nodes.insert(std::string(place));
    if (!waiting.obstacle) waiting.obstacle = clause_of(reason);
  }
  for (const auto& [key, waiting] : groups) {
    Finding finding =
        finding_of(of.ds, waiting, phrase::ProviderIsKeptOff{.obstacle = *waiting.obstacle}, false,
                   names_of(of));
    finding.nodes.assign(waiting.nodes.begin(), waiting.nodes.end());
    finding.group = key.second;
    result.push_back(std::move(finding));
  }
  return result;
}

std::optional<Finding> absent_provider_of(const NodeCase& of, const model::Pod& pod) {
  if (of.of.providers == nullptr) return std::nullopt;
  const Providers& providers = *of.of.providers;
  const auto waits = providers.wait_of(pod);
  if (!waits) return std::nullopt;
  const model::DaemonSet* provider = providers.provider_of(waits->lack, &of.node);
  const Facts& facts = of.of.facts;
  if (provider == nullptr || provider == &of.of.ds) return std::nullopt;
  if (is_ready_on(facts, *provider, of.node.meta.name)) return std::nullopt;
  const placement::Evaluator evaluator(provider->pod_template, of.of.gates);
  const placement::Verdict verdict = evaluator.evaluate(of.node);
  const bool is_eligible = placement::should_run(verdict.decision);
  if (!is_eligible && verdict.reasons.empty()) return std::nullopt;
  // Its pod can be one of those that were not read.
  if (is_eligible && !model::knows_pods_of(facts.cluster(), provider->meta.ns)) return std::nullopt;
  Waiting waiting;
  waiting.pods = {&*waits};
  waiting.nodes = {of.node.meta.name.str()};
  Message state = phrase::ProviderHasNoReadyPod{};
  if (!is_eligible) state = phrase::ProviderIsKeptOff{.obstacle = clause_of(verdict.reasons[0])};
  Finding finding = finding_of(*provider, waiting, state, is_eligible, names_of(of, pod.meta.name));
  if (!is_eligible) finding.group = group_of(verdict.reasons.front());
  return finding;
}

}  // namespace dsdoctor::diagnosis
