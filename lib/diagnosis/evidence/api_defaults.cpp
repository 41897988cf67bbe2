#include "diagnosis/evidence/api_defaults.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "scheduling/quantity.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::Quantity;

/// Of `latest`, which is the tag of an image without tag and digest.
bool has_tag_latest(std::string_view image) {
  const std::string_view name = image.substr(image.rfind('/') + 1);
  if (name.find('@') != std::string_view::npos) return false;
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos || name.substr(colon + 1) == "latest";
}

void set_defaults(std::optional<model::Probe>& probe) {
  if (!probe) return;
  if (probe->period == 0) probe->period = 10;
  if (probe->success_threshold == 0) probe->success_threshold = 1;
  if (probe->failure_threshold == 0) probe->failure_threshold = 3;
}

void set_defaults(model::Container& container) {
  if (container.image_pull_policy.empty()) {
    container.image_pull_policy = has_tag_latest(container.image) ? "Always" : "IfNotPresent";
  }
  for (model::ContainerPort& port : container.ports) {
    if (port.protocol.empty()) port.protocol = "TCP";
  }
  set_defaults(container.startup_probe);
  set_defaults(container.readiness_probe);
  set_defaults(container.liveness_probe);
}

void adopt(model::Labels& amounts, const model::Labels& stored) {
  std::vector<model::Labels::Entry> entries(amounts.begin(), amounts.end());
  for (auto& [name, amount] : entries) {
    const model::Text* other = stored.find(name);
    if (other == nullptr) continue;
    const auto own = Quantity::parse(amount);
    if (own && own == Quantity::parse(*other)) amount = *other;
  }
  amounts = model::Labels(std::move(entries));
}

void adopt(std::optional<model::Labels>& amounts, const std::optional<model::Labels>& stored) {
  if (amounts && stored) adopt(*amounts, *stored);
}

void adopt(std::vector<model::Container>& containers, const std::vector<model::Container>& stored) {
  for (model::Container& container : containers) {
    const auto same = std::ranges::find(stored, container.name, &model::Container::name);
    if (same == stored.end()) continue;
    adopt(container.requests, same->requests);
    adopt(container.limits, same->limits);
  }
}

}  // namespace

void set_api_defaults(model::PodTemplate& pod_template) {
  model::PodSpec& spec = pod_template.spec;
  if (spec.scheduler_name.empty()) spec.scheduler_name = "default-scheduler";
  if (!spec.grace_seconds) spec.grace_seconds = 30;
  for (model::Container& container : spec.containers) set_defaults(container);
  for (model::Container& container : spec.init_containers) set_defaults(container);
}

void adopt_quantities(model::PodTemplate& pod_template, const model::PodTemplate& stored) {
  model::PodSpec& spec = pod_template.spec;
  adopt(spec.containers, stored.spec.containers);
  adopt(spec.init_containers, stored.spec.init_containers);
  adopt(spec.overhead, stored.spec.overhead);
  adopt(spec.requests, stored.spec.requests);
  adopt(spec.limits, stored.spec.limits);
}

}  // namespace dsdoctor::diagnosis
