// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "diagnosis/report/node_reports.h"

namespace dsdoctor::render {

/// The objects of nodes in a notation. The text of nodes that differ only in their names is made
/// once. Keeps references.
class NodeTexts {
 public:
  /// Whose first key is the name.
  using ObjectOf = std::function<nlohmann::ordered_json(const diagnosis::NodeReport&)>;
  /// Indented as in the document.
  using TextOf = std::function<std::string(const nlohmann::ordered_json&)>;

  NodeTexts(const diagnosis::NodeReports& nodes, ObjectOf object_of, TextOf text_of)
      : nodes_(nodes), object_of_(std::move(object_of)), text_of_(std::move(text_of)) {}

  /// The text of the object without its line of the name, which is the one after `opening` lines.
  /// Valid until the next call. `at`: index of the node.
  [[nodiscard]] std::string_view rest(std::size_t at, std::size_t opening);

 private:
  const diagnosis::NodeReports& nodes_;
  ObjectOf object_of_;
  TextOf text_of_;
  std::unordered_map<std::string, std::string> known_;  // by state and values of labels
  std::string key_;
};

}  // namespace dsdoctor::render
