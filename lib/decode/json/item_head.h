#pragma once

#include <optional>
#include <string_view>

namespace dsdoctor::decode {

/// What an object says first.
struct ItemHead {
  std::string_view api_version;
  std::string_view kind;
};

/// The first two fields of an object of JSON, where they are `apiVersion` and `kind` in either
/// order, spelled without escapes; absent where it has to be parsed to tell. Parts of `json`.
[[nodiscard]] std::optional<ItemHead> item_head(std::string_view json);

}  // namespace dsdoctor::decode
