#include "scheduling/messages.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace dsdoctor::scheduling {
namespace {

struct Row {
  std::string_view token;
  std::string_view id;
};

constexpr std::string_view unknown = "scheduler-disagrees";
constexpr std::string_view insufficient = "Insufficient ";
constexpr std::string_view elsewhere = "didn't satisfy plugin(s)";

// The first row whose token the reason holds.
constexpr Row rows[] = {
    {"were unschedulable", "sched-unschedulable"},
    {"untolerated taint", "sched-taint"},
    {"had taint", "sched-taint"},
    {"scheduler-enforced", "sched-affinity-conflict"},
    {"pod affinity terms conflict", "sched-affinity-conflict"},
    {"PersistentVolume's node affinity", "sched-volume-affinity"},
    {"volume node affinity conflict", "sched-volume-affinity"},
    {"node affinity/selector", "sched-node-selector"},
    {"node selector", "sched-node-selector"},
    {"the requested node name", "sched-node-selector"},
    {"free ports", "sched-host-port"},
    {"Too many pods", "sched-too-many-pods"},
    {"Insufficient pods", "sched-too-many-pods"},
    {"Insufficient cpu", "sched-insufficient-cpu"},
    {"Insufficient memory", "sched-insufficient-memory"},
    {"Insufficient ephemeral-storage", "sched-insufficient-ephemeral-storage"},
    {"Insufficient hugepages-", "sched-insufficient-hugepages"},
    {"Insufficient ", "sched-insufficient-extended"},
    {"available disk", "sched-volume-in-use"},
    {"ReadWriteOncePod", "sched-volume-in-use"},
    {"max volume count", "sched-volume-limit"},
    {"CSI driver is not installed", "sched-volume-limit"},
    {"persistent volumes to bind", "sched-volume-binding"},
    {"free storage", "sched-volume-binding"},
    {"non-existent pv", "sched-volume-affinity"},
    {"non-existent persistentvolume", "sched-claim-missing"},
    {"persistentvolumeclaim", "sched-claim-missing"},
    {"unbound immediate", "sched-claim-missing"},
    {"ephemeral volume controller", "sched-claim-missing"},
    {"volume zone", "sched-volume-zone"},
    {"topology spread", "sched-topology-spread"},
    {"existing pods anti-affinity", "sched-existing-anti-affinity"},
    {"pod anti-affinity", "sched-pod-anti-affinity"},
    {"pod affinity rules", "sched-pod-affinity"},
    {"resourceclaim", "sched-resource-claim"},
    {"device class", "sched-resource-claim"},
    {"allocate", "sched-resource-claim"},
    {"required features", "sched-node-features"},
    {"scheduling gates", "sched-gated"},
};

constexpr Row hint_rows[] = {
    {"No preemption victims found", "preempt-no-victims"},
    {"Preemption is not helpful", "preempt-unhelpful"},
    {"preemptionPolicy=Never", "preempt-never"},
    {"terminating pod on the nominated node", "preempt-in-progress"},
};

bool holds(std::string_view text, std::string_view token) {
  return text.find(token) != std::string_view::npos;
}

using base::is_digit;

/// Takes a number off the front of `text`; absent where there is none that fits.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Takes "0/39 nodes are available: " off the front; 0 where it is not there.
std::int64_t take_node_count(std::string_view& text) {
  const std::string_view whole = text;
  if (take_number(text) && text.starts_with("/")) {
    text.remove_prefix(1);
    const auto nodes = take_number(text);
    const std::size_t colon = text.find(": ");
    if (nodes && text.starts_with(" nodes are available") && colon != std::string_view::npos) {
      text.remove_prefix(colon + 2);
      return *nodes;
    }
  }
  text = whole;
  return 0;
}

/// Where the next ", 12 " begins: commas stand in reasons too.
std::size_t end_of_item(std::string_view text) {
  for (std::size_t comma = text.find(", "); comma != std::string_view::npos;
       comma = text.find(", ", comma + 1)) {
    std::string_view rest = text.substr(comma + 2);
    const auto digits = std::ranges::find_if_not(rest, is_digit) - rest.begin();
    rest.remove_prefix(static_cast<std::size_t>(digits));
    if (digits > 0 && rest.starts_with(' ')) return comma;
  }
  return text.size();
}

/// The filters' part: no word on preemption, no period at its end.
std::string_view body_of(std::string_view text) {
  for (const std::string_view end : {" preemption: ", " no new claims to deallocate"}) {
    text = text.substr(0, text.find(end));
  }
  while (!text.empty() && (text.back() == '.' || text.back() == ' ' || text.back() == ',')) {
    text.remove_suffix(1);
  }
  return text;
}

struct Item {
  std::optional<std::int64_t> count;
  std::string_view reason;
};

std::vector<Item> items_of(std::string_view body) {
  std::vector<Item> result;
  while (!body.empty()) {
    const std::size_t end = end_of_item(body);
    std::string_view item = body.substr(0, end);
    body.remove_prefix(std::min(end + 2, body.size()));
    const auto count = take_number(item);
    if (item.starts_with(' ')) item.remove_prefix(1);
    if (!item.empty()) result.push_back({count, item});
  }
  return result;
}

/// Before 1.32 the other nodes were told apart only by their number.
bool is_old_elsewhere(const Item& item, std::int64_t nodes) {
  if (finding_of_reason(item.reason) != "sched-node-selector") return false;
  return nodes > 1 && item.count && *item.count == nodes - 1;
}

std::string resource_of(std::string_view reason) {
  const std::size_t at = reason.find(insufficient);
  return at == std::string_view::npos ? std::string()
                                      : std::string(reason.substr(at + insufficient.size()));
}

}  // namespace

std::string_view finding_of_reason(std::string_view reason) {
  const auto row = std::ranges::find_if(rows, [&](const Row& r) { return holds(reason, r.token); });
  return row == std::end(rows) ? unknown : row->id;
}

SchedulerMessage parse_scheduler_message(std::string_view message) {
  SchedulerMessage result;
  for (const Row& row : hint_rows) {
    if (holds(message, row.token)) result.hints.push_back(row.id);
  }
  result.nodes = take_node_count(message);
  std::int64_t others = 0;
  for (const Item& item : items_of(body_of(message))) {
    if (holds(item.reason, elsewhere) || is_old_elsewhere(item, result.nodes)) {
      others += item.count.value_or(0);
      continue;
    }
    result.reasons.push_back(
        {finding_of_reason(item.reason), resource_of(item.reason), std::string(item.reason)});
  }
  result.target_unknown = result.nodes > 0 && others >= result.nodes;
  result.counts_short = others > 0 && others + 1 < result.nodes;
  return result;
}

}  // namespace dsdoctor::scheduling
