// SPDX-License-Identifier: Apache-2.0
#include "placement/namespace_selector.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "placement/label_syntax.h"
#include "placement/verdict.h"

namespace dsdoctor::placement {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);  // npos + 1 is 0
}

}  // namespace

std::optional<model::Labels> parse_equalities(std::string_view text) {
  std::vector<model::Labels::Entry> pairs;
  if (trimmed(text).empty()) return model::Labels();
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    is_last = comma == text.size();
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(is_last ? comma : comma + 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = trimmed(part.substr(0, equals));
    std::string_view value = part.substr(equals + 1);
    if (value.starts_with('=')) value.remove_prefix(1);  // "==" means the same
    value = trimmed(value);
    if (!is_label_key(key) || !is_label_value(value)) return std::nullopt;
    pairs.emplace_back(model::Text(key), model::Text(value));
  }
  return model::Labels(std::move(pairs));
}

bool is_openshift(const model::Namespace& ns) {
  return std::ranges::any_of(ns.annotations, [](const auto& pair) {
    return pair.first.view().starts_with("openshift.io/sa.scc.");
  });
}

std::string_view heeded_annotation(const model::Namespace& ns) {
  for (const std::string_view key :
       {namespace_selector_annotation, openshift_selector_annotation}) {
    if (ns.annotations.find(key) != nullptr) return key;
  }
  return {};
}

namespace {

model::Labels heeded_selector(const model::Namespace& ns) {
  const std::string_view key = is_openshift(ns) ? heeded_annotation(ns) : std::string_view();
  if (key.empty()) return {};
  return parse_equalities(*ns.annotations.find(key)).value_or(model::Labels());
}

using Owner = std::pair<std::string_view, std::string_view>;  // namespace and name of a DaemonSet

/// The node selector that all pods of a DaemonSet share.
std::map<Owner, model::Labels> selectors_of_pods(const std::vector<model::Pod>& pods) {
  std::map<Owner, model::Labels> result;
  for (const model::Pod& pod : pods) {
    const auto& owner = pod.meta.controller;
    if (!owner || !model::is_daemon_set(*owner)) continue;
    const auto [at, is_first] =
        result.try_emplace({pod.meta.ns.view(), owner->name.view()}, pod.node_selector);
    if (!is_first && !(at->second == pod.node_selector)) at->second = {};
  }
  return result;
}

/// Number of nodes that should run the pod.
std::int64_t wanted_on(const std::vector<model::Node>& nodes, const model::PodTemplate& of) {
  const Evaluator evaluator(of, {});
  return std::ranges::count_if(
      nodes, [&](const model::Node& node) { return should_run(evaluator.decide(node)); });
}

/// The labels in the pods' node selector that the template does not have, if they explain the
/// desired number of pods in the status; else empty.
model::Labels counted_selector(const model::Cluster& cluster, const model::DaemonSet& ds,
                               const model::Labels& of_pods) {
  std::vector<model::Labels::Entry> added;
  for (const auto& entry : of_pods) {
    if (ds.pod_template.node_selector.find(entry.first) == nullptr) added.push_back(entry);
  }
  if (added.empty() || ds.observed_generation != ds.generation) return {};
  model::PodTemplate bare = ds.pod_template;
  bare.namespace_selector = {};
  model::PodTemplate narrowed = bare;
  narrowed.namespace_selector = model::Labels(std::move(added));
  const std::int64_t counted = ds.reported.desired_number_scheduled;
  const bool is_counted =
      wanted_on(cluster.nodes, bare) != counted && wanted_on(cluster.nodes, narrowed) == counted;
  return is_counted ? narrowed.namespace_selector : model::Labels();
}

}  // namespace

void set_namespace_selectors(model::Cluster& cluster) {
  std::map<std::string_view, model::Labels> by_name;
  for (const model::Namespace& ns : cluster.namespaces) {
    by_name.emplace(ns.meta.name.view(), heeded_selector(ns));
  }
  std::optional<std::map<Owner, model::Labels>> of_pods;
  for (model::DaemonSet& ds : cluster.daemon_sets) {
    model::Labels& selector = ds.pod_template.namespace_selector;
    if (const auto at = by_name.find(ds.meta.ns.view()); at != by_name.end()) {
      selector = at->second;
      continue;
    }
    if (cluster.known.namespaces) selector = {};
    // A selector derived from the pods stays valid when the nodes change later.
    if (cluster.known.namespaces || !cluster.nodes_known || !selector.empty()) continue;
    if (!of_pods) of_pods = selectors_of_pods(cluster.pods);
    const auto at = of_pods->find({ds.meta.ns.view(), ds.meta.name.view()});
    if (at != of_pods->end()) selector = counted_selector(cluster, ds, at->second);
  }
}

}  // namespace dsdoctor::placement
