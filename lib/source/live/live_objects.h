// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "decode/watch/watch_decoder.h"
#include "model/changes/state_changes.h"
#include "model/cluster.h"

namespace dsdoctor::source {

/// Whether two versions of an object differ in more than their version and heartbeats, which change
/// all the time.
template <typename Object>
[[nodiscard]] bool differs(const Object& before, const Object& after) {
  Object copy = after;
  copy.meta.resource_version = before.meta.resource_version;
  if constexpr (std::is_same_v<Object, model::Node>) {
    if (copy.conditions.size() == before.conditions.size()) {
      for (std::size_t i = 0; i < copy.conditions.size(); ++i) {
        copy.conditions[i].last_heartbeat = before.conditions[i].last_heartbeat;
      }
    }
  }
  return !(copy == before);
}

/// The objects of one kind, sorted by (namespace, name), and the changes that are not applied yet.
/// Not thread-safe.
template <typename Object>
class LiveObjects {
 public:
  /// Replaces all objects with the next `settle`; of several with one name the last counts.
  void replace(std::vector<Object> objects) {
    pending_.clear();
    replacement_.emplace(std::move(objects));
  }
  void see(Object object) {
    Key key = key_of(object);
    pending_.insert_or_assign(std::move(key), std::move(object));
  }
  void drop(const decode::ObjectGone& gone) {
    pending_.insert_or_assign(Key(gone.ns, gone.name), std::nullopt);
  }
  [[nodiscard]] bool has_pending() const { return replacement_ || !pending_.empty(); }

  /// Applies the changes, and notes in `changes` each object that was added, removed or differs.
  /// Returns true if there is one.
  bool settle(model::StateChanges& changes) {
    bool changed = false;
    if (replacement_) {
      std::vector<Object> objects = std::move(*replacement_);
      replacement_.reset();
      sort_unique(objects);
      changed = !are_alike(objects, objects_);
      changes.everything = changes.everything || changed;
      objects_ = std::move(objects);
    }
    if (pending_.empty()) return changed;
    std::map<Key, std::optional<Object>> pending = std::exchange(pending_, {});
    std::vector<Object> added;
    std::vector<std::size_t> removed;  // ascending, because the keys are
    for (auto& [key, object] : pending) {
      const auto at = find(key);
      const bool is_there = at != objects_.end() && key_of(*at) == key;
      if (!object) {
        if (!is_there) continue;
        note(&*at, nullptr, changes);
        removed.push_back(static_cast<std::size_t>(at - objects_.begin()));
      } else if (is_there) {
        const bool is_other = differs(*at, *object);
        if (is_other) note(&*at, &*object, changes);
        changed = changed || is_other;
        *at = std::move(*object);
      } else {
        note(nullptr, &*object, changes);
        added.push_back(std::move(*object));
      }
    }
    erase(removed);
    changed = changed || !removed.empty();
    if (!added.empty()) {
      changed = true;
      const auto middle = static_cast<std::ptrdiff_t>(objects_.size());
      std::ranges::move(added, std::back_inserter(objects_));
      std::ranges::inplace_merge(objects_, objects_.begin() + middle, {}, key_of);
    }
    return changed;
  }

  /// The settled objects, sorted.
  [[nodiscard]] const std::vector<Object>& objects() const { return objects_; }
  /// Lends the settled objects; give them back before the next `settle`.
  [[nodiscard]] std::vector<Object> lend() { return std::exchange(objects_, {}); }
  /// REQUIRES: sorted.
  void give_back(std::vector<Object> objects) { objects_ = std::move(objects); }

 private:
  using Key = std::pair<std::string, std::string>;

  /// Events only show that more has changed.
  static void note(const Object* before, const Object* after, model::StateChanges& changes) {
    if constexpr (!std::is_same_v<Object, model::Event>) changes.note(before, after);
  }

  static Key key_of(const Object& object) { return {object.meta.ns.str(), object.meta.name.str()}; }

  auto find(const Key& key) {
    return std::ranges::lower_bound(
        objects_, std::pair<std::string_view, std::string_view>(key), {}, [](const Object& object) {
          return std::pair(object.meta.ns.view(), object.meta.name.view());
        });
  }

  void erase(const std::vector<std::size_t>& indexes) {
    if (indexes.empty()) return;
    auto next = indexes.begin();
    std::size_t to = *next;
    for (std::size_t from = to; from < objects_.size(); ++from) {
      if (next != indexes.end() && *next == from) {
        ++next;
      } else {
        objects_[to++] = std::move(objects_[from]);
      }
    }
    objects_.resize(to);
  }

  static void sort_unique(std::vector<Object>& objects) {
    const auto key = [](const Object& object) {
      return std::pair(object.meta.ns.view(), object.meta.name.view());
    };
    std::ranges::stable_sort(objects, {}, key);
    std::vector<Object> kept;
    kept.reserve(objects.size());
    for (Object& object : objects) {
      if (!kept.empty() && key(kept.back()) == key(object)) {
        kept.back() = std::move(object);
      } else {
        kept.push_back(std::move(object));
      }
    }
    objects = std::move(kept);
  }

  static bool are_alike(const std::vector<Object>& a, const std::vector<Object>& b) {
    return std::ranges::equal(
        a, b, [](const Object& one, const Object& other) { return !differs(one, other); });
  }

  std::vector<Object> objects_;
  std::optional<std::vector<Object>> replacement_;
  std::map<Key, std::optional<Object>> pending_;  // absent object: deleted
};

}  // namespace dsdoctor::source
