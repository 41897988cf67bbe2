// SPDX-License-Identifier: Apache-2.0

// Resources and the number of pods.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/saturating.h"
#include "diagnosis/causes/pending/movable_pod.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/causes/pending/written_after.h"
#include "diagnosis/evidence/invalid_quantities.h"
#include "scheduling/fit.h"
#include "scheduling/preemption.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::Demand;
using scheduling::FitResult;
using scheduling::Load;
using scheduling::Rounding;
using scheduling::Shortage;

FindingKind kind_of_shortage(const Shortage& shortage, Message what) {
  const std::string_view resource = shortage.demand.resource;
  const auto of = [&](FindingId id) {
    return finding::Scheduling{.id = id, .what = std::move(what)};
  };
  if (resource == "cpu") return of(FindingId::SchedInsufficientCpu);
  if (resource == "memory") return of(FindingId::SchedInsufficientMemory);
  if (resource == "ephemeral-storage") return of(FindingId::SchedInsufficientEphemeralStorage);
  if (resource.starts_with("hugepages-")) return of(FindingId::SchedInsufficientHugepages);
  const bool is_offered = shortage.demand.allocatable > 0;
  return finding::SchedInsufficientExtended{.none_is_offered = !is_offered,
                                            .other_pods_hold_it = is_offered && shortage.used > 0,
                                            .what = std::move(what)};
}

/// "7", "30Gi", in the unit of the request.
std::string amount(const Demand& demand, std::int64_t number, Rounding rounding) {
  return to_string_like(quantity_of(demand, number), quantity_of(demand, demand.request), rounding);
}

std::string request_text(const Demand& demand) {
  return to_string(quantity_of(demand, demand.request));
}

/// The largest users of the resource with index `at`, in descending order.
std::optional<Message> largest_takers(const Demand& demand, const std::vector<Load>& loads,
                                      std::size_t at) {
  std::vector<const Load*> takers;
  for (const Load& load : loads) {
    if (load.amounts[at] > 0) takers.push_back(&load);
  }
  if (takers.empty()) return std::nullopt;
  std::ranges::stable_sort(takers, std::greater{}, [&](const Load* l) { return l->amounts[at]; });
  return first_of(takers, [&](const Load* load) {
    return phrase::ShareOfPod{.amount = amount(demand, load->amounts[at], Rounding::Up),
                              .its_pod = ref_of(*load->pod)};
  });
}

/// Why the node does not offer the device; absent if it offers any, or if the resource is not a
/// device.
std::optional<Message> why_not_offered(const Demand& demand) {
  if (!scheduling::is_extended_resource(demand.resource)) return std::nullopt;
  if (!demand.offered) return phrase::DeviceNotRegistered{};
  if (demand.allocatable == 0) return phrase::DeviceNotHealthy{};
  return std::nullopt;
}

/// The group of a request: "1 example.com/gpu unregistered".
std::string request_group(const Demand& demand) {
  std::string request = fmt::format("{} {}", request_text(demand), demand.resource);
  if (!why_not_offered(demand)) return request;
  return request + (demand.offered ? " unhealthy" : " unregistered");
}

/// The node's capacity; empty if it is close to what the node offers, because little of it is
/// reserved for the system.
std::string capacity_text(const model::Node& node, const Demand& demand) {
  const model::Text* text = node.capacity.find(demand.resource);
  const auto capacity = text ? scheduling::Quantity::parse(*text) : std::nullopt;
  if (!capacity) return {};
  const auto allocatable = quantity_of(demand, demand.allocatable);
  if (capacity->nanos() - allocatable.nanos() < capacity->nanos() / 5) return {};
  return to_string(*capacity);
}

Message owner_phrase(const model::Pod& pod) {
  if (pod.mirror) return phrase::StaticPods{};
  if (!pod.meta.controller) return phrase::PodsWithoutOwner{};
  return owner_of(pod);
}

/// True if only extended resources are short, but the scheduler reports something else: it is
/// configured to ignore them.
bool is_left_aside(const PendingCase& c, const FitResult& result, const Blockers& before) {
  if (!c.said || c.said->reasons.empty() || result.too_many_pods || !before.empty()) return false;
  return std::ranges::all_of(result.shortages, [&](const Shortage& shortage) {
    return scheduling::is_extended_resource(shortage.demand.resource) &&
           !c.says(FindingId::SchedInsufficientExtended, shortage.demand.resource);
  });
}

/// The resources that a pod requests on a node, and the pods that use them.
class Resources {
 public:
  explicit Resources(const PendingCase& c) : c_(c), fit_(c.fit().fit), loads_(c.fit().loads) {
    for (const Load& load : loads_) {
      if (!load.pod->meta.deleted) staying_.push_back(load);
    }
  }

  void add_blockers(Blockers& into) const {
    const FitResult result = fit_.beside(loads_);
    if (!c_.knows_here) return add_never_fits(fit_.beside({}), into);
    if (is_left_aside(c_, result, into)) return;
    add_never_fits(result, into);
    if (result.too_many_pods) into.push_back(too_many_pods());
    for (const Shortage& shortage : result.shortages) into.push_back(insufficient(shortage));
  }

 private:
  [[nodiscard]] Evidence offer(std::string_view resource) const {
    const model::Text* amount = c_.node.allocatable.find(resource);
    return {ref_of(c_.node), entry_path("status.allocatable", resource),
            amount != nullptr ? amount->str() : std::string()};
  }

  void add_requests(std::string_view resource, std::vector<Evidence>& into) const {
    const auto add = [&](const model::Labels& requests, const std::string& place) {
      const model::Text* amount = requests.find(resource);
      if (amount == nullptr) return;
      into.push_back(
          spec_evidence(c_, entry_path(place + "resources.requests", resource), *amount));
    };
    const model::PodSpec& spec = *c_.pod.spec;
    if (spec.requests) add(*spec.requests, "");
    for (std::size_t i = 0; i < spec.containers.size(); ++i) {
      add(spec.containers[i].requests, fmt::format("containers[{}].", i));
    }
    for (std::size_t i = 0; i < spec.init_containers.size(); ++i) {
      add(spec.init_containers[i].requests, fmt::format("initContainers[{}].", i));
    }
  }

  void add_ignored(std::vector<Evidence>& into) const {
    if (fit_.unusable().empty()) return;
    for (Evidence& amount : ignored_amounts(c_)) {
      if (std::ranges::find(into, amount) == into.end()) into.push_back(std::move(amount));
    }
  }

  void add_never_fits(const FitResult& result, Blockers& into) const {
    std::vector<Message> requests;
    std::string group;
    std::vector<Evidence> evidence;
    bool only_devices = true;  // missing on the node: no request is too large
    for (const Shortage& shortage : result.shortages) {
      const Demand& demand = shortage.demand;
      if (!shortage.never_fits()) continue;
      const auto why = why_not_offered(demand);
      only_devices = only_devices && why;
      requests.push_back(
          phrase::TooLargeRequest{.allocatable = amount(demand, demand.allocatable, Rounding::Down),
                                  .capacity = capacity_text(c_.node, demand),
                                  .request = request_text(demand),
                                  .resource = demand.resource,
                                  .why = why});
      group += request_group(demand) + " ";
      evidence.push_back(offer(demand.resource));
    }
    if (requests.empty()) return;
    add_ignored(evidence);
    Blocker blocker{
        pending_finding(c_,
                        finding::SchedNeverFits{.ignored = fit_.unusable(),
                                                .on_node = c_.node.meta.name,
                                                .only_devices_are_lacking = only_devices,
                                                .requests = std::move(requests)},
                        std::move(evidence)),
        true};
    blocker.finding.group = std::move(group);
    for (const Shortage& shortage : result.shortages) {
      if (shortage.never_fits() && blocker.finding.message.notes.empty()) {
        note_changed_request(c_, shortage, blocker.finding);
      }
    }
    into.push_back(std::move(blocker));
  }

  [[nodiscard]] Message what_is_short(const Shortage& shortage) const {
    const Demand& demand = shortage.demand;
    const std::int64_t free = std::max<std::int64_t>(shortage.free(), 0);
    const auto if_offered = [&](std::int64_t number, Rounding rounding) {
      return demand.offered ? amount(demand, number, rounding) : std::string();
    };
    return phrase::Shortage{
        .allocatable = if_offered(demand.allocatable, Rounding::Down),
        .free = if_offered(free, Rounding::Down),
        .ignored = fit_.unusable(),
        .largest = largest_takers(demand, loads_, index_of(demand)),
        .repeated = repeated_overhead(shortage),
        .request = request_text(demand),
        .resource = demand.resource,
        .used = shortage.free() < 0 ? if_offered(shortage.used, Rounding::Up) : std::string(),
        .why = why_not_offered(demand)};
  }

  /// Absent unless the pod would fit if the overhead of every pod counted once.
  [[nodiscard]] std::optional<Message> repeated_overhead(const Shortage& shortage) const {
    const Demand& demand = shortage.demand;
    const std::size_t at = index_of(demand);
    std::int64_t sum = 0;
    std::int64_t pods = 0;
    for (const Load& load : loads_) {
      const std::int64_t more = fit_.repeated_overhead_of(*load.pod).amounts[at];
      sum = base::saturating_add(sum, more);
      if (more > 0) ++pods;
    }
    if (pods == 0 || shortage.gap() > sum) return std::nullopt;
    return phrase::OverheadCountedTwice{.amount = amount(demand, sum, Rounding::Up),
                                        .pods = pods,
                                        .release = to_string(c_.facts.release().release)};
  }

  [[nodiscard]] Blocker insufficient(const Shortage& shortage) const {
    const Demand& demand = shortage.demand;
    std::vector<Evidence> evidence;
    add_requests(demand.resource, evidence);
    evidence.push_back(offer(demand.resource));
    add_ignored(evidence);
    Blocker blocker{pending_finding(c_, kind_of_shortage(shortage, what_is_short(shortage)),
                                    std::move(evidence)),
                    shortage.never_fits()};
    blocker.finding.group = request_group(demand);
    note_changed_request(c_, shortage, blocker.finding);
    blocker.resource = demand.resource;
    if (demand.offered) {
      const std::int64_t free = std::max<std::int64_t>(shortage.free(), 0);
      blocker.finding.room = Room{free, amount(demand, free, Rounding::Down)};
    }
    if (fits_without_terminating(demand.resource)) blocker.clears_with = terminating_of(c_.here);
    return blocker;
  }

  [[nodiscard]] bool fits_without_terminating(std::string_view resource) const {
    if (staying_.size() == loads_.size()) return false;
    const FitResult later = fit_.beside(staying_);
    return std::ranges::none_of(later.shortages, [&](const Shortage& shortage) {
      return shortage.demand.resource == resource;
    });
  }

  [[nodiscard]] std::size_t index_of(const Demand& demand) const {
    const auto at = std::ranges::find(fit_.demands(), demand);
    return static_cast<std::size_t>(at - fit_.demands().begin());
  }

  [[nodiscard]] Blocker too_many_pods() const {
    const std::int64_t allowed = fit_.allowed_pods().value_or(0);
    std::vector<Evidence> evidence = {offer("pods")};
    add_ignored(evidence);
    Blocker blocker;
    if (allowed <= 0) {
      const phrase::NoPodsAllowed what{.ignored = fit_.unusable(), .on_node = c_.node.meta.name};
      blocker.finding = pending_finding(c_, too_many_pods_with({}, what), std::move(evidence));
      blocker.finding.fix.clear();
      return blocker;
    }
    // Deleting one pod is not enough if the node runs more pods than its limit.
    const bool one_is_enough = static_cast<std::int64_t>(c_.here.size()) <= allowed;
    const phrase::NodeFull what{.limit = allowed,
                                .on_node = c_.node.meta.name,
                                .owners = owners(),
                                .parts = parts(),
                                .pods = c_.here.size()};
    blocker.finding = pending_finding(
        c_, too_many_pods_with(one_is_enough ? movable_pod(c_) : MovablePod(), what),
        std::move(evidence));
    if (static_cast<std::int64_t>(staying_.size()) + 1 <= allowed) {
      blocker.clears_with = terminating_of(c_.here);
    }
    return blocker;
  }

  /// The owners with the most pods, in descending order.
  [[nodiscard]] std::vector<Message> owners() const {
    constexpr std::size_t shown = 3;
    std::map<Message, std::int64_t> counts;
    for (const model::Pod* pod : c_.here) ++counts[owner_phrase(*pod)];
    std::vector<std::pair<Message, std::int64_t>> all(counts.begin(), counts.end());
    std::ranges::stable_sort(all, std::greater{}, [](const auto& o) { return o.second; });
    if (all.size() > shown) all.resize(shown);
    std::vector<Message> result;
    result.reserve(all.size());
    for (auto& [owner, pods] : all) {
      result.push_back(phrase::PodsOfOwner{.owner = std::move(owner), .pods = pods});
    }
    return result;
  }

  /// Counts of pods that show how the node can get room.
  [[nodiscard]] std::vector<Message> parts() const {
    const auto count = [&](auto test) { return std::ranges::count_if(c_.here, test); };
    const std::int64_t priority = scheduling::priority_of(c_.pod);
    const auto terminating = count([](const auto* pod) { return pod->meta.deleted.has_value(); });
    const auto is_static = count([](const auto* pod) { return pod->mirror; });
    const auto of_daemon_sets = count([](const auto* pod) {
      return pod->meta.controller && model::is_daemon_set(*pod->meta.controller);
    });
    const auto lower =
        count([&](const auto* pod) { return scheduling::priority_of(*pod) < priority; });
    std::vector<Message> result;
    if (terminating > 0) result.push_back(phrase::PodsTerminating{.pods = terminating});
    if (is_static > 0) result.push_back(phrase::PodsStatic{.pods = is_static});
    if (of_daemon_sets > 0) result.push_back(phrase::PodsFromDaemonSets{.pods = of_daemon_sets});
    if (lower > 0) {
      result.push_back(phrase::PodsOfLowerPriority{.pods = lower, .priority = priority});
    }
    return result;
  }

  const PendingCase& c_;
  const scheduling::Fit& fit_;
  const std::vector<Load>& loads_;
  std::vector<Load> staying_;
};

}  // namespace

std::vector<Evidence> ignored_amounts(const PendingCase& c) {
  std::vector<Evidence> result = invalid_offers(c.node);
  const auto of_pod = c.predicted
                          ? invalid_requests(*c.pod.spec, ref_of(c.of.of.ds), "spec.template.spec")
                          : invalid_requests(*c.pod.spec, ref_of(c.pod), "spec");
  result.insert(result.end(), of_pod.begin(), of_pod.end());
  return result;
}

void add_resource_blockers(const PendingCase& c, Blockers& into) {
  const bool fits =
      c.requests != nullptr && c.knows_here &&
      scheduling::fits_in(*c.requests, c.facts.room_on(c.node), c.facts.cluster().device_classes);
  if (!fits) Resources(c).add_blockers(into);
}

}  // namespace dsdoctor::diagnosis
