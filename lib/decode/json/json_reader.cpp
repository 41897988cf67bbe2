#include "decode/json/json_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "base/text.h"

namespace dsdoctor::decode {
namespace {

using simdjson::SUCCESS;

std::string_view name_of(simdjson::ondemand::json_type type) {
  switch (type) {
    case simdjson::ondemand::json_type::array: return "an array";
    case simdjson::ondemand::json_type::object: return "an object";
    case simdjson::ondemand::json_type::number: return "a number";
    case simdjson::ondemand::json_type::string: return "a string";
    case simdjson::ondemand::json_type::boolean: return "a boolean";
    case simdjson::ondemand::json_type::null: return "null";
  }
  return "something else";
}

/// `count` digits at `at`, which moves behind them; -1 for anything else.
int digits(std::string_view text, std::size_t& at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const char c = text[at + i];
    if (!base::is_digit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  at += count;
  return value;
}

bool skip(std::string_view text, std::size_t& at, std::string_view any_of) {
  if (at >= text.size() || any_of.find(text[at]) == std::string_view::npos) return false;
  ++at;
  return true;
}

/// ".123456789" as microseconds; 0 without a fraction, -1 for a dot without digits.
std::int64_t fraction(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '.') return 0;
  ++at;
  std::int64_t micros = 0;
  std::int64_t unit = 100'000;
  const std::size_t start = at;
  for (; at < text.size() && base::is_digit(text[at]); ++at) {
    micros += (text[at] - '0') * unit;
    unit /= 10;
  }
  return at == start ? -1 : micros;
}

/// "Z" or "+02:00" in minutes; absent for anything else.
std::optional<int> zone_minutes(std::string_view text, std::size_t& at) {
  if (skip(text, at, "Zz")) return 0;
  const bool west = at < text.size() && text[at] == '-';
  if (!skip(text, at, "+-")) return std::nullopt;
  const int hours = digits(text, at, 2);
  if (hours < 0 || !skip(text, at, ":")) return std::nullopt;
  const int minutes = digits(text, at, 2);
  if (minutes < 0 || hours > 23 || minutes > 59) return std::nullopt;
  return (west ? -1 : 1) * (hours * 60 + minutes);
}

}  // namespace

std::optional<model::Time> parse_rfc3339(std::string_view text) {
  namespace chrono = std::chrono;
  std::size_t at = 0;
  const int year = digits(text, at, 4);
  if (!skip(text, at, "-")) return std::nullopt;
  const int month = digits(text, at, 2);
  if (!skip(text, at, "-")) return std::nullopt;
  const int day = digits(text, at, 2);
  if (!skip(text, at, "Tt ")) return std::nullopt;
  const int hour = digits(text, at, 2);
  if (!skip(text, at, ":")) return std::nullopt;
  const int minute = digits(text, at, 2);
  if (!skip(text, at, ":")) return std::nullopt;
  const int second = digits(text, at, 2);
  const std::int64_t micros = fraction(text, at);
  const auto zone = zone_minutes(text, at);
  if (year < 0 || month < 1 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
      second < 0 || second > 60 || micros < 0 || !zone || at != text.size()) {
    return std::nullopt;
  }
  const chrono::year_month_day date{chrono::year(year), chrono::month(unsigned(month)),
                                    chrono::day(unsigned(day))};
  if (!date.ok()) return std::nullopt;
  return model::Time(chrono::sys_days(date)) + chrono::hours(hour) +
         chrono::minutes(minute - *zone) + chrono::seconds(second) + chrono::microseconds(micros);
}

void JsonReader::fail(std::string what) {
  if (!failure_) failure_ = Failure{path(), std::move(what)};
}

void JsonReader::fail_type(std::string_view expected, Value& value) {
  simdjson::ondemand::json_type type{};
  if (value.type().get(type) != SUCCESS) return fail("the JSON is not valid here");
  fail(fmt::format("{} is expected, not {}", expected, name_of(type)));
}

std::string JsonReader::path() const {
  std::string result;
  for (const Step& step : path_) {
    if (step.index) {
      result += fmt::format("[{}]", *step.index);
    } else if (step.key.empty() || step.key.find_first_of("./[] ") != std::string_view::npos) {
      result += fmt::format("[{}]", step.key);  // as in the API's own messages
    } else {
      result += fmt::format("{}{}", result.empty() ? "" : ".", step.key);
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
  if (is_null(value)) return {};
  std::string_view text;
  if (value.get_string().get(text) == SUCCESS) return pool_.intern(text);
  fail_type("a string", value);
  return {};
}

void JsonReader::expect_text(Value value) {
  std::string_view text;
  if (!is_null(value) && value.get_string().get(text) != SUCCESS) fail_type("a string", value);
}

bool JsonReader::boolean(Value value) {
  if (is_null(value)) return false;
  bool result = false;
  if (value.get_bool().get(result) != SUCCESS) fail_type("true or false", value);
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
      fail("a whole number of 64 bits is expected");
    } else {
      fail_type("a whole number", value);
    }
  }
  return result;
}

std::optional<model::Time> JsonReader::time(Value value) {
  if (is_null(value)) return std::nullopt;
  std::string_view text;
  if (value.get_string().get(text) != SUCCESS) {
    fail_type("a time like 2006-01-02T15:04:05Z", value);
    return std::nullopt;
  }
  if (text.empty()) return std::nullopt;
  const auto time = parse_rfc3339(text);
  if (!time) fail("a time like 2006-01-02T15:04:05Z is expected");
  return time;
}

model::Labels JsonReader::string_map(Value value) {
  std::vector<model::Labels::Entry> entries;
  object(value, [&](std::string_view key, Value field) {
    // The key first: reading the value may reuse the buffer that it stands in.
    model::Text name = pool_.intern(key);
    entries.emplace_back(std::move(name), text(field));
  });
  return model::Labels(std::move(entries));
}

std::vector<model::Text> JsonReader::texts(Value value) {
  std::vector<model::Text> result;
  array(value, [&](Value element) { result.push_back(text(element)); });
  return result;
}

std::optional<model::IntOrPercent> JsonReader::int_or_percent(Value value) {
  if (is_null(value)) return std::nullopt;
  simdjson::ondemand::json_type type{};
  if (value.type().get(type) == SUCCESS && type == simdjson::ondemand::json_type::number) {
    return model::IntOrPercent{integer(value), false};
  }
  std::string_view text;
  if (value.get_string().get(text) != SUCCESS) {
    fail_type("a whole number or a percentage", value);
    return std::nullopt;
  }
  std::int64_t number = 0;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!percent || error != std::errc() || end != text.data() + text.size()) {
    fail("a whole number or a percentage like \"25%\" is expected");
    return std::nullopt;
  }
  return model::IntOrPercent{number, true};
}

}  // namespace dsdoctor::decode
