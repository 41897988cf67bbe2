#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "decode/json/json_padding.h"
#include "decode/json/json_reader.h"
#include "decode/objects/object_reader.h"
#include "model/text.h"

namespace dsdoctor::decode {

/// Why an object could not be decoded; namespace and name are empty where it has none.
struct DecodeFailure {
  std::string ns;
  std::string name;
  std::string path;  // of the field; empty: of the whole object
  std::string what;
};

/// Decodes one object after the other. Repeated strings are interned. Not thread-safe.
class ObjectDecoder {
 public:
  /// From the bytes of the object, with `json_padding` readable ones behind them. Absent: `into`
  /// is whole.
  template <typename Object>
  [[nodiscard]] std::optional<DecodeFailure> decode(std::string_view json, Object& into) {
    auto doc = open(json);
    if (!doc) return failure(json, {}, "the JSON is not valid");
    JsonReader reader(pool_);
    read_object(reader, *doc, into);
    if (const auto& failed = reader.failure()) return failure(json, failed->path, failed->what);
    return std::nullopt;
  }

  /// Absent for bytes that simdjson's first pass refuses. Valid until the next call.
  [[nodiscard]] std::optional<simdjson::ondemand::document> open(std::string_view json);

  [[nodiscard]] model::TextPool& pool() { return pool_; }

 private:
  static DecodeFailure failure(std::string_view json, std::string path, std::string what);

  model::TextPool pool_;
  simdjson::ondemand::parser parser_;
};

}  // namespace dsdoctor::decode
