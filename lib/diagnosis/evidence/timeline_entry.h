// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/meta.h"

namespace dsdoctor::diagnosis {

/// An event in the history of a DaemonSet, or of a DaemonSet on a node.
struct TimelineEntry {
  model::Time time;
  std::string object;        // "Node/gpu-1"
  std::string field;         // path of the time: "metadata.creationTimestamp"
  std::string text;          // a clause, no trailing period
  bool upper_bound = false;  // it may have happened earlier

  friend bool operator==(const TimelineEntry&, const TimelineEntry&) = default;
};

struct Timeline {
  std::vector<TimelineEntry> entries;  // oldest first
  bool events_known = false;           // false: no events were read

  friend bool operator==(const Timeline&, const Timeline&) = default;
};

}  // namespace dsdoctor::diagnosis
