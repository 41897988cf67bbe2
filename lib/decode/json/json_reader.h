// SPDX-License-Identifier: Apache-2.0
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
/// Keeps the first error; all values read after it are zero values.
///
/// Values must be read in document order, each at most once; unread values are skipped without
/// checks.
class JsonReader {
 public:
  using Value = simdjson::ondemand::value;

  struct Failure {
    std::string path;  // "spec.taints[0].effect"
    std::string what;
  };

  /// Both must outlive this. `memory` counts the memory of the decoded object, unless it is null.
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

  /// Calls `read(key, value)` for each field. Null: no calls.
  template <typename Read>
  void object(Value value, Read&& read) {
    simdjson::ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return expect_null("an object", value);
    fields_of(object, read);
  }

  /// Calls `read(value)` for each element. Null: no calls.
  template <typename Read>
  void array(Value value, Read&& read) {
    simdjson::ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return expect_null("an array", value);
    Step step{{}, 0, innermost_};
    for (auto element : array) {
      innermost_ = &step;
      Value item;
      if (element.get(item) != simdjson::SUCCESS) {
        fail("invalid JSON");
      } else {
        read(item);
      }
      innermost_ = step.outer;
      if (failure_) return;
      ++*step.index;
    }
  }

  [[nodiscard]] model::Text text(Value value);
  /// A text that rarely occurs twice: it is not put into the pool. Valid until the next text.
  [[nodiscard]] std::string_view unique_text(Value value);
  /// Fails if the value is not a string or null; keeps no text.
  void expect_text(Value value);
  [[nodiscard]] bool boolean(Value value);
  [[nodiscard]] std::int64_t integer(Value value);
  /// Fails if the value needs more than 32 bits.
  [[nodiscard]] std::int64_t int32(Value value);
  /// RFC 3339; null and an empty text are absent, and so is the text `null`, which some collectors
  /// write for null.
  [[nodiscard]] model::OptionalTime time(Value value);
  /// The number of times that were the text `null`.
  [[nodiscard]] std::size_t null_texts() const { return null_texts_; }
  [[nodiscard]] model::Labels string_map(Value value);
  [[nodiscard]] std::vector<model::Text> texts(Value value);
  /// `3` or `"25%"`; null is absent.
  [[nodiscard]] std::optional<model::IntOrPercent> int_or_percent(Value value);
  [[nodiscard]] bool is_null(Value& value);

  /// Counts `bytes` of memory for the object, and fails beyond the limit.
  void keep(std::size_t bytes);

  void fail(std::string what);

 private:
  /// A step of the path to the current value; a local variable of the function that reads the step.
  struct Step {
    std::string_view key;              // in the parser's buffer: valid as long as the document
    std::optional<std::size_t> index;  // of an array element, which has no key
    const Step* outer;
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
      const Step step{key, std::nullopt, innermost_};
      innermost_ = &step;
      read(key, value);
      innermost_ = step.outer;
      if (failure_) return;
    }
  }

  void fail_type(std::string_view expected, Value& value);
  /// Fails unless `value` is null, which means absent.
  void expect_null(std::string_view expected, Value& value);
  [[nodiscard]] std::string path() const;

  model::TextPool& pool_;
  std::vector<model::Labels::Entry> entries_;  // of the current map
  MemoryBudget* memory_;
  const Step* innermost_ = nullptr;
  std::optional<Failure> failure_;
  std::size_t null_texts_ = 0;
};

using base::parse_rfc3339;

}  // namespace dsdoctor::decode
