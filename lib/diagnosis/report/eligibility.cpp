// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/report/eligibility.h"

#include <fmt/format.h>

#include "diagnosis/evidence/attribution.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view created = "metadata.creationTimestamp";

class Latest {
 public:
  void take(const model::OptionalTime& moment, bool by_node, std::string_view path) {
    if (!is_later(moment)) return;
    result_ = {moment, by_node, std::string(path)};
  }
  void take(const model::ObjectMeta& meta, const std::optional<Attribution>& writer, bool by_node) {
    if (!writer || !is_later(writer->not_later_than)) return;
    result_ = {writer->not_later_than, by_node, writer_path(meta, *writer) + ".time"};
  }
  [[nodiscard]] EligibleSince result() const { return result_; }

 private:
  [[nodiscard]] bool is_later(const model::OptionalTime& moment) const {
    return moment && (!result_.time || *moment > *result_.time);
  }

  EligibleSince result_;
};

}  // namespace

EligibleSince eligible_since(const NodeCase& of) {
  Latest latest;
  const model::Node& node = of.node;
  const model::ObjectMeta& ds = of.of.ds.meta;
  const model::PodTemplate& pod = of.of.ds.pod_template;
  latest.take(node.meta.created, true, created);
  for (std::size_t i = 0; i < node.conditions.size(); ++i) {
    if (node.conditions[i].type != "Ready") continue;
    const std::string path = fmt::format("status.conditions[{}].lastTransitionTime", i);
    latest.take(node.conditions[i].last_transition, true, path);
    break;
  }
  for (const auto& [key, value] : pod.node_selector) {
    latest.take(node.meta, label_writer(node.meta, key), true);
  }
  if (pod.node_affinity) {
    for (const model::NodeSelectorTerm& term : pod.node_affinity->terms) {
      for (const auto& required : term.match_expressions) {
        latest.take(node.meta, label_writer(node.meta, required.key), true);
      }
    }
  }
  latest.take(ds.created, false, created);
  for (std::size_t i = 0; i < ds.managers.size(); ++i) {
    const std::string path = fmt::format("metadata.managedFields[{}].time", i);
    if (ds.managers[i].spec) latest.take(ds.managers[i].time, false, path);
  }
  return latest.result();
}

}  // namespace dsdoctor::diagnosis
