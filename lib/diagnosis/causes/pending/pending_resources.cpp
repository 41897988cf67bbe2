// Resources and the number of pods.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnosis/causes/pending/movable_pod.h"
#include "diagnosis/catalogue/findings/scheduling.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/evidence/wording.h"
#include "scheduling/fit.h"
#include "scheduling/preemption.h"

namespace dsdoctor::diagnosis {
namespace {

using scheduling::Demand;
using scheduling::FitResult;
using scheduling::Load;
using scheduling::Rounding;
using scheduling::Shortage;

constexpr std::size_t shown_consumers = 5;

FindingKind kind_of_shortage(const Shortage& shortage) {
  const std::string_view resource = shortage.demand.resource;
  if (resource == "cpu") return FindingId::SchedInsufficientCpu;
  if (resource == "memory") return FindingId::SchedInsufficientMemory;
  if (resource == "ephemeral-storage") return FindingId::SchedInsufficientEphemeralStorage;
  if (resource.starts_with("hugepages-")) return FindingId::SchedInsufficientHugepages;
  const bool is_offered = shortage.demand.allocatable > 0;
  return finding::SchedInsufficientExtended{.none_is_offered = !is_offered,
                                            .other_pods_hold_it = is_offered && shortage.used > 0};
}

/// "7 cpu", "30Gi memory", in the unit of the request.
std::string amount(const Demand& demand, std::int64_t number, Rounding rounding) {
  return to_string_like(quantity_of(demand, number), quantity_of(demand, demand.request), rounding);
}

std::string request_text(const Demand& demand) {
  return fmt::format("{} {}", to_string(quantity_of(demand, demand.request)), demand.resource);
}

/// The largest takers of the resource with the index `at`, largest first.
std::string consumers(const Demand& demand, const std::vector<Load>& loads, std::size_t at) {
  std::vector<const Load*> takers;
  for (const Load& load : loads) {
    if (load.amounts[at] > 0) takers.push_back(&load);
  }
  std::ranges::stable_sort(takers, std::greater{}, [&](const Load* l) { return l->amounts[at]; });
  std::string result;
  for (std::size_t i = 0; i < takers.size() && i < shown_consumers; ++i) {
    result += fmt::format("{}{}/{} {}", i == 0 ? "" : ", ", takers[i]->pod->meta.ns.view(),
                          takers[i]->pod->meta.name.view(),
                          amount(demand, takers[i]->amounts[at], Rounding::Up));
  }
  if (takers.size() > shown_consumers) {
    result += fmt::format(" and {} more", takers.size() - shown_consumers);
  }
  return result;
}

std::string short_text(const Shortage& shortage) {
  const Demand& demand = shortage.demand;
  std::string text = fmt::format("requested {}, ", request_text(demand));
  if (!demand.offered) return text + "the node does not have it";
  text += fmt::format("free {} of {}",
                      amount(demand, std::max<std::int64_t>(shortage.free(), 0), Rounding::Down),
                      amount(demand, demand.allocatable, Rounding::Down));
  if (shortage.free() >= 0) return text;
  return text +
         fmt::format(" (other pods request {})", amount(demand, shortage.used, Rounding::Up));
}

std::string why_not_offered(const Demand& demand) {
  if (!scheduling::is_extended_resource(demand.resource)) return {};
  if (!demand.offered) return "; no device plugin has registered it on the node";
  return demand.allocatable == 0 ? "; the device plugin on the node reports no healthy device" : "";
}

/// Unless the two are close, how much of the node is reserved for the system.
std::string capacity_text(const model::Node& node, const Demand& demand) {
  const model::Text* text = node.capacity.find(demand.resource);
  const auto capacity = text ? scheduling::Quantity::parse(*text) : std::nullopt;
  if (!capacity) return {};
  const auto allocatable = quantity_of(demand, demand.allocatable);
  if (capacity->nanos() - allocatable.nanos() < capacity->nanos() / 5) return {};
  return fmt::format(" (capacity {} minus reserved)", to_string(*capacity));
}

/// The extended resources alone are short, and the scheduler speaks of something else: it has been
/// told to leave them aside.
bool is_left_aside(const PendingCase& c, const FitResult& result, const Blockers& before) {
  if (!c.said || c.said->reasons.empty() || result.too_many_pods || !before.empty()) return false;
  return std::ranges::all_of(result.shortages, [&](const Shortage& shortage) {
    return scheduling::is_extended_resource(shortage.demand.resource) &&
           !c.says(FindingId::SchedInsufficientExtended, shortage.demand.resource);
  });
}

/// "; not understood: status.allocatable[cpu]: lots"; empty where all quantities are.
std::string unusable_text(const std::vector<std::string>& unusable) {
  if (unusable.empty()) return {};
  return fmt::format("; invalid and ignored: {}", wording::listed(unusable));
}

/// What one pod needs of one node, and who has it.
class Resources {
 public:
  explicit Resources(const PendingCase& c) : c_(c), fit_(fit_of(c)) {
    for (const model::Pod* pod : c.here) loads_.push_back(fit_.load_of(*pod));
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
  [[nodiscard]] std::string place() const {
    return fmt::format("Node/{} status.allocatable", c_.node.meta.name.view());
  }

  void add_never_fits(const FitResult& result, Blockers& into) const {
    std::string parts;
    std::string group;
    std::vector<Evidence> evidence;
    bool only_devices = true;  // that nobody offers there: nothing is too small
    for (const Shortage& shortage : result.shortages) {
      const Demand& demand = shortage.demand;
      if (!shortage.never_fits()) continue;
      const std::string why = why_not_offered(demand);
      only_devices = only_devices && !why.empty();
      parts += fmt::format("{}{}, the node has {}{}{}", parts.empty() ? "" : "; ",
                           request_text(demand), amount(demand, demand.allocatable, Rounding::Down),
                           capacity_text(c_.node, demand), why);
      group += request_text(demand) + why + " ";
      evidence.push_back(fmt::format("{}[{}]: {}", place(), demand.resource,
                                     to_string(quantity_of(demand, demand.allocatable))));
    }
    if (parts.empty()) return;
    parts += unusable_text(fit_.unusable());
    Blocker blocker{
        pending_finding(
            c_, finding::SchedNeverFits{.only_devices_are_lacking = only_devices},
            fmt::format("{} is too small: the pod requests {}", c_.node.meta.name.view(), parts),
            std::move(evidence)),
        true};
    blocker.finding.group = std::move(group);
    into.push_back(std::move(blocker));
  }

  [[nodiscard]] Blocker insufficient(const Shortage& shortage) const {
    const Demand& demand = shortage.demand;
    const std::size_t at = index_of(demand);
    std::string message = fmt::format("Insufficient {}: {}", demand.resource, short_text(shortage));
    message += why_not_offered(demand);
    if (const std::string who = consumers(demand, loads_, at); !who.empty()) {
      message += "; largest: " + who;
    }
    message += unusable_text(fit_.unusable());
    std::string group = request_text(demand) + why_not_offered(demand);
    std::vector<Evidence> evidence = {
        fmt::format("{} requests {}", pod_place(c_.pod), request_text(demand)),
        fmt::format(
            "{}[{}]: {}", place(), demand.resource,
            demand.offered ? to_string(quantity_of(demand, demand.allocatable)) : "absent")};
    evidence.insert(evidence.end(), fit_.unusable().begin(), fit_.unusable().end());
    Blocker blocker{
        pending_finding(c_, kind_of_shortage(shortage), std::move(message), std::move(evidence)),
        shortage.never_fits()};
    blocker.finding.group = std::move(group);
    blocker.resource = demand.resource;
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
    std::vector<Evidence> evidence = {fmt::format(
        "{}[pods]: {}", place(), fit_.allowed_pods() ? std::to_string(allowed) : "absent")};
    evidence.insert(evidence.end(), fit_.unusable().begin(), fit_.unusable().end());
    const std::string node = c_.node.meta.name.str();
    Blocker blocker;
    if (allowed <= 0) {
      blocker.finding = pending_finding(
          c_, too_many_pods_with({}),
          fmt::format(
              "Too many pods: the pod limit of {} is 0; the kubelet is not running, or it is not a "
              "real node{}",
              node, unusable_text(fit_.unusable())),
          std::move(evidence));
      blocker.finding.fix.clear();
      return blocker;
    }
    // A single pod less is not enough where there are more than the node may run.
    const bool one_is_enough = static_cast<std::int64_t>(c_.here.size()) <= allowed;
    blocker.finding = pending_finding(
        c_, too_many_pods_with(one_is_enough ? movable_pod(c_) : MovablePod()),
        fmt::format("Too many pods: {} runs {}, its limit is {}{}", node,
                    wording::counted(static_cast<std::int64_t>(c_.here.size()), "pod"), allowed,
                    composition()),
        std::move(evidence));
    if (static_cast<std::int64_t>(staying_.size()) + 1 <= allowed) {
      blocker.clears_with = terminating_of(c_.here);
    }
    return blocker;
  }

  /// Pods by owner, most first.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> owners() const {
    std::map<std::string, std::int64_t> counts;
    for (const model::Pod* pod : c_.here) ++counts[owner_text(*pod)];
    std::vector<std::pair<std::string, std::int64_t>> result(counts.begin(), counts.end());
    std::ranges::stable_sort(result, std::greater{}, [](const auto& o) { return o.second; });
    return result;
  }

  [[nodiscard]] std::string composition() const {
    const auto count = [&](auto test) { return std::ranges::count_if(c_.here, test); };
    const std::int64_t priority = scheduling::priority_of(c_.pod);
    std::string text = fmt::format(
        " ({} terminating, {} static, {} from DaemonSets, {} of lower priority than {}); most: ",
        count([](const auto* pod) { return pod->meta.deleted.has_value(); }),
        count([](const auto* pod) { return pod->mirror; }), count([](const auto* pod) {
          return pod->meta.controller && pod->meta.controller->kind == "DaemonSet";
        }),
        count([&](const auto* pod) { return scheduling::priority_of(*pod) < priority; }), priority);
    const auto all = owners();
    for (std::size_t i = 0; i < all.size() && i < shown_consumers; ++i) {
      text += fmt::format("{}{} × {}", i == 0 ? "" : ", ", all[i].first, all[i].second);
    }
    return text;
  }

  const PendingCase& c_;
  scheduling::Fit fit_;
  std::vector<Load> loads_;
  std::vector<Load> staying_;
};

}  // namespace

std::string unusable_quantities(const PendingCase& c) {
  return unusable_text(fit_of(c).unusable());
}

void add_resource_blockers(const PendingCase& c, Blockers& into) {
  const bool fits =
      c.requests != nullptr && c.knows_here &&
      scheduling::fits_in(*c.requests, c.facts.room_on(c.node), c.facts.cluster().device_classes);
  if (!fits) Resources(c).add_blockers(into);
}

}  // namespace dsdoctor::diagnosis
