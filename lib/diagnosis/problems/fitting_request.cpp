// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/fitting_request.h"

#include "diagnosis/catalogue/findings/scheduling.h"

namespace dsdoctor::diagnosis {

void FittingRequest::add(const Room& room) {
  Nodes& nodes = by_room_[room.free];
  nodes.text = room.text;
  ++nodes.count;
  ++nodes_;
}

std::optional<Message> FittingRequest::message() const {
  if (nodes_ < 2 || nodes_ < others_) return std::nullopt;
  constexpr std::int64_t left_out = 10;  // at most one node of so many
  const auto smallest = by_room_.begin();
  // The nodes with the least room may be few: the others allow more.
  std::string most;
  std::optional<std::int64_t> most_nodes;
  std::int64_t without = 0;
  for (const auto& [free, nodes] : by_room_) {
    if (without * left_out > nodes_) break;
    if (without > 0 && free > smallest->first + smallest->first / 4) {
      most = nodes.text;
      most_nodes = nodes_ - without;
    }
    without += nodes.count;
  }
  const bool fits_all = smallest->first > 0 && others_ == 0;
  if (!fits_all && !most_nodes && smallest->first > 0) {
    most = smallest->second.text;
    most_nodes = nodes_;
  }
  if (!fits_all && !most_nodes) return std::nullopt;
  return phrase::RequestsThatFit{.all = fits_all ? smallest->second.text : std::string(),
                                 .most = most,
                                 .most_nodes = most_nodes,
                                 .nodes = nodes_ + others_};
}

}  // namespace dsdoctor::diagnosis
