#include "diagnosis/report/eligibility.h"

#include "diagnosis/evidence/attribution.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view created = "metadata.creationTimestamp";
constexpr std::string_view managed = "metadata.managedFields";

class Latest {
 public:
  void take(const model::OptionalTime& moment, bool by_node, std::string_view field) {
    if (moment && (!result_.time || *moment > *result_.time)) result_ = {moment, by_node, field};
  }
  void take(const std::optional<Attribution>& writer) {
    if (writer) take(writer->not_later_than, true, managed);
  }
  [[nodiscard]] EligibleSince result() const { return result_; }

 private:
  EligibleSince result_;
};

}  // namespace

EligibleSince eligible_since(const NodeCase& of) {
  Latest latest;
  const model::ObjectMeta& node = of.node.meta;
  const model::ObjectMeta& ds = of.of.ds.meta;
  const model::PodTemplate& pod = of.of.ds.pod_template;
  latest.take(node.created, true, created);
  if (const auto* ready = model::find_condition(of.node.conditions, "Ready")) {
    latest.take(ready->last_transition, true, "status.conditions[Ready]");
  }
  for (const auto& [key, value] : pod.node_selector) latest.take(label_writer(node, key));
  if (pod.node_affinity) {
    for (const model::NodeSelectorTerm& term : pod.node_affinity->terms) {
      for (const auto& required : term.match_expressions) {
        latest.take(label_writer(node, required.key));
      }
    }
  }
  latest.take(ds.created, false, created);
  for (const model::FieldManager& manager : ds.managers) {
    if (manager.spec) latest.take(manager.time, false, managed);
  }
  return latest.result();
}

}  // namespace dsdoctor::diagnosis
