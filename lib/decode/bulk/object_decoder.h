// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "decode/bulk/siblings.h"
#include "decode/json/json_padding.h"
#include "decode/json/json_reader.h"
#include "decode/json/memory_budget.h"
#include "decode/json/object_name.h"
#include "decode/objects/object_reader.h"
#include "decode/objects/url_secrets.h"
#include "model/text.h"

namespace dsdoctor::decode {

/// The reason why an object could not be decoded.
struct DecodeFailure {
  ObjectName object;
  std::string path;  // of the field; empty for the whole object
  std::string what;
};

/// Decodes objects one by one. Interns repeated strings. Not thread-safe.
class ObjectDecoder {
 public:
  /// Decodes an object. REQUIRES: `json_padding` readable bytes after `json`. Absent: success.
  template <typename Object>
  [[nodiscard]] std::optional<DecodeFailure> decode(std::string_view json, Object& into) {
    kept_ = 0;
    auto doc = open(json);
    if (!doc) return DecodeFailure{named_in(json), {}, "the JSON is not valid"};
    const std::uint64_t before = memory_.kept();
    memory_.begin_object();
    JsonReader reader(pool_, &memory_);
    read_object(reader, *doc, into);
    kept_ = memory_.kept() - before;
    memory_.set_kept(before);
    null_times_ = reader.null_texts();
    if (const auto& failed = reader.failure()) {
      return DecodeFailure{named_in(json), failed->path, failed->what};
    }
    return std::nullopt;
  }

  /// Absent for bytes that simdjson's first pass rejects. Valid until the next call.
  [[nodiscard]] std::optional<simdjson::ondemand::document> open(std::string_view json);

  /// Completes an object of any encoding: removes secrets and shares equal parts with other
  /// objects. `kept`: its memory in bytes, without the struct and its texts. Returns its memory
  /// including the struct.
  template <typename Object>
  std::uint64_t settle_among_others(Object& object, std::uint64_t kept) {
    hide_url_secrets(object);
    std::uint64_t all = kept + 2 * sizeof(Object);  // twice, because of the growing list
    if constexpr (std::is_same_v<Object, model::Pod>) {
      const bool shares = siblings_.unite(object);
      all = shares ? Siblings::bytes_of_its_own(object) : all + sizeof(model::PodSpec);
    }
    if constexpr (std::is_same_v<Object, model::Node>) siblings_.unite(object);
    return all;
  }

  [[nodiscard]] model::TextPool& pool() { return pool_; }

  /// The memory of the last object in bytes, without the struct and its texts. It is not counted
  /// in `memory` yet, but is within its limit.
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] MemoryBudget& memory() { return memory_; }
  /// The number of times in the last object that were the text `null`.
  [[nodiscard]] std::size_t null_times() const { return null_times_; }

 private:
  model::TextPool pool_;
  Siblings siblings_;
  MemoryBudget memory_;
  std::uint64_t kept_ = 0;
  std::size_t null_times_ = 0;
  simdjson::ondemand::parser parser_;
};

}  // namespace dsdoctor::decode
