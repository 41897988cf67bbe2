#include "diagnosis/evidence/invalid_quantities.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_set>

#include "scheduling/quantity.h"

namespace dsdoctor::diagnosis {
namespace {

class Check {
 public:
  /// `object`: "Node/gpu-1".
  void amounts(const model::Labels& amounts, std::string_view object, std::string_view field) {
    for (const auto& [resource, amount] : amounts) {
      if (is_valid(amount.view())) continue;
      warnings_.push_back(
          {fmt::format("{} {}[{}]", object, field, resource.view()),
           fmt::format("\"{}\" is not a quantity such as 500m, 2 or 1Gi; it is ignored",
                       amount.view())});
    }
  }
  void pod(const model::PodSpec& spec, std::string_view object, std::string_view field) {
    amounts(spec.overhead, object, fmt::format("{}.overhead", field));
    if (spec.requests) {
      amounts(*spec.requests, object, fmt::format("{}.resources.requests", field));
    }
    containers(spec.init_containers, object, fmt::format("{}.initContainers", field));
    containers(spec.containers, object, fmt::format("{}.containers", field));
  }

  std::vector<model::Warning> take() { return std::move(warnings_); }

 private:
  void containers(const std::vector<model::Container>& list, std::string_view object,
                  const std::string& field) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      amounts(list[i].requests, object, fmt::format("{}[{}].resources.requests", field, i));
      amounts(list[i].limits, object, fmt::format("{}[{}].resources.limits", field, i));
    }
  }

  /// A cluster has few different amounts.
  bool is_valid(std::string_view amount) {
    if (valid_.contains(amount)) return true;
    if (!scheduling::Quantity::parse(amount)) return false;
    valid_.insert(amount);
    return true;
  }

  std::unordered_set<std::string_view> valid_;  // into the cluster
  std::vector<model::Warning> warnings_;
};

std::string object_name(std::string_view kind, const model::ObjectMeta& meta) {
  return meta.ns.empty() ? fmt::format("{}/{}", kind, meta.name.view())
                         : fmt::format("{}/{}/{}", kind, meta.ns.view(), meta.name.view());
}

}  // namespace

std::vector<model::Warning> invalid_quantities(const model::Cluster& cluster) {
  Check check;
  for (const model::Node& node : cluster.nodes) {
    const std::string object = object_name("Node", node.meta);
    check.amounts(node.allocatable, object, "status.allocatable");
    check.amounts(node.capacity, object, "status.capacity");
  }
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    check.pod(ds.pod_template.spec, object_name("DaemonSet", ds.meta), "spec.template.spec");
  }
  for (const model::Pod& pod : cluster.pods) {
    check.pod(*pod.spec, object_name("Pod", pod.meta), "spec");
  }
  return check.take();
}

}  // namespace dsdoctor::diagnosis
