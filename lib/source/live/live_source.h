// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/watch/resource_watch.h"
#include "source/api_source.h"
#include "source/cluster_source.h"

namespace dsdoctor::source {

/// How current the data of a LiveSource is.
struct Liveness {
  /// The resources whose changes are not seen, and since when the first of them; absent: all are
  /// current.
  std::vector<std::string> lost = {};
  std::optional<model::Time> lost_since = {};
  std::string why = {};  // the failure of the first one, a sentence
  /// Resources that the user may list but not watch, which are listed every few seconds.
  std::vector<std::string> polled = {};

  friend bool operator==(const Liveness&, const Liveness&) = default;
};

/// Reads from an API server, and stays current by watches: nodes, DaemonSets, pods, revisions, and
/// the events of DaemonSets. Every `load` returns the current state of the same query. The objects
/// that explain a verdict are read again only after changes.
class LiveSource final : public ClusterSource {
 public:
  struct Options {
    kube::WatchTimes times = {};
    /// Details that a later answer needs as well are read again after changes, but not more often,
    std::chrono::milliseconds least_detail_age{5'000};
    /// and without changes at this age.
    std::chrono::milliseconds most_detail_age{60'000};
    /// How long to wait for the first state; 0: without limit.
    std::chrono::milliseconds patience{0};
    /// Called before and after the wait for the first state.
    std::function<void(bool begins)> on_first_read = {};
  };

  explicit LiveSource(std::unique_ptr<ApiSource> api);
  LiveSource(std::unique_ptr<ApiSource> api, Options options);
  ~LiveSource() override;

  /// The first call starts the watches and waits for the first state; the query must stay the same.
  /// A query with names of pods is read once, without watches. Errors: as ApiSource.
  [[nodiscard]] base::Result<Snapshot> load(const Query& query) override;
  [[nodiscard]] bool has_more() const override { return true; }
  void load_details(Snapshot& snapshot, const model::DetailQuery& query) override;

  /// Returns the objects of a snapshot of `load`, which are not needed any more; saves a copy.
  void give_back(Snapshot snapshot);

  enum class Wake { Changed, LivenessChanged, Time };
  /// Waits until a change that an answer may depend on has arrived, or the time is over.
  [[nodiscard]] Wake wait(std::chrono::milliseconds at_most);
  [[nodiscard]] Liveness liveness() const;
  /// When the details of the last answer should be read again without a change; absent: never.
  [[nodiscard]] std::optional<std::chrono::milliseconds> details_due() const;
  /// Makes every watch connect again, e.g. after the machine has slept.
  void reconnect();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::source
