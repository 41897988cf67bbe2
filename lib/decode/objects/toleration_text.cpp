// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/toleration_text.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

/// The string in a field; empty if absent or null. Any other value makes the whole list invalid.
std::optional<model::Text> word(const json& entry, const char* key) {
  const auto at = entry.find(key);
  if (at == entry.end() || at->is_null()) return model::Text();
  if (!at->is_string()) return std::nullopt;
  return model::Text(at->get<std::string>());
}

std::optional<model::Toleration> toleration(const json& entry) {
  if (!entry.is_object()) return std::nullopt;
  const auto key = word(entry, "key");
  const auto op = word(entry, "operator");
  const auto value = word(entry, "value");
  const auto effect = word(entry, "effect");
  if (!key || !op || !value || !effect) return std::nullopt;
  model::Toleration result{*key, *op, *value, *effect};
  const auto seconds = entry.find("tolerationSeconds");
  if (seconds != entry.end() && seconds->is_number_integer()) {
    result.toleration_seconds = seconds->get<std::int64_t>();
  }
  return result;
}

}  // namespace

std::vector<model::Toleration> parse_tolerations(std::string_view text) {
  const json list = json::parse(text, nullptr, false);
  std::vector<model::Toleration> result;
  if (!list.is_array()) return result;
  for (const json& entry : list) {
    auto one = toleration(entry);
    if (!one) return {};
    result.push_back(std::move(*one));
  }
  return result;
}

}  // namespace dsdoctor::decode
