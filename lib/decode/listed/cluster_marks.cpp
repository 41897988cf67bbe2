// SPDX-License-Identifier: Apache-2.0
#include "decode/listed/cluster_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

namespace dsdoctor::decode {
namespace {

base::Error two_clusters(const std::string& object, const std::string& first,
                         const std::string& second) {
  return {base::ErrorKind::TwoClusters, second,
          fmt::format("{} has another UID than in {}: these are two clusters, or one before and "
                      "after it was created again",
                      object, first)};
}

}  // namespace

void ClusterMarks::note(const model::ObjectMeta& meta, Kind kind, std::size_t nodes,
                        const std::string& input) {
  if (kind == Kind::Node && (node_inputs_.empty() || node_inputs_.back().second != input)) {
    node_inputs_.emplace_back(nodes, input);
  }
  if (kind == Kind::Namespace && meta.name == "kube-system" && !meta.uid.empty()) {
    systems_.emplace_back(meta.uid.str(), input);
  }
}

const std::string& ClusterMarks::input_of(std::size_t node) const {
  const auto behind =
      std::ranges::upper_bound(node_inputs_, node, {}, &std::pair<std::size_t, std::string>::first);
  return std::prev(behind)->second;
}

void ClusterMarks::erase_nodes(const std::vector<bool>& dropped) {
  for (auto& [first, input] : node_inputs_) {
    const auto end = dropped.begin() + static_cast<std::ptrdiff_t>(first);
    first -= static_cast<std::size_t>(std::count(dropped.begin(), end, true));
  }
}

base::Status ClusterMarks::check(const std::vector<model::Node>& nodes) const {
  for (const auto& [uid, input] : systems_) {
    const auto& [first_uid, first] = systems_.front();
    if (uid != first_uid && input != first) {
      return two_clusters("Namespace kube-system", first, input);
    }
  }
  if (node_inputs_.size() < 2) return std::monostate{};
  std::unordered_map<std::string_view, std::size_t> seen;
  seen.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].meta.uid.empty()) continue;
    const auto [at, is_new] = seen.try_emplace(nodes[i].meta.name.view(), i);
    if (is_new || nodes[at->second].meta.uid == nodes[i].meta.uid) continue;
    const std::string& first = input_of(at->second);
    const std::string& second = input_of(i);
    if (first != second) return two_clusters("Node " + nodes[i].meta.name.str(), first, second);
  }
  return std::monostate{};
}

}  // namespace dsdoctor::decode
