// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/invalid_quantities.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_set>

#include "diagnosis/catalogue/object_evidence.h"
#include "scheduling/quantity.h"

namespace dsdoctor::diagnosis {
namespace {

struct InvalidAmount {
  ObjectRef object;
  std::string field;
  std::string resource;
  std::string amount;
};

class Check {
 public:
  void amounts(const model::Labels& amounts, const ObjectRef& object, std::string_view field) {
    for (const auto& [resource, amount] : amounts) {
      if (is_valid(amount.view())) continue;
      found_.push_back({object, std::string(field), resource.str(), amount.str()});
    }
  }
  void pod(const model::PodSpec& spec, const ObjectRef& object, std::string_view field) {
    amounts(spec.overhead, object, fmt::format("{}.overhead", field));
    if (spec.requests) {
      amounts(*spec.requests, object, fmt::format("{}.resources.requests", field));
    }
    containers(spec.init_containers, object, fmt::format("{}.initContainers", field));
    containers(spec.containers, object, fmt::format("{}.containers", field));
  }

  [[nodiscard]] std::vector<model::Warning> warnings() const {
    std::vector<model::Warning> result;
    for (const auto& [object, field, resource, amount] : found_) {
      result.push_back(
          {fmt::format("{}/{}{}{} {}[{}]", object.kind, object.ns, object.ns.empty() ? "" : "/",
                       object.name, field, resource),
           fmt::format("\"{}\" is not a quantity such as 500m, 2 or 1Gi; it is ignored", amount)});
    }
    return result;
  }
  [[nodiscard]] std::vector<Evidence> evidence() const {
    std::vector<Evidence> result;
    for (const auto& [object, field, resource, amount] : found_) {
      result.emplace_back(object, fmt::format("{}['{}']", field, resource), evidence_value(amount));
    }
    return result;
  }

 private:
  void containers(const std::vector<model::Container>& list, const ObjectRef& object,
                  const std::string& field) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      amounts(list[i].requests, object, fmt::format("{}[{}].resources.requests", field, i));
      amounts(list[i].limits, object, fmt::format("{}[{}].resources.limits", field, i));
    }
  }

  /// Caches valid amounts, because a cluster has few different ones.
  bool is_valid(std::string_view amount) {
    if (valid_.contains(amount)) return true;
    if (!scheduling::Quantity::parse(amount)) return false;
    valid_.insert(amount);
    return true;
  }

  std::unordered_set<std::string_view> valid_;  // into the cluster
  std::vector<InvalidAmount> found_;
};

}  // namespace

std::vector<model::Warning> invalid_quantities(const model::Cluster& cluster) {
  Check check;
  for (const model::Node& node : cluster.nodes) {
    check.amounts(node.allocatable, ref_of(node), "status.allocatable");
    check.amounts(node.capacity, ref_of(node), "status.capacity");
  }
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    check.pod(ds.pod_template.spec, ref_of(ds), "spec.template.spec");
  }
  for (const model::Pod& pod : cluster.pods) check.pod(*pod.spec, ref_of(pod), "spec");
  return check.warnings();
}

std::vector<Evidence> invalid_offers(const model::Node& node) {
  Check check;
  check.amounts(node.allocatable, ref_of(node), "status.allocatable");
  return check.evidence();
}

std::vector<Evidence> invalid_requests(const model::PodSpec& spec, const ObjectRef& object,
                                       std::string_view field) {
  Check check;
  check.pod(spec, object, field);
  return check.evidence();
}

}  // namespace dsdoctor::diagnosis
