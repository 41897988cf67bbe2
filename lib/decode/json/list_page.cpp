// SPDX-License-Identifier: Apache-2.0
#include "decode/json/list_page.h"

#include <algorithm>

namespace dsdoctor::decode {
namespace {

base::Error unusable(const std::string& where, std::string_view key, std::string_view expected) {
  std::string what = "metadata.";
  what.append(key).append(": expected ").append(expected);
  return {base::ErrorKind::Malformed, where, std::move(what)};
}

}  // namespace

base::Result<ListPage> page_of(const simdjson::dom::object& list, const std::string& where) {
  ListPage page;
  simdjson::dom::object meta;
  if (list["metadata"].get_object().get(meta) != simdjson::SUCCESS) return page;
  for (const auto [key, value] : meta) {
    if (value.is_null()) continue;
    std::string_view text;
    if (key == "continue") {
      if (value.get_string().get(text) != simdjson::SUCCESS) {
        return unusable(where, key, "a string");
      }
      if (!text.empty()) page.token = text;
    } else if (key == "remainingItemCount") {
      std::int64_t count = 0;
      if (value.get_int64().get(count) != simdjson::SUCCESS || count < 0) {
        return unusable(where, key, "a number of items, 0 or more");
      }
      page.remaining = std::max(page.remaining, count);
    } else if (key == "resourceVersion" && value.get_string().get(text) == simdjson::SUCCESS) {
      page.version = text;
    }
  }
  return page;
}

base::Result<ListPage> page_of(std::string_view list, const std::string& where) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(list.data(), list.size()).get(object) != simdjson::SUCCESS) return ListPage{};
  return page_of(object, where);
}

}  // namespace dsdoctor::decode
