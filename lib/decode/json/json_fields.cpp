// SPDX-License-Identifier: Apache-2.0
#include "decode/json/json_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"

namespace dsdoctor::decode {

void put_text(Json& into, const std::string& key, std::string_view text) {
  if (!text.empty()) into[key] = text;
}

void put_number(Json& into, const std::string& key, std::int64_t number) {
  if (number != 0) into[key] = number;
}

void put_flag(Json& into, const std::string& key, bool flag) {
  if (flag) into[key] = true;
}

void put_time(Json& into, const std::string& key, const model::OptionalTime& time) {
  if (time) into[key] = base::rfc3339(*time);
}

void put_map(Json& into, const std::string& key, const model::Labels& map) {
  if (!map.empty()) into[key] = map_json(map);
}

void put_texts(Json& into, const std::string& key, const std::vector<model::Text>& texts) {
  if (!texts.empty()) into[key] = texts_json(texts);
}

void put_part(Json& into, const std::string& key, Json part) {
  if (!part.empty()) into[key] = std::move(part);
}

Json map_json(const model::Labels& map) {
  Json result = Json::object();
  for (const auto& [key, value] : map) result[key.str()] = value.view();
  return result;
}

Json texts_json(const std::vector<model::Text>& texts) {
  Json result = Json::array();
  for (const model::Text& text : texts) result.push_back(text.view());
  return result;
}

}  // namespace dsdoctor::decode
