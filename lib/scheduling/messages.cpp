// SPDX-License-Identifier: Apache-2.0
#include "scheduling/messages.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/saturating.h"
#include "base/text.h"

namespace dsdoctor::scheduling {
namespace {

struct Row {
  std::string_view token;
  FilterReason filter;
};

constexpr std::string_view insufficient = "Insufficient ";
constexpr std::string_view elsewhere = "didn't satisfy plugin(s)";

// The first row whose token the reason contains applies.
constexpr Row rows[] = {
    {"were unschedulable", FilterReason::Unschedulable},
    {"untolerated taint", FilterReason::Taint},
    {"had taint", FilterReason::Taint},
    {"scheduler-enforced", FilterReason::AffinityConflict},
    {"pod affinity terms conflict", FilterReason::AffinityConflict},
    {"PersistentVolume's node affinity", FilterReason::VolumeAffinity},
    {"volume node affinity conflict", FilterReason::VolumeAffinity},
    {"node affinity/selector", FilterReason::NodeSelector},
    {"node selector", FilterReason::NodeSelector},
    {"the requested node name", FilterReason::NodeSelector},
    {"free ports", FilterReason::HostPort},
    {"Too many pods", FilterReason::TooManyPods},
    {"Insufficient pods", FilterReason::TooManyPods},
    {"Insufficient cpu", FilterReason::Cpu},
    {"Insufficient memory", FilterReason::Memory},
    {"Insufficient ephemeral-storage", FilterReason::EphemeralStorage},
    {"Insufficient hugepages-", FilterReason::HugePages},
    {"Insufficient ", FilterReason::ExtendedResource},
    {"available disk", FilterReason::VolumeInUse},
    {"ReadWriteOncePod", FilterReason::VolumeInUse},
    {"max volume count", FilterReason::VolumeLimit},
    {"CSI driver is not installed", FilterReason::VolumeLimit},
    {"persistent volumes to bind", FilterReason::VolumeBinding},
    {"free storage", FilterReason::VolumeBinding},
    {"non-existent pv", FilterReason::VolumeAffinity},
    {"non-existent persistentvolume", FilterReason::ClaimMissing},
    {"persistentvolumeclaim", FilterReason::ClaimMissing},
    {"unbound immediate", FilterReason::ClaimMissing},
    {"ephemeral volume controller", FilterReason::ClaimMissing},
    {"volume zone", FilterReason::VolumeZone},
    {"topology spread", FilterReason::TopologySpread},
    {"existing pods anti-affinity", FilterReason::ExistingAntiAffinity},
    {"pod anti-affinity", FilterReason::PodAntiAffinity},
    {"pod affinity rules", FilterReason::PodAffinity},
    {"resourceclaim", FilterReason::ResourceClaim},
    {"device class", FilterReason::ResourceClaim},
    {"allocate", FilterReason::ResourceClaim},
    {"required features", FilterReason::NodeFeatures},
    {"scheduling gates", FilterReason::Gated},
};

/// Words of messages about a whole PodGroup. Source of truth: kubernetes v1.36.3, v1.37.2 and
/// v1.38.0-beta.0, pkg/scheduler/schedule_one_podgroup.go, schedule_one.go, types.go, and
/// framework/plugins/gangscheduling/gangscheduling.go.
constexpr std::string_view of_groups[] = {
    "pod group is unschedulable",
    "pod group is waiting",
    "pod group preemption: ",
    "parent pod group ",
    "composite pod group ",
    "minCount (",
    "minCount pods from a gang",
    "scheduling policy's minimum threshold",
    " placements are available",
    "no feasible placements found",
    "no feasible merged placements found",
};

bool holds(std::string_view text, std::string_view token) {
  return text.find(token) != std::string_view::npos;
}

using base::is_digit;

/// Removes a number from the front of `text`; absent if there is none or it exceeds int64.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Removes "0/39 nodes are available: " from the front and returns 39; 0 if it is missing.
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

/// Position of the next ", 12 ": reasons may contain commas, too.
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

/// The part about filters: without the text about preemption and the final period.
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

/// Whether the reason is about the other nodes. Before 1.32 only their number shows that.
bool is_old_elsewhere(const Item& item, std::int64_t nodes) {
  if (filter_of(item.reason) != FilterReason::NodeSelector) return false;
  return nodes > 1 && item.count && *item.count == nodes - 1;
}

std::string resource_of(std::string_view reason) {
  const std::size_t at = reason.find(insufficient);
  return at == std::string_view::npos ? std::string()
                                      : std::string(reason.substr(at + insufficient.size()));
}

}  // namespace

FilterReason filter_of(std::string_view reason) {
  const auto row = std::ranges::find_if(rows, [&](const Row& r) { return holds(reason, r.token); });
  return row == std::end(rows) ? FilterReason::Unknown : row->filter;
}

SchedulerMessage parse_scheduler_message(std::string_view message) {
  SchedulerMessage result;
  result.nodes = take_node_count(message);
  if (result.nodes == 0 && std::ranges::any_of(of_groups, [&](std::string_view words) {
        return holds(message, words);
      })) {
    result.of_group = message;
    return result;
  }
  std::int64_t others = 0;
  for (const Item& item : items_of(body_of(message))) {
    if (holds(item.reason, elsewhere) || is_old_elsewhere(item, result.nodes)) {
      others = base::saturating_add(others, item.count.value_or(0));
      continue;
    }
    result.reasons.push_back(
        {filter_of(item.reason), resource_of(item.reason), std::string(item.reason)});
  }
  result.target_unknown = result.nodes > 0 && others >= result.nodes;
  const std::int64_t rejected = base::saturating_add(others, result.reasons.empty() ? 0 : 1);
  result.counts_short = others > 0 && rejected < result.nodes;
  return result;
}

}  // namespace dsdoctor::scheduling
