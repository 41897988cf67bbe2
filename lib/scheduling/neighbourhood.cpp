// SPDX-License-Identifier: Apache-2.0
#include "scheduling/neighbourhood.h"

#include "scheduling/affinity_term.h"

namespace dsdoctor::scheduling {
namespace {

/// Numbers the terms; equal terms of equal namespaces have the same number.
class TermNumbers {
 public:
  std::size_t number_of(const model::PodAffinityTerm& term, std::string_view ns) {
    auto& alike = by_hash_[hash_of(term, ns)];
    for (const Entry& entry : alike) {
      if (entry.ns == ns && *entry.term == term) return entry.number;
    }
    alike.push_back({&term, ns, next_});
    return next_++;
  }

 private:
  struct Entry {
    const model::PodAffinityTerm* term = nullptr;
    std::string_view ns;
    std::size_t number = 0;
  };

  static std::size_t hash_of(const model::PodAffinityTerm& term, std::string_view ns) {
    const std::hash<std::string_view> hash;
    constexpr std::size_t factor = 31;
    std::size_t result = hash(ns) * factor + hash(term.topology_key);
    if (!term.label_selector) return result;
    for (const auto& [key, value] : term.label_selector->match_labels) {
      result = (result * factor + hash(key)) * factor + hash(value);
    }
    for (const auto& requirement : term.label_selector->match_expressions) {
      result = result * factor + hash(requirement.key);
      for (const model::Text& value : requirement.values) result = result * factor + hash(value);
    }
    return result;
  }

  std::unordered_map<std::size_t, std::vector<Entry>> by_hash_;
  std::size_t next_ = 0;
};

}  // namespace

const Neighbourhood::Domains& Neighbourhood::meant_by(std::span<const model::PodAffinityTerm> terms,
                                                      const model::Text& owner_ns,
                                                      const model::Text& topology_key) {
  const auto same = [&](const Question& question) {
    return question.topology_key == topology_key && question.owner_ns == owner_ns &&
           std::ranges::equal(question.terms, terms);
  };
  // DaemonSets are processed one after the other, so the newest entries are used most.
  const auto asked = std::find_if(questions_.rbegin(), questions_.rend(), same);
  if (asked != questions_.rend()) return asked->domains;
  Question& question = questions_.emplace_back();
  question.terms.assign(terms.begin(), terms.end());
  question.owner_ns = owner_ns;
  question.topology_key = topology_key;
  question.domains = search(question);
  return question.domains;
}

Neighbourhood::Domains Neighbourhood::search(const Question& question) const {
  Domains result;
  for (const model::Node& node : cluster_.nodes) {
    const model::Text* value = node.meta.labels.find(question.topology_key);
    if (value == nullptr) continue;
    Domain& domain = result[*value];
    domain.unread = domain.unread || !knows_pods_on(cluster_, node.meta.name);
    for (const model::Pod* pod : pods_on_(node.meta.name)) {
      switch (all_mean(question.terms, question.owner_ns, *pod, cluster_)) {
        case Judgement::Blocked: domain.meant.push_back(pod); break;
        case Judgement::Unknown: domain.unsure.push_back(pod); break;
        case Judgement::Passes: break;
      }
    }
  }
  return result;
}

std::vector<const Neighbourhood::Aversion*> Neighbourhood::aversions_around(
    const model::Node& node) {
  if (!indexed_) index_aversions();
  indexed_ = true;
  std::vector<const Aversion*> result;
  for (const auto& [key, values] : aversions_) {
    const model::Text* value = node.meta.labels.find(key);
    const auto domain = value == nullptr ? values.end() : values.find(*value);
    if (domain == values.end()) continue;
    for (const auto& [number, aversion] : domain->second) result.push_back(&aversion);
  }
  return result;
}

void Neighbourhood::index_aversions() {
  TermNumbers numbers;
  for (std::size_t order = 0; order < anti_affine_.size(); ++order) {
    const model::Pod& pod = *anti_affine_[order];
    const model::Node* node = model::find_node(cluster_, pod.node_name);
    if (node == nullptr) continue;
    const auto& terms = pod.spec->pod_anti_affinity;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const model::Text* value = node->meta.labels.find(terms[i].topology_key);
      if (value == nullptr) continue;
      Aversion& aversion =
          aversions_[terms[i].topology_key][*value][numbers.number_of(terms[i], pod.meta.ns)];
      aversion.term = &terms[i];
      aversion.owner_ns = pod.meta.ns;
      aversion.bearers.push_back({&pod, order, i});
    }
  }
}

}  // namespace dsdoctor::scheduling
