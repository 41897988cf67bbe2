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
  /// Absent for a single node, whose room is in its message.
  [[nodiscard]] std::optional<Message> message() const;

 private:
  struct Nodes {
    std::string text;
    std::int64_t count = 0;
  };
  std::map<std::int64_t, Nodes> by_room_;
  std::int64_t nodes_ = 0;
};

}  // namespace dsdoctor::diagnosis
