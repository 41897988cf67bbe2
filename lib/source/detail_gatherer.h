// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kube/client/list.h"
#include "model/cluster.h"
#include "source/api_reads.h"
#include "source/cluster_source.h"

namespace dsdoctor::source {

/// The meaning of a resource that the server does not serve.
enum class Unserved : std::uint8_t {
  Silent,     // nothing: the answer does not mention it
  MeansNone,  // there are no such objects
  IsGap,      // an omission
};

/// One request, and its consequence if it is forbidden.
struct DetailTask {
  std::function<kube::ListAnswer()> read;
  Lack lack;
  std::string ns;
  std::string name = {};                 // of a single object; empty: a list
  Unserved unserved = Unserved::Silent;  // for a list
  bool model::Known::*known = nullptr;   // set once all tasks of the kind have succeeded
  std::string crowded_node = {};         // this node's pods are complete after this task
  bool every_pod = false;
  bool unbound_pods = false;  // they may be nominated: without them no node's pods are complete
};

/// Runs tasks, a few at a time, and collects their answers in the snapshot.
class DetailGatherer {
 public:
  /// The snapshot must outlive this object.
  explicit DetailGatherer(Snapshot& snapshot) : snapshot_(snapshot) {}

  void add(DetailTask task) { tasks_.push_back(std::move(task)); }

  /// Runs every task, `threads_at_most` at a time, and returns when all are answered. Rethrows a
  /// task's exception, e.g. if memory ran out.
  void run(std::size_t threads_at_most);

 private:
  void work();
  void work_safely();
  void finish();
  void omit(const DetailTask& task, const kube::ApiFailure& failure);

  Snapshot& snapshot_;
  std::vector<DetailTask> tasks_;
  std::atomic<std::size_t> next_ = 0;
  std::exception_ptr thrown_;  // by a thread
  std::mutex mutex_;
  std::map<std::size_t, kube::ListAnswer> answers_;  // guarded by mutex_ while threads run
};

}  // namespace dsdoctor::source
