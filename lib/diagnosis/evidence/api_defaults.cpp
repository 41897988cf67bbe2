// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/api_defaults.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduling/quantity.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::Quantity;

/// Whether the image has the tag `latest`, which is also the default without tag and digest.
bool has_tag_latest(std::string_view image) {
  const std::size_t digest = image.find('@');
  const std::string_view named = image.substr(0, digest);
  const std::string_view name = named.substr(named.rfind('/') + 1);
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return digest == std::string_view::npos;
  return name.substr(colon + 1) == "latest";
}

/// Sets a field to its default if it is empty, unless the stored field is empty, too.
template <typename T>
void set_default(T& field, const T* stored, const auto& value) {
  if (field != T{} || (stored != nullptr && *stored == T{})) return;
  field = T(value);
}
/// A field of the stored object; null without a stored object.
template <typename T, typename Owner>
const T* field_of(const Owner* stored, T Owner::*field) {
  return stored == nullptr ? nullptr : &(stored->*field);
}

void set_defaults(std::optional<model::Probe>& probe, const std::optional<model::Probe>* stored) {
  using model::Probe;
  if (!probe) return;
  const Probe* other = stored != nullptr && *stored ? &**stored : nullptr;
  set_default(probe->period, field_of(other, &Probe::period), 10);
  set_default(probe->success_threshold, field_of(other, &Probe::success_threshold), 1);
  set_default(probe->failure_threshold, field_of(other, &Probe::failure_threshold), 3);
}

void set_defaults(model::Container& container, const model::Container* stored) {
  using model::Container;
  set_default(container.image_pull_policy, field_of(stored, &Container::image_pull_policy),
              has_tag_latest(container.image) ? "Always" : "IfNotPresent");
  for (std::size_t i = 0; i < container.ports.size(); ++i) {
    const auto* same = stored != nullptr && i < stored->ports.size() ? &stored->ports[i] : nullptr;
    set_default(container.ports[i].protocol, field_of(same, &model::ContainerPort::protocol),
                "TCP");
  }
  set_defaults(container.startup_probe, field_of(stored, &Container::startup_probe));
  set_defaults(container.readiness_probe, field_of(stored, &Container::readiness_probe));
  set_defaults(container.liveness_probe, field_of(stored, &Container::liveness_probe));
}

void set_defaults(std::vector<model::Container>& containers,
                  const std::vector<model::Container>* stored) {
  for (model::Container& container : containers) {
    const model::Container* same = nullptr;
    if (stored != nullptr) {
      const auto at = std::ranges::find(*stored, container.name, &model::Container::name);
      if (at != stored->end()) same = &*at;
    }
    set_defaults(container, same);
  }
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

void set_api_defaults(model::PodTemplate& pod_template, const model::PodTemplate* stored) {
  using model::PodSpec;
  PodSpec& spec = pod_template.spec;
  const PodSpec* other = field_of(stored, &model::PodTemplate::spec);
  set_default(spec.scheduler_name, field_of(other, &PodSpec::scheduler_name), "default-scheduler");
  set_default(spec.grace_seconds, field_of(other, &PodSpec::grace_seconds), std::int64_t{30});
  set_defaults(spec.containers, field_of(other, &PodSpec::containers));
  set_defaults(spec.init_containers, field_of(other, &PodSpec::init_containers));
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
