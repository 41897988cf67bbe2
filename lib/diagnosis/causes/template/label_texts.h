// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/labels.h"

namespace dsdoctor::diagnosis {

/// "key=value" for each label.
[[nodiscard]] inline std::vector<std::string> label_texts(const model::Labels& labels) {
  std::vector<std::string> result;
  for (const auto& [key, value] : labels) result.push_back(key.str() + "=" + value.str());
  return result;
}

/// "key=value,key=value", as kubectl accepts it.
[[nodiscard]] inline std::string label_text(const model::Labels& labels) {
  std::string result;
  for (const std::string& text : label_texts(labels)) {
    result += (result.empty() ? "" : ",") + text;
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
