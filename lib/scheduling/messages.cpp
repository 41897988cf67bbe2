// SPDX-License-Identifier: Apache-2.0
#include "scheduling/messages.h"

#include <algorithm>
#include <charconv>

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
    // About a PodGroup; these texts can quote any other.
    {"pod group", FilterReason::PodGroup},
    {"placements are available", FilterReason::PodGroup},
    {"feasible placements found", FilterReason::PodGroup},
    {"merged placements found", FilterReason::PodGroup},
    {"nominated placement is", FilterReason::PodGroup},
    {"minCount (", FilterReason::PodGroup},
    {"minCount pods from a gang", FilterReason::PodGroup},
    {"minimum threshold (", FilterReason::PodGroup},
    {"meet its quorum", FilterReason::PodGroup},
    {"ready child group", FilterReason::PodGroup},
    {"hierarchy snapshot", FilterReason::PodGroup},
    {"no pods were schedulable", FilterReason::PodGroup},
    {"at plugin GangScheduling", FilterReason::PodGroup},
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
    {"pod level request for ", FilterReason::ResourceClaim},
    {"pod level limit for ", FilterReason::ResourceClaim},
    {"free ports", FilterReason::HostPort},
    {"Too many pods", FilterReason::TooManyPods},
    {"Insufficient pods", FilterReason::TooManyPods},
    {"Insufficient cpu", FilterReason::Cpu},
    {"Insufficient memory", FilterReason::Memory},
    {"Insufficient ephemeral-storage", FilterReason::EphemeralStorage},
    {"Insufficient hugepages-", FilterReason::HugePages},
    {"Insufficient ", FilterReason::ExtendedResource},
    {"cannot fit resource", FilterReason::ExtendedResource},
    {"available disk", FilterReason::VolumeInUse},
    {"ReadWriteOncePod", FilterReason::VolumeInUse},
    {"max volume count", FilterReason::VolumeLimit},
    {"CSI driver is not installed", FilterReason::VolumeLimit},
    {"persistent volumes to bind", FilterReason::VolumeBinding},
    {"free storage", FilterReason::VolumeBinding},
    {"non-existent pv", FilterReason::VolumeAffinity},
    {"non-existent persistentvolume", FilterReason::ClaimMissing},
    {"persistentvolumeclaim", FilterReason::ClaimMissing},
    {"persistentvolume \"", FilterReason::VolumeAffinity},
    {"VolumeBinding] simultaneously", FilterReason::VolumeAffinity},
    {"satisfy plugin VolumeBinding", FilterReason::VolumeAffinity},
    {"unbound immediate", FilterReason::ClaimMissing},
    {"PersistentVolumeClaim had no", FilterReason::ClaimMissing},
    {"PersistentVolume had no name", FilterReason::ClaimMissing},
    {"VolumeBindingMode not set", FilterReason::ClaimMissing},
    {"storageclass", FilterReason::ClaimMissing},
    {"looking up PVC ", FilterReason::ClaimMissing},
    {"was not created for pod", FilterReason::ClaimMissing},
    {"ephemeral volume controller", FilterReason::ClaimMissing},
    {"volume zone", FilterReason::VolumeZone},
    {"topology spread", FilterReason::TopologySpread},
    {"existing pods anti-affinity", FilterReason::ExistingAntiAffinity},
    {"pod anti-affinity", FilterReason::PodAntiAffinity},
    {"pod affinity rules", FilterReason::PodAffinity},
    {"resourceclaim", FilterReason::ResourceClaim},
    {"resource claim", FilterReason::ResourceClaim},
    {"ResourceClaim", FilterReason::ResourceClaim},
    {"device class", FilterReason::ResourceClaim},
    {"allocate", FilterReason::ResourceClaim},
    {"allocating devices", FilterReason::ResourceClaim},
    {"resource pools", FilterReason::ResourceClaim},
    {"required features", FilterReason::NodeFeatures},
    {"scheduling gates", FilterReason::Gated},
    {"unknown conditions", FilterReason::Other},
    {"parsing pod: ", FilterReason::Other},
    {"restartable init container", FilterReason::Other},
};

// Beginnings of texts about preemption and the like, which follow those of the filters.
constexpr std::string_view afterwards[] = {
    " pod group preemption: ",
    " preemption: ",
    " no new claims to deallocate",
    " still not schedulable",
    " deallocation of ",
    " deallocation and deletion of ",
    " deletion of ResourceClaim completed",
    " ResourceClaim unreserved for PodGroup",
    " plugin disabled",
    " All PostFilter plugins are skipped",
    " generic workload feature is disabled",
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

/// Whether the text begins with "12 ".
bool is_counted(std::string_view text) {
  const auto digits = std::ranges::find_if_not(text, is_digit) - text.begin();
  text.remove_prefix(static_cast<std::size_t>(digits));
  return digits > 0 && text.starts_with(' ');
}

/// Position of the next ", 12 ": reasons may contain commas, too. A text that does not begin with a
/// count is a single reason, and its numbers are its own.
std::size_t end_of_item(std::string_view text) {
  if (!is_counted(text)) return text.size();
  for (std::size_t comma = text.find(", "); comma != std::string_view::npos;
       comma = text.find(", ", comma + 1)) {
    if (is_counted(text.substr(comma + 2))) return comma;
  }
  return text.size();
}

/// The part about filters: without the text about preemption and the final period.
std::string_view body_of(std::string_view text) {
  for (const std::string_view begin : afterwards) text = text.substr(0, text.find(begin));
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

/// Whether the reason is that plugins, before the filters, left no node at all.
bool is_of_all_nodes(std::string_view reason) { return reason.ends_with("simultaneously"); }

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

std::optional<int> place_of(FilterReason filter) {
  constexpr FilterReason order[] = {
      FilterReason::Unschedulable,
      FilterReason::Taint,
      FilterReason::NodeSelector,
      FilterReason::HostPort,
      FilterReason::TooManyPods,
      FilterReason::Cpu,
      FilterReason::Memory,
      FilterReason::EphemeralStorage,
      FilterReason::HugePages,
      FilterReason::ExtendedResource,
      FilterReason::VolumeInUse,
      FilterReason::VolumeLimit,
      FilterReason::VolumeBinding,
      FilterReason::VolumeAffinity,
      FilterReason::VolumeZone,
      FilterReason::TopologySpread,
      FilterReason::ExistingAntiAffinity,
      FilterReason::PodAntiAffinity,
      FilterReason::PodAffinity,
      FilterReason::NodeFeatures,
  };
  const auto at = std::ranges::find(order, filter);
  if (at == std::end(order)) return std::nullopt;
  return static_cast<int>(at - std::begin(order));
}

SchedulerMessage parse_scheduler_message(std::string_view message) {
  SchedulerMessage result;
  if (message.starts_with("no nodes available to schedule pods")) {
    result.target_unknown = true;
    return result;
  }
  result.nodes = take_node_count(message);
  if (result.nodes == 0 && filter_of(message) == FilterReason::PodGroup) {
    result.of_group = message;
    return result;
  }
  std::int64_t others = 0;
  for (const Item& item : items_of(body_of(message))) {
    const bool is_elsewhere = holds(item.reason, elsewhere) && !is_of_all_nodes(item.reason);
    if (is_elsewhere || is_old_elsewhere(item, result.nodes)) {
      others = base::saturating_add(others, item.count.value_or(0));
      continue;
    }
    const FilterReason filter = filter_of(item.reason);
    if (filter == FilterReason::NodeSelector && item.count == result.nodes) {
      result.none_matches = true;
    }
    if (filter == FilterReason::PodGroup) {
      result.of_group = item.reason;
      continue;
    }
    result.reasons.push_back({filter, resource_of(item.reason), std::string(item.reason)});
  }
  result.target_unknown = result.nodes > 0 && others >= result.nodes;
  const std::int64_t rejected = base::saturating_add(others, result.reasons.empty() ? 0 : 1);
  result.counts_short = others > 0 && rejected < result.nodes;
  return result;
}

}  // namespace dsdoctor::scheduling
