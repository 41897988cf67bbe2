// SPDX-License-Identifier: Apache-2.0
#include "decode/json/object_name.h"

#include <simdjson.h>

#include "decode/json/json_padding.h"

namespace dsdoctor::decode {

ObjectName named_in(std::string_view json) {
  ObjectName result;
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document doc;
  simdjson::ondemand::object meta;
  if (parser.iterate(json.data(), json.size(), json.size() + json_padding).get(doc) !=
          simdjson::SUCCESS ||
      doc["metadata"].get_object().get(meta) != simdjson::SUCCESS) {
    return result;
  }
  for (auto field : meta) {
    std::string_view key;
    std::string_view text;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) break;
    std::string* const into = key == "namespace" ? &result.ns
                              : key == "name"    ? &result.name
                                                 : nullptr;
    if (into != nullptr && field.value().get_string().get(text) == simdjson::SUCCESS) *into = text;
  }
  return result;
}

}  // namespace dsdoctor::decode
