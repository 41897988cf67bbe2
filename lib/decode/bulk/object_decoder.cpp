#include "decode/bulk/object_decoder.h"

#include <nlohmann/json.hpp>

namespace dsdoctor::decode {

static_assert(json_padding >= simdjson::SIMDJSON_PADDING);

std::optional<simdjson::ondemand::document> ObjectDecoder::open(std::string_view json) {
  simdjson::ondemand::document doc;
  const auto error = parser_.iterate(json.data(), json.size(), json.size() + json_padding).get(doc);
  if (error != simdjson::SUCCESS) return std::nullopt;
  return doc;
}

DecodeFailure ObjectDecoder::failure(std::string_view json, std::string path, std::string what) {
  DecodeFailure result{{}, {}, std::move(path), std::move(what)};
  const auto value = nlohmann::json::parse(json, nullptr, false);
  if (!value.is_object()) return result;
  const auto meta = value.find("metadata");
  if (meta == value.end() || !meta->is_object()) return result;
  const auto text = [&](const char* key) {
    const auto at = meta->find(key);
    return at != meta->end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  result.ns = text("namespace");
  result.name = text("name");
  return result;
}

}  // namespace dsdoctor::decode
