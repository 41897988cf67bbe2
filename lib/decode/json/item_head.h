// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace dsdoctor::decode {

/// The type of an object.
struct ItemHead {
  std::string_view api_version;
  std::string_view kind;
};

/// The first two fields of a JSON object if they are `apiVersion` and `kind` in either order and
/// without escapes; absent if the object has to be parsed. Refers to `json`.
[[nodiscard]] std::optional<ItemHead> item_head(std::string_view json);

}  // namespace dsdoctor::decode
