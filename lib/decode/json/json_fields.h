// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/labels.h"
#include "model/meta.h"
#include "model/scheduling.h"

/// Adds fields to a JSON object. As in the API, fields with the zero value of their type are left
/// out, which readers treat the same.
namespace dsdoctor::decode {

using Json = nlohmann::ordered_json;

void put_text(Json& into, const std::string& key, std::string_view text);
void put_number(Json& into, const std::string& key, std::int64_t number);
void put_flag(Json& into, const std::string& key, bool flag);
void put_time(Json& into, const std::string& key, const model::OptionalTime& time);
void put_map(Json& into, const std::string& key, const model::Labels& map);
void put_texts(Json& into, const std::string& key, const std::vector<model::Text>& texts);
/// Null, `{}` and `[]` are left out.
void put_part(Json& into, const std::string& key, Json part);

[[nodiscard]] Json map_json(const model::Labels& map);
[[nodiscard]] Json texts_json(const std::vector<model::Text>& texts);

template <typename Item>
[[nodiscard]] Json list_json(const std::vector<Item>& items, Json (*to_json)(const Item&)) {
  Json result = Json::array();
  for (const Item& item : items) result.push_back(to_json(item));
  return result;
}

}  // namespace dsdoctor::decode
