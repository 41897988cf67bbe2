// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/idle.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/edit_distance.h"
#include "base/text.h"
#include "diagnosis/evidence/attribution.h"

namespace dsdoctor::diagnosis {
namespace {

using namespace std::chrono_literals;

// The template's author is probably still working on it.
constexpr auto fresh_when_new = 1h;
constexpr auto fresh_when_changed = 24h;
constexpr std::size_t least_typed = 4;  // shorter words resemble each other by chance

/// A label requirement that a node does not meet.
struct LabelClause {
  std::string_view key;
  std::string_view want;  // empty: any of several values
  const std::optional<model::Text>* have = nullptr;
};

std::optional<LabelClause> label_clause(const placement::Reason& reason) {
  if (const auto* r = std::get_if<placement::NodeSelectorMismatch>(&reason)) {
    return LabelClause{r->key, r->want, &r->have};
  }
  const auto* r = std::get_if<placement::AffinityTermMismatch>(&reason);
  if (r == nullptr || r->in_fields || r->fault) return std::nullopt;
  const auto& values = r->requirement->values;
  const bool one = r->requirement->op == "In" && values.size() == 1;
  return LabelClause{r->requirement->key, one ? values.front().view() : std::string_view(),
                     &r->have};
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words,
                             [&](auto word) { return text.find(word) != std::string_view::npos; });
}

/// Whether the label names a pool or a property of a machine: such nodes come and go.
bool comes_and_goes(const LabelClause& clause) {
  const std::string key = base::lower_case(clause.key);
  const std::string want = base::lower_case(clause.want);
  if (key.starts_with("kubernetes.io/") || key.starts_with("node.kubernetes.io/") ||
      key.starts_with("topology.kubernetes.io/") ||
      key.starts_with("feature.node.kubernetes.io/")) {
    return true;
  }
  return has_any(key, {"pool", "nodegroup", "node-group", "gpu", "accelerator", "nvidia.com/",
                       "spot", "preemptible", "interruptible", "lifecycle", "capacity-type",
                       "capacitytype", "scalesetpriority", "non-exist", "nonexist", "disabled"}) ||
         has_any(want, {"spot", "preemptible", "non-exist", "nonexist", "disabled"});
}

/// Lower case without separators, which users mix up.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : base::lower_case(text)) {
    if (c != '-' && c != '_' && c != '.') result += c;
  }
  return result;
}

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Whether one may be a typo of the other. Numbers that differ in one digit are different.
bool comes_close(std::string_view a, std::string_view b) {
  if (a == b || a.empty() || b.empty()) return false;
  if (plain(a) == plain(b)) return true;
  if (a.size() < least_typed || has_digit(a) || has_digit(b)) return false;
  return base::is_within_one_edit(a, b);
}

bool is_yes(std::string_view value) {
  return value == "true" || value == "yes" || value == "on" || value == "1";
}

/// Whether both values mean yes in different spellings: then the pool is not empty.
bool says_the_same(const LabelClause& clause) {
  return *clause.have && is_yes(clause.want) && is_yes((*clause.have)->view());
}

bool is_near_miss(const LabelClause& clause, const model::Node& node) {
  if (*clause.have) return comes_close(clause.want, (*clause.have)->view());
  return std::ranges::any_of(node.meta.labels, [&](const auto& label) {
    return comes_close(clause.key, label.first) &&
           (clause.want.empty() || clause.want == label.second.view());
  });
}

/// True if a label excludes the node and none of its failed label requirements nearly matches.
bool is_left_out_on_purpose(const NodeReport& report, const model::Node& node) {
  bool by_label = false;
  for (const placement::Reason& reason : report.reasons()) {
    const auto clause = label_clause(reason);
    if (!clause) continue;
    by_label = true;
    if (says_the_same(*clause)) return false;
    if (!comes_and_goes(*clause) && is_near_miss(*clause, node)) return false;
  }
  return by_label;
}

bool is_fresh(const DaemonSetCase& of) {
  const auto& meta = of.ds.meta;
  const auto writer = spec_writer(meta);
  const bool changed = of.ds.generation > 1;
  const auto since = changed && writer ? writer->not_later_than : meta.created;
  return since && of.facts.now() - *since < (changed ? fresh_when_changed : fresh_when_new);
}

}  // namespace

bool is_idle_by_design(const DaemonSetCase& of) {
  const DaemonSetReport& report = of.report;
  const bool agreed = of.ds.generation > 0 && of.ds.observed_generation == of.ds.generation &&
                      report.reported.desired_number_scheduled == 0;
  if (!agreed || report.nodes_with_pods > 0) return false;
  bool goes = true;  // on each node, a label of a pool or machine does not match
  for (const NodeReport& entry : report.nodes) {
    const model::Node* node = model::find_node(of.facts.cluster(), entry.name);
    if (node == nullptr || !is_left_out_on_purpose(entry, *node)) return false;
    goes = goes && std::ranges::any_of(entry.reasons(), [](const placement::Reason& reason) {
             const auto clause = label_clause(reason);
             return clause && comes_and_goes(*clause);
           });
  }
  return goes || !is_fresh(of);
}

}  // namespace dsdoctor::diagnosis
