#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/evidence/timeline_entry.h"
#include "model/cluster.h"

/// How a timeline is put together; for timeline.cpp.
namespace dsdoctor::diagnosis {

/// Which of two entries of the same time stands first: the cause.
enum class TimelineRank { Change, Node, Pod, Event };

struct TimelineDraft {
  TimelineEntry entry;
  TimelineRank rank = TimelineRank::Change;
  /// Equal for an event and for the status that says the same: "scheduled agent-x". May be empty.
  std::string meaning = {};
  model::Time order = {};  // where it stands; `time` but for clocks that differ
};

using TimelineDrafts = std::vector<TimelineDraft>;

/// Conditions, taints, managers, creation and deletion of a node. `wanted_labels` are named before
/// others.
void add_node(TimelineDrafts& drafts, const model::Node& node,
              const std::vector<std::string_view>& wanted_labels);

void add_pod(TimelineDrafts& drafts, const model::Pod& pod);

/// First and last, as two entries where they lie more than a minute apart.
void add_event(TimelineDrafts& drafts, const model::Event& event);

/// The writers of an object's spec.
void add_spec_writers(TimelineDrafts& drafts, const model::ObjectMeta& meta,
                      const std::string& object);

/// In order, with events left out that a status within five seconds says as well.
[[nodiscard]] std::vector<TimelineEntry> merged(TimelineDrafts drafts);

}  // namespace dsdoctor::diagnosis
