// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "source/api_source.h"
#include "source/cluster_source.h"

namespace dsdoctor::source {

/// The objects that explain verdicts, read in addition to those that are watched. They are read
/// again only when that can make a difference.
class LiveDetails {
 public:
  /// `api` must outlive this object. After changes, details are read again at the age of `least`,
  /// without changes at `most`.
  LiveDetails(ApiSource& api, std::chrono::milliseconds least, std::chrono::milliseconds most)
      : api_(api), least_(least), most_(most) {}

  /// Adds the objects that `query` requests, and notes in the snapshot if they differ from those of
  /// the last call.
  void add_to(Snapshot& snapshot, const model::DetailQuery& query);
  /// The cluster has changed.
  void expire() { is_current_ = false; }
  /// The time until they should be read again; absent if nothing was requested.
  [[nodiscard]] std::optional<std::chrono::milliseconds> due() const;

 private:
  [[nodiscard]] Snapshot read(const Snapshot& base, const model::DetailQuery& query) const;

  ApiSource& api_;
  std::chrono::milliseconds least_;
  std::chrono::milliseconds most_;
  model::DetailQuery query_;
  Snapshot read_;
  std::chrono::milliseconds at_{0};  // on the monotonic clock
  bool is_current_ = false;
};

}  // namespace dsdoctor::source
