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

model::Found<model::ContainerStatus> status_of(const model::Pod& pod, std::string_view container) {
  const auto status = model::find_status(pod.statuses, container);
  return status != nullptr ? status : model::find_status(pod.init_statuses, container);
}

/// The amounts of all containers together. `amounts(container, list, is_beside)` returns those of a
/// container in `spec.LIST`; `is_beside`: it is an app container or runs beside them.
template <typename AmountsOf>
Amounts sum_of(const model::PodSpec& spec, const AmountsOf& amounts) {
  Amounts sum;
  for (const model::Container& container : spec.containers) {
    add(sum, amounts(container, "containers", true));
  }
  // While an init container runs, the sidecars before it run too.
  Amounts sidecars;
  Amounts peak;
  for (const model::Container& container : spec.init_containers) {
    const bool sidecar = is_sidecar(container);
    Amounts step = amounts(container, "initContainers", sidecar);
    if (sidecar) add(sum, step);
    add(step, sidecars);
    if (sidecar) sidecars = step;
    raise(peak, step);
  }
  raise(sum, peak);
  return sum;
}

/// Adds up the requests of one pod.
class Sum {
 public:
  Sum(const model::Pod& pod, CountedBy counted_by)
      : pod_(pod), counted_by_(counted_by), is_infeasible_(is_resize_infeasible(pod)) {}

  [[nodiscard]] PodRequests take() && {
    const model::PodSpec& spec = *pod_.spec;
    switch (counted_by_) {
      case CountedBy::Spec:
        result_.amounts = sum_of(spec, [&](const auto& container, const char* list, bool) {
          return of_spec(container, list);
        });
        break;
      case CountedBy::Containers:
        result_.amounts =
            sum_of(spec, [&](const auto& container, const char* list, bool is_beside) {
              return is_beside ? largest_of(container, list) : of_spec(container, list);
            });
        break;
      case CountedBy::WholePod: result_.amounts = of_whole_pod(); break;
    }
    replace_pod_level();
    add(result_.amounts, amounts_of(spec.overhead, "overhead", result_.unusable));
    return std::move(result_);
  }

 private:
  static std::string path_of(const model::Container& container, const char* list) {
    return std::string(list) + "[" + container.name.str() + "].requests";
  }

  [[nodiscard]] Amounts of_spec(const model::Container& container, const char* list) {
    return amounts_of(container.requests, path_of(container, list), result_.unusable);
  }

  [[nodiscard]] Amounts largest_of(const model::Container& container, const char* list) {
    Amounts amounts = of_spec(container, list);
    const bool is_app = std::string_view(list) == "containers";
    const auto status =
        model::find_status(is_app ? pod_.statuses : pod_.init_statuses, container.name);
    if (status == nullptr || !status->requests) return amounts;
    static const model::Labels none;
    return largest(std::move(amounts), *status->requests,
                   status->allocated_resources ? *status->allocated_resources : none,
                   path_of(container, list));
  }

  /// The requested, used and allocated amounts; requests that cannot be met are ignored.
  [[nodiscard]] Amounts largest(Amounts of_spec, const model::Labels& in_use,
                                const model::Labels& allocated, const std::string& where) {
    if (is_infeasible_) of_spec.clear();
    raise(of_spec, amounts_of(in_use, where, result_.unusable));
    raise(of_spec, amounts_of(allocated, where, result_.unusable));
    return of_spec;
  }

  [[nodiscard]] Amounts of_whole_pod() {
    Amounts sum = sum_of(*pod_.spec, [&](const auto& container, const char* list, bool) {
      return of_spec(container, list);
    });
    if (is_infeasible_) sum.clear();
    const std::string where = "status.resources.requests";
    const bool has_sums = pod_.resized_requests && !pod_.resized_requests->empty();
    if (has_sums && !pod_.allocated_resources.empty()) {
      raise(sum, amounts_of(*pod_.resized_requests, where, result_.unusable));
      raise(sum, amounts_of(pod_.allocated_resources, where, result_.unusable));
      return sum;
    }
    for (const bool actuated : {true, false}) {
      raise(sum, sum_of(*pod_.spec, [&](const auto& container, const char* list, bool) {
              return of_status(container, list, actuated);
            }));
    }
    return sum;
  }

  /// The amounts that the container uses, or those that were allocated to it; without a status
  /// those of its spec.
  [[nodiscard]] Amounts of_status(const model::Container& container, const char* list,
                                  bool actuated) {
    const auto status = status_of(pod_, container.name);
    const std::string where = path_of(container, list);
    if (actuated && status != nullptr && status->requests && !status->requests->empty()) {
      return amounts_of(*status->requests, where, result_.unusable);
    }
    if (status != nullptr && status->allocated_resources) {
      return amounts_of(*status->allocated_resources, where, result_.unusable);
    }
    return is_infeasible_ ? Amounts() : of_spec(container, list);
  }

  void replace_pod_level() {
    if (!pod_.spec->requests) return;
    const std::string where = "resources.requests";
    const Amounts of_spec = amounts_of(*pod_.spec->requests, where, result_.unusable);
    const bool has_any = std::ranges::any_of(
        of_spec, [](const auto& entry) { return is_pod_level_resource(entry.first); });
    if (!has_any) return;
    Amounts now = of_spec;
    if (counted_by_ != CountedBy::Spec && pod_.resized_requests) {
      now = largest(of_spec, *pod_.resized_requests, pod_.allocated_resources, where);
    }
    // From 1.37 on the status may name resources that the spec does not.
    for (const auto& [name, amount] : counted_by_ == CountedBy::WholePod ? now : of_spec) {
      if (is_pod_level_resource(name)) result_.amounts[name] = now[name];
    }
  }

  const model::Pod& pod_;
  CountedBy counted_by_;
  bool is_infeasible_;
  PodRequests result_;
};

}  // namespace

CountedBy counted_by(model::Release release) {
  return applies(model::ReleaseRule::ComparesRequestsOfWholePods, release) ? CountedBy::WholePod
                                                                           : CountedBy::Containers;
}

PodRequests pod_requests(const model::Pod& pod, CountedBy counted_by) {
  return Sum(pod, counted_by).take();
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
