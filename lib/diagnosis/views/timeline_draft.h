// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/evidence/timeline_entry.h"
#include "diagnosis/report/eligibility.h"
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

/// Adds the change of the label `key` and the deletion of the pod by it as one entry.
/// REQUIRES: the deleted pod is known.
void add_label_loss(TimelineDrafts& drafts, const model::Node& node, const LabelLoss& loss,
                    std::string_view key);

/// Sorts the entries and drops events that a status within five seconds also shows.
[[nodiscard]] std::vector<TimelineEntry> merged(TimelineDrafts drafts);

}  // namespace dsdoctor::diagnosis
