// SPDX-License-Identifier: Apache-2.0
#include "decode/json/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace dsdoctor::decode {
namespace {

constexpr std::string_view a_string = "a string";

using simdjson::SUCCESS;

std::string_view name_of(simdjson::ondemand::json_type type) {
  switch (type) {
    case simdjson::ondemand::json_type::array: return "an array";
    case simdjson::ondemand::json_type::object: return "an object";
    case simdjson::ondemand::json_type::number: return "a number";
    case simdjson::ondemand::json_type::string: return a_string;
    case simdjson::ondemand::json_type::boolean: return "a boolean";
    case simdjson::ondemand::json_type::null: return "null";
  }
  return "something else";
}

}  // namespace

void JsonReader::fail(std::string what) {
  if (!failure_) failure_ = Failure{path(), std::move(what)};
}

void JsonReader::fail_type(std::string_view expected, Value& value) {
  simdjson::ondemand::json_type type{};
  if (value.type().get(type) != SUCCESS) return fail("invalid JSON");
  if (type == simdjson::ondemand::json_type::string && expected == a_string) {
    return fail("the string has an escape that is not valid");
  }
  fail(fmt::format("expected {}, found {}", expected, name_of(type)));
}

void JsonReader::expect_null(std::string_view expected, Value& value) {
  if (!is_null(value)) fail_type(expected, value);
}

void JsonReader::keep(std::size_t bytes) {
  if (memory_ == nullptr) return;
  memory_->keep(bytes);
  memory_->keep_texts(pool_.bytes());
  if (memory_->is_exceeded()) return fail("more than fits into memory");
  if (!memory_->is_object_too_large()) return;
  fail(fmt::format("the object takes more than {} MiB of memory, the limit for one",
                   MemoryBudget::most_of_one_object / MemoryBudget::mebibyte));
}

std::string JsonReader::path() const {
  std::vector<const Step*> steps;
  for (const Step* step = innermost_; step != nullptr; step = step->outer) steps.push_back(step);
  std::ranges::reverse(steps);
  std::string result;
  for (const Step* step : steps) {
    if (step->index) {
      result += fmt::format("[{}]", *step->index);
    } else if (step->key.empty() || step->key.find_first_of("./[] ") != std::string_view::npos) {
      result += fmt::format("[{}]", step->key);  // as in messages of the API
    } else {
      result += fmt::format("{}{}", result.empty() ? "" : ".", step->key);
    }
  }
  return result;
}

bool JsonReader::is_null(Value& value) {
  bool null = false;
  if (value.is_null().get(null) != SUCCESS) return false;
  return null;
}

model::Text JsonReader::text(Value value) {
  std::string_view text;
  if (value.get_string().get(text) == SUCCESS) return pool_.intern(text);
  expect_null(a_string, value);
  return {};
}

std::string_view JsonReader::unique_text(Value value) {
  std::string_view text;
  if (value.get_string().get(text) != SUCCESS) {
    expect_null(a_string, value);
    return {};
  }
  constexpr std::size_t overhead = 32;  // of an allocation
  keep(text.size() + overhead);
  return text;
}

void JsonReader::expect_text(Value value) {
  std::string_view text;
  if (value.get_string().get(text) != SUCCESS) expect_null(a_string, value);
}

bool JsonReader::boolean(Value value) {
  bool result = false;
  if (value.get_bool().get(result) != SUCCESS) expect_null("true or false", value);
  return result;
}

std::int64_t JsonReader::integer(Value value) {
  if (is_null(value)) return 0;
  std::int64_t result = 0;
  if (value.get_int64().get(result) != SUCCESS) {
    simdjson::ondemand::json_type type{};
    const bool number =
        value.type().get(type) == SUCCESS && type == simdjson::ondemand::json_type::number;
    if (number) {
      fail("expected a 64-bit integer");
    } else {
      fail_type("an integer", value);
    }
  }
  return result;
}

std::int64_t JsonReader::int32(Value value) {
  const std::int64_t result = integer(value);
  if (result != static_cast<std::int32_t>(result)) fail("expected a 32-bit integer");
  return result;
}

model::OptionalTime JsonReader::time(Value value) {
  std::string_view text;
  if (value.get_string().get(text) != SUCCESS) {
    expect_null("a time like 2006-01-02T15:04:05Z", value);
    return std::nullopt;
  }
  if (text.empty()) return std::nullopt;
  if (text == "null") {
    ++null_texts_;
    return std::nullopt;
  }
  const auto time = parse_rfc3339(text);
  if (!time) fail("expected a time like 2006-01-02T15:04:05Z");
  return time;
}

model::Labels JsonReader::string_map(Value value) {
  entries_.clear();
  object(value, [&](std::string_view key, Value field) {
    // Copy the key first: reading the value may reuse the buffer of the key.
    model::Text name = pool_.intern(key);
    entries_.emplace_back(std::move(name), text(field));
    keep(2 * sizeof(model::Labels::Entry));
  });
  // A vector without spare capacity: a cluster has many maps.
  return model::Labels(std::vector<model::Labels::Entry>(std::make_move_iterator(entries_.begin()),
                                                         std::make_move_iterator(entries_.end())));
}

std::vector<model::Text> JsonReader::texts(Value value) {
  std::vector<model::Text> result;
  array(value, [&](Value element) {
    result.push_back(text(element));
    keep(2 * sizeof(model::Text));
  });
  return result;
}

std::optional<model::IntOrPercent> JsonReader::int_or_percent(Value value) {
  if (is_null(value)) return std::nullopt;
  simdjson::ondemand::json_type type{};
  if (value.type().get(type) == SUCCESS && type == simdjson::ondemand::json_type::number) {
    return model::IntOrPercent{int32(value), false};
  }
  std::string_view text;
  if (value.get_string().get(text) != SUCCESS) {
    fail_type("an integer or a percentage", value);
    return std::nullopt;
  }
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = base::to_number<std::int64_t>(text);
  if (!percent || !number) {
    fail("expected an integer or a percentage like \"25%\"");
    return std::nullopt;
  }
  return model::IntOrPercent{*number, true};
}

}  // namespace dsdoctor::decode
