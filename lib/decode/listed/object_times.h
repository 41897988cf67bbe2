// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "model/cluster.h"
#include "model/fields.h"

namespace dsdoctor::decode {

/// The newest times in objects that are not later than a limit.
class NewestTimes {
 public:
  explicit NewestTimes(model::Time limit) : limit_(limit) {}

  void read_all(const model::Cluster& cluster) {
    model::description::each_list(cluster, [&](const auto& list, const auto& /*described*/) {
      for (const auto& object : list) read(object);
    });
  }
  void read(const auto& object) {
    add(object.meta.created);
    for (const model::FieldManager& entry : object.meta.managers) add(entry.time);
    read_own(object);
  }

  [[nodiscard]] const model::OptionalTime& any() const { return any_; }
  /// The newest time of heartbeats and lease renewals.
  [[nodiscard]] const model::OptionalTime& heartbeat() const { return heartbeat_; }

 private:
  static void take(model::OptionalTime& newest, const model::OptionalTime& time) {
    if (time && (!newest || *time > *newest)) newest = time;
  }
  void add(const model::OptionalTime& time) {
    if (time && *time <= limit_) take(any_, time);
  }
  void add_heartbeat(const model::OptionalTime& time) {
    add(time);
    if (time && *time <= limit_) take(heartbeat_, time);
  }

  void read_own(const auto& /*object*/) {}
  void read_own(const model::Node& node) {
    for (const model::Taint& taint : node.taints) add(taint.time_added);
    read_conditions(node.conditions);
  }
  void read_own(const model::Pod& pod) {
    add(pod.start_time);
    add(pod.last_write);
    read_conditions(pod.conditions);
    for (const auto* statuses : {&pod.init_statuses, &pod.statuses}) {
      for (const model::ContainerStatus& status : *statuses) {
        add(status.running_since);
        for (const auto& state : {status.terminated, status.last_terminated}) {
          if (state) add(state->finished);
        }
      }
    }
  }
  void read_conditions(const auto& conditions) {
    for (const model::Condition& condition : conditions) {
      add(condition.last_transition);
      add_heartbeat(condition.last_heartbeat);
    }
  }
  void read_own(const model::Event& event) {
    add(event.first);
    add(event.last);
  }
  void read_own(const model::Lease& lease) { add_heartbeat(lease.renewed); }

  model::Time limit_;
  model::OptionalTime any_;
  model::OptionalTime heartbeat_;
};

}  // namespace dsdoctor::decode
