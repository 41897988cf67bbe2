// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/merge.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "decode/listed/resource_version.h"
#include "model/fields.h"

namespace dsdoctor::decode {
namespace {

/// Sorts by (namespace, name) and keeps one of each: the newest, or the last of equally new ones.
template <typename Object>
void sort_unique(std::vector<Object>& objects) {
  const auto key = [](const Object& object) {
    if constexpr (std::is_same_v<Object, model::DaemonSet>) {
      const auto& other = object.other_kind;
      return std::tuple(object.meta.ns.view(), object.meta.name.view(), other.has_value(),
                        other ? model::api_group(other->api_version) : std::string_view());
    } else {
      return std::tuple(object.meta.ns.view(), object.meta.name.view());
    }
  };
  const auto out_of_order = [&](const Object& a, const Object& b) { return key(a) >= key(b); };
  if (std::ranges::adjacent_find(objects, out_of_order) == objects.end()) return;
  std::vector<std::size_t> order(objects.size());  // sorts indexes, because objects are large
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t at) { return key(objects[at]); });
  std::vector<Object> kept;
  kept.reserve(objects.size());
  for (const std::size_t at : order) {
    Object& object = objects[at];
    if (kept.empty() || key(kept.back()) != key(object)) {
      kept.push_back(std::move(object));
    } else if (!is_older_version(object.meta.resource_version.str(),
                                 kept.back().meta.resource_version.str())) {
      kept.back() = std::move(object);
    }
  }
  objects = std::move(kept);
}

}  // namespace

void sort_unique(model::Cluster& cluster) {
  model::description::each_list(cluster,
                                [](auto& list, const auto& /*described*/) { sort_unique(list); });
}

void merge(model::Cluster& into, std::vector<model::Cluster> more) {
  model::description::each_list(into, [&](auto& list, const auto& described) {
    bool added = false;
    for (model::Cluster& other : more) {
      auto& others = described.of(other);
      if (others.empty()) continue;
      std::ranges::move(others, std::back_inserter(list));
      added = true;
    }
    if (added) sort_unique(list);
  });
}

}  // namespace dsdoctor::decode
