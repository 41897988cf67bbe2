// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/catalogue/message.h"

namespace dsdoctor::diagnosis {

/// The rooms of the nodes on which a request of one DaemonSet is too large, and the requests that
/// would fit.
class FittingRequest {
 public:
  void add(const Room& room);
  /// Adds a node that no smaller request is enough for.
  void add_other() { ++others_; }
  /// Absent for a single node, whose room is in its message, and if most nodes are others.
  [[nodiscard]] std::optional<Message> message() const;

 private:
  struct Nodes {
    std::string text;
    std::int64_t count = 0;
  };
  std::map<std::int64_t, Nodes> by_room_;
  std::int64_t nodes_ = 0;  // with a room
  std::int64_t others_ = 0;
};

}  // namespace dsdoctor::diagnosis
