#include "decode/json/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

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

void put_time(Json& into, const std::string& key, const std::optional<model::Time>& time) {
  if (time) into[key] = rfc3339_text(*time);
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

std::string rfc3339_text(model::Time time) {
  namespace chrono = std::chrono;
  constexpr model::Time first = chrono::sys_days(chrono::year(0) / 1 / 1);
  constexpr model::Time last =
      chrono::sys_days(chrono::year(9999) / 12 / 31) + chrono::seconds(86399);
  time = std::clamp(time, first, last);
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(time - day);
  const auto micros = clock.subseconds().count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(),
                     micros == 0 ? "" : fmt::format(".{:06}", micros));
}

}  // namespace dsdoctor::decode
