// SPDX-License-Identifier: Apache-2.0
#include "source/detail_gatherer.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>
#include <thread>

#include "decode/cluster/merge.h"

namespace dsdoctor::source {
namespace {

/// Reports whether the answer proves that the objects do not exist: a named object after a 404, a
/// list only if an unserved resource implies it.
bool is_absence(const kube::ApiFailure& failure, const DetailTask& task) {
  if (!task.name.empty()) return kube::is_absence(failure, task.lack.resource, task.name);
  return task.unserved == Unserved::MeansNone && failure.status == 404;
}

/// The server has no such resource, and the answer does not mention it.
bool is_silent(const kube::ApiFailure& failure, const DetailTask& task) {
  return task.name.empty() && failure.status == 404 && task.unserved != Unserved::IsGap;
}

// Pointers to members have no built-in order.
struct KnownLess {
  bool operator()(bool model::Known::*a, bool model::Known::*b) const {
    static const model::Known object;
    return std::less<>()(&(object.*a), &(object.*b));
  }
};

}  // namespace

void DetailGatherer::run(std::size_t threads_at_most) {
  {
    std::vector<std::jthread> threads;
    const std::size_t count = std::min(threads_at_most, tasks_.size());
    threads.reserve(count);
    for (std::size_t i = 1; i < count; ++i) {
      try {
        threads.emplace_back([this] { work_safely(); });
      } catch (const std::system_error&) {
        break;  // fewer threads suffice
      }
    }
    work_safely();
  }  // threads are joined here
  if (thrown_) std::rethrow_exception(thrown_);
  finish();
}

void DetailGatherer::work_safely() {
  try {
    work();
  } catch (...) {  // out of memory
    const std::lock_guard lock(mutex_);
    thrown_ = std::current_exception();
  }
}

void DetailGatherer::work() {
  for (std::size_t i = next_++; i < tasks_.size(); i = next_++) {
    kube::ListAnswer answer = tasks_[i].read();
    const std::lock_guard lock(mutex_);
    answers_[i] = std::move(answer);
  }
}

void DetailGatherer::finish() {
  std::vector<model::Cluster> parts;
  std::map<bool model::Known::*, bool, KnownLess> all_read;
  model::Cluster& cluster = snapshot_.cluster;
  std::vector<model::Text> crowded;
  bool lacks_unbound_pods = false;
  for (auto& [index, answer] : answers_) {
    const DetailTask& task = tasks_[index];
    const bool there = !answer.failure || is_absence(*answer.failure, task);
    if (task.known != nullptr) {
      all_read.try_emplace(task.known, true).first->second &= there;
    }
    if (!there) {
      lacks_unbound_pods = lacks_unbound_pods || task.unbound_pods;
      if (!is_silent(*answer.failure, task)) omit(task, *answer.failure);
      continue;
    }
    if (!task.crowded_node.empty()) crowded.emplace_back(task.crowded_node);
    if (task.every_pod) cluster.all_pods_known = true;
    std::ranges::move(answer.warnings, std::back_inserter(snapshot_.warnings));
    parts.push_back(std::move(answer.cluster));
  }
  for (const auto& [known, read] : all_read) cluster.known.*known = read;
  if (!lacks_unbound_pods) std::ranges::move(crowded, std::back_inserter(cluster.crowded_nodes));
  std::ranges::sort(cluster.crowded_nodes);
  decode::merge(cluster, std::move(parts));
}

void DetailGatherer::omit(const DetailTask& task, const kube::ApiFailure& failure) {
  model::Omission omission = omission_of(failure, task.lack, task.ns);
  const bool said = std::ranges::any_of(snapshot_.omissions, [&](const model::Omission& other) {
    return other.resource == omission.resource && other.ns == omission.ns &&
           other.reason == omission.reason && other.consequence == omission.consequence;
  });
  if (!said) snapshot_.omissions.push_back(std::move(omission));
}

}  // namespace dsdoctor::source
