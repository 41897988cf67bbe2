// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/fingerprint.h"

#include <nlohmann/json.hpp>

#include "decode/yaml/go_number.h"

namespace dsdoctor::decode {
namespace {

/// No API server accepts an object larger than 3 MiB, and parsing takes 40 times its size.
constexpr std::size_t most_compared = std::size_t{3} << 20U;

/// Makes equivalent values equal: removes nulls, and writes whole numbers as integers.
void normalize(nlohmann::json& value) {
  if (value.is_object()) {
    for (auto at = value.begin(); at != value.end();) {
      if (at->is_null()) {
        at = value.erase(at);
      } else {
        normalize(*at);
        ++at;
      }
    }
  } else if (value.is_array()) {
    for (auto& element : value) normalize(element);
  } else if (value.is_number_float()) {
    value = number_json(value.get<double>());
  }
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

}  // namespace

std::uint64_t template_fingerprint(std::string_view json) {
  if (json.size() > most_compared) return fnv1a(json);
  auto value = nlohmann::json::parse(json, nullptr, false);
  if (!value.is_object()) return 0;
  value.erase("$patch");
  normalize(value);
  return fnv1a(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string_view raw_object(simdjson::ondemand::document& doc,
                            std::initializer_list<std::string_view> path) {
  simdjson::ondemand::object object;
  if (doc.get_object().get(object) != simdjson::SUCCESS) return {};
  for (const std::string_view key : path) {
    simdjson::ondemand::value value;
    if (object.find_field_unordered(key).get(value) != simdjson::SUCCESS) return {};
    if (value.get_object().get(object) != simdjson::SUCCESS) return {};
  }
  std::string_view raw;
  return object.raw_json().get(raw) == simdjson::SUCCESS ? raw : std::string_view();
}

}  // namespace dsdoctor::decode
