// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pod_requests.h"

#include <algorithm>

namespace dsdoctor::scheduling {
namespace {

void add(Amounts& to, const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) to[name] += amount;
}

/// Raises each amount of `to` to that of `amounts` if it is larger.
void raise(Amounts& to, const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    const auto [at, is_new] = to.try_emplace(name, amount);
    if (!is_new && amount > at->second) at->second = amount;
  }
}

bool is_resize_infeasible(const model::Pod& pod) {
  const auto pending = model::find_condition(pod.conditions, "PodResizePending");
  return pending != nullptr && pending->reason == "Infeasible";
}

/// Adds up the containers of one pod.
class Sum {
 public:
  Sum(const model::Pod& pod, Resized resized)
      : pod_(pod), honours_resize_(resized == Resized::Honour) {}

  [[nodiscard]] PodRequests take() && {
    for (const model::Container& container : pod_.spec->containers) {
      add(result_.amounts, of(container, "containers", pod_.statuses));
    }
    add_init_containers();
    replace_pod_level();
    add(result_.amounts, amounts_of(pod_.spec->overhead, "overhead", result_.unusable));
    return std::move(result_);
  }

 private:
  [[nodiscard]] Amounts of(const model::Container& container, const char* list,
                           const model::ContainerStatuses& statuses) {
    const std::string where = std::string(list) + "[" + container.name.str() + "].requests";
    Amounts of_spec = amounts_of(container.requests, where, result_.unusable);
    if (!honours_resize_) return of_spec;
    const auto status = model::find_status(statuses, container.name);
    if (status == nullptr || !status->requests) return of_spec;
    static const model::Labels none;
    return largest(std::move(of_spec), *status->requests,
                   status->allocated_resources ? *status->allocated_resources : none, where);
  }

  /// The requested, used and allocated amounts; requests that cannot be met are ignored.
  [[nodiscard]] Amounts largest(Amounts of_spec, const model::Labels& in_use,
                                const model::Labels& allocated, const std::string& where) {
    if (is_resize_infeasible(pod_)) of_spec.clear();
    raise(of_spec, amounts_of(in_use, where, result_.unusable));
    raise(of_spec, amounts_of(allocated, where, result_.unusable));
    return of_spec;
  }

  /// While an init container runs, the sidecars before it run too.
  void add_init_containers() {
    static const model::ContainerStatuses none;
    Amounts sidecars;
    Amounts peak;
    for (const model::Container& container : pod_.spec->init_containers) {
      const bool sidecar = is_sidecar(container);
      Amounts step = of(container, "initContainers", sidecar ? pod_.init_statuses : none);
      if (sidecar) add(result_.amounts, step);
      add(step, sidecars);
      if (sidecar) sidecars = step;
      raise(peak, step);
    }
    raise(result_.amounts, peak);
  }

  void replace_pod_level() {
    if (!pod_.spec->requests) return;
    const std::string where = "resources.requests";
    const Amounts of_spec = amounts_of(*pod_.spec->requests, where, result_.unusable);
    Amounts now = of_spec;
    if (honours_resize_ && pod_.resized_requests) {
      now = largest(of_spec, *pod_.resized_requests, pod_.allocated_resources, where);
    }
    for (const auto& [name, amount] : of_spec) {
      if (is_pod_level_resource(name)) result_.amounts[name] = now[name];
    }
  }

  const model::Pod& pod_;
  bool honours_resize_;
  PodRequests result_;
};

}  // namespace

PodRequests pod_requests(const model::Pod& pod, Resized resized) {
  return Sum(pod, resized).take();
}

bool is_pod_level_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

Amounts amounts_of(const model::Labels& labels, const std::string& where,
                   std::vector<std::string>& unusable) {
  Amounts result;
  for (const auto& [name, text] : labels) {
    if (const auto amount = Quantity::parse(text)) {
      result[name.str()] = *amount;
    } else {
      unusable.push_back(where + "[" + name.str() + "]: " + text.str());
    }
  }
  return result;
}

}  // namespace dsdoctor::scheduling
