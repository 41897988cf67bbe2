#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "decode/json/memory_budget.h"
#include "model/labels.h"
#include "model/meta.h"
#include "model/text.h"

namespace dsdoctor::decode {

/// Reads fields of one JSON object with simdjson on-demand, as the API server decodes them: null
/// and absent are the zero value of the type, another JSON type is an error with the field's path.
/// The first error sticks; everything read after it is a zero value.
///
/// Values must be read in the order in which they stand, each at most once; what is not read is
/// skipped, unchecked.
class JsonReader {
 public:
  using Value = simdjson::ondemand::value;

  struct Failure {
    std::string path;  // "spec.taints[0].effect"
    std::string what;
  };

  /// Both must outlive this; what is kept of the object is counted by `memory`, unless it is null.
  explicit JsonReader(model::TextPool& pool, MemoryBudget* memory = nullptr)
      : pool_(pool), memory_(memory) {}

  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

  /// Calls `read(key, value)` for each field of the document.
  template <typename Read>
  void document(simdjson::ondemand::document& doc, Read&& read) {
    simdjson::ondemand::object object;
    if (doc.get_object().get(object) != simdjson::SUCCESS) return fail("expected an object");
    fields_of(object, read);
  }

  /// Calls `read(key, value)` for each field. Null: none.
  template <typename Read>
  void object(Value value, Read&& read) {
    if (is_null(value)) return;
    simdjson::ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) {
      return fail_type("an object", value);
    }
    fields_of(object, read);
  }

  /// Calls `read(value)` for each element. Null: none.
  template <typename Read>
  void array(Value value, Read&& read) {
    if (is_null(value)) return;
    simdjson::ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return fail_type("an array", value);
    std::size_t index = 0;
    for (auto element : array) {
      path_.push_back({{}, index++});
      Value item;
      if (element.get(item) != simdjson::SUCCESS) {
        fail("invalid JSON");
      } else {
        read(item);
      }
      path_.pop_back();
      if (failure_) return;
    }
  }

  [[nodiscard]] model::Text text(Value value);
  /// One that hardly another object has: its like is not looked for.
  [[nodiscard]] model::Text unique_text(Value value);
  /// Fails where it is none; its text is not kept.
  void expect_text(Value value);
  [[nodiscard]] bool boolean(Value value);
  [[nodiscard]] std::int64_t integer(Value value);
  /// RFC 3339; null is absent.
  [[nodiscard]] model::OptionalTime time(Value value);
  [[nodiscard]] model::Labels string_map(Value value);
  [[nodiscard]] std::vector<model::Text> texts(Value value);
  /// `3` or `"25%"`; null is absent.
  [[nodiscard]] std::optional<model::IntOrPercent> int_or_percent(Value value);
  [[nodiscard]] bool is_null(Value& value);

  /// Counts `bytes` that the object takes, and fails beyond the limit.
  void keep(std::size_t bytes);

  void fail(std::string what);

 private:
  struct Step {
    std::string_view key;  // of the parser's buffer: valid while the document is
    std::optional<std::size_t> index = std::nullopt;  // of an array's element, which has no key
  };

  template <typename Read>
  void fields_of(simdjson::ondemand::object& object, Read&& read) {
    for (auto field : object) {
      std::string_view key;
      Value value;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
          field.value().get(value) != simdjson::SUCCESS) {
        return fail("invalid JSON");
      }
      path_.push_back({key});
      read(key, value);
      path_.pop_back();
      if (failure_) return;
    }
  }

  void fail_type(std::string_view expected, Value& value);
  [[nodiscard]] std::string path() const;

  model::TextPool& pool_;
  std::vector<model::Labels::Entry> entries_;  // of the map that is being read
  MemoryBudget* memory_;
  std::vector<Step> path_;
  std::optional<Failure> failure_;
};

using base::parse_rfc3339;

}  // namespace dsdoctor::decode
