// SPDX-License-Identifier: Apache-2.0
#include <simdjson.h>

#include <algorithm>
#include <new>

#include "decode/json/json_padding.h"
#include "decode/manifest/manifest_value.h"

namespace dsdoctor::decode {
namespace {

/// Copies a JSON value. The recursion is bounded, because simdjson limits the depth.
class ManifestJson {
 public:
  ManifestJson(std::string_view json, std::size_t first_line)
      : counted_(json.data()), line_(first_line) {}

  /// Returns false if there are too many values.
  bool read(simdjson::ondemand::value value, ManifestValue& into) {
    if (left_-- == 0) return false;
    simdjson::ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    switch (type) {
      case simdjson::ondemand::json_type::object: return read_object(value, into);
      case simdjson::ondemand::json_type::array: return read_array(value, into);
      case simdjson::ondemand::json_type::null: into.kind = ManifestValue::Kind::Null; return true;
      case simdjson::ondemand::json_type::string: {
        std::string_view text;
        if (value.get_string().get(text) != simdjson::SUCCESS) return false;
        into.text = text;
        break;
      }
      case simdjson::ondemand::json_type::number:
      case simdjson::ondemand::json_type::boolean: break;
    }
    into.kind = ManifestValue::Kind::Scalar;
    return true;
  }

 private:
  bool read_object(simdjson::ondemand::value value, ManifestValue& into) {
    into.kind = ManifestValue::Kind::Map;
    simdjson::ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    for (auto field : object) {
      simdjson::ondemand::raw_json_string raw;
      std::string_view key;
      simdjson::ondemand::value inner;
      if (field.key().get(raw) != simdjson::SUCCESS ||
          field.unescaped_key().get(key) != simdjson::SUCCESS ||
          field.value().get(inner) != simdjson::SUCCESS) {
        return false;
      }
      into.entries.push_back({std::string(key), line_at(raw.raw()), {}});
      if (!read(inner, into.entries.back().value)) return false;
    }
    return true;
  }

  bool read_array(simdjson::ondemand::value value, ManifestValue& into) {
    into.kind = ManifestValue::Kind::List;
    simdjson::ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    for (auto element : array) {
      simdjson::ondemand::value inner;
      if (element.get(inner) != simdjson::SUCCESS) return false;
      into.entries.push_back({{}, line_, {}});
      if (!read(inner, into.entries.back().value)) return false;
    }
    return true;
  }

  /// Positions have to be in the order of the text.
  std::size_t line_at(const char* at) {
    line_ += static_cast<std::size_t>(std::count(counted_, at, '\n'));
    counted_ = at;
    return line_;
  }

  const char* counted_;
  std::size_t line_;
  std::size_t left_ = most_manifest_values;
};

}  // namespace

bool read_manifest_json(std::string_view json, std::size_t first_line, const ManifestSink& sink) {
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  const auto error =
      parser.iterate(json.data(), json.size(), json.size() + json_padding).get(document);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  simdjson::ondemand::value value;
  if (error != simdjson::SUCCESS || document.get_value().get(value) != simdjson::SUCCESS) {
    return true;  // a scalar
  }
  ManifestValue result;
  if (!ManifestJson(json, first_line).read(value, result)) return false;
  sink(result);
  return true;
}

}  // namespace dsdoctor::decode
