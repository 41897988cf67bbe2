#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "decode/json/json_padding.h"
#include "decode/json/json_reader.h"
#include "decode/json/memory_budget.h"
#include "decode/json/object_name.h"
#include "decode/objects/object_reader.h"
#include "model/text.h"

namespace dsdoctor::decode {

/// Why an object could not be decoded.
struct DecodeFailure {
  ObjectName object;
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
    kept_ = 0;
    auto doc = open(json);
    if (!doc) return DecodeFailure{named_in(json), {}, "the JSON is not valid"};
    const std::uint64_t before = memory_.kept();
    JsonReader reader(pool_, &memory_);
    read_object(reader, *doc, into);
    kept_ = memory_.kept() - before;
    memory_.set_kept(before);
    if (const auto& failed = reader.failure()) {
      return DecodeFailure{named_in(json), failed->path, failed->what};
    }
    return std::nullopt;
  }

  /// Absent for bytes that simdjson's first pass refuses. Valid until the next call.
  [[nodiscard]] std::optional<simdjson::ondemand::document> open(std::string_view json);

  [[nodiscard]] model::TextPool& pool() { return pool_; }

  /// What the last object takes besides itself and its texts, in bytes. It is not in `memory` yet,
  /// whose limit it keeps to.
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] MemoryBudget& memory() { return memory_; }

 private:
  model::TextPool pool_;
  MemoryBudget memory_;
  std::uint64_t kept_ = 0;
  simdjson::ondemand::parser parser_;
};

}  // namespace dsdoctor::decode
