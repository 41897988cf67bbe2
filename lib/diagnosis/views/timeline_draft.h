// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/evidence/timeline_entry.h"
#include "model/cluster.h"

/// Builds the entries of a timeline; for timeline.cpp.
namespace dsdoctor::diagnosis {

/// Order of entries with the same time: causes before effects.
enum class TimelineRank { Change, Node, Pod, Event };

struct TimelineDraft {
  TimelineEntry entry;
  TimelineRank rank = TimelineRank::Change;
  /// Equal for an event and a status that show the same fact: "scheduled agent-x". May be empty.
  std::string meaning = {};
  model::Time order = {};  // position; `time`, except if clocks differ
};

using TimelineDrafts = std::vector<TimelineDraft>;

/// Adds conditions, taints, managers, creation and deletion of a node. `wanted_labels` are listed
/// before other labels.
void add_node(TimelineDrafts& drafts, const model::Node& node,
              const std::vector<std::string_view>& wanted_labels);

void add_pod(TimelineDrafts& drafts, const model::Pod& pod);

/// Adds an event, with two entries if its first and last time are more than a minute apart.
void add_event(TimelineDrafts& drafts, const model::Event& event);

/// Adds the writers of an object's spec, and its deletion.
void add_spec_writers(TimelineDrafts& drafts, const model::ObjectMeta& meta,
                      const std::string& object);

/// Sorts the entries and drops events that a status within five seconds also shows.
[[nodiscard]] std::vector<TimelineEntry> merged(TimelineDrafts drafts);

}  // namespace dsdoctor::diagnosis
