// SPDX-License-Identifier: Apache-2.0
#include "render/data/yaml.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/printable.h"
#include "base/text.h"

namespace dsdoctor::render {
namespace {

using Json = nlohmann::ordered_json;

// Words that readers of YAML 1.1 or 1.2 parse as a boolean or null.
bool is_reserved(std::string_view text) {
  constexpr std::array<std::string_view, 9> words = {"true", "false", "yes", "no", "on",
                                                     "off",  "null",  "y",   "n"};
  return std::ranges::find(words, base::lower_case(text)) != words.end();
}

// JSON's quoting is valid YAML, but YAML allows fewer characters and has more line breaks.
std::string quoted(const std::string& text) {
  return base::with_hidden_escaped(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace),
                                   base::Notation::Yaml);
}

// Only a string that no reader can parse as another type is written without quotes.
std::string scalar(const std::string& text) {
  constexpr std::string_view safe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
  const bool plain = !text.empty() && base::is_letter(text.front()) &&
                     text.find_first_not_of(safe) == std::string::npos && !is_reserved(text);
  return plain ? text : quoted(text);
}

std::string inline_value(const Json& value) {
  if (value.is_string()) return scalar(value.get_ref<const std::string&>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);  // {}, [], numbers, null
}

bool is_block(const Json& value) { return value.is_structured() && !value.empty(); }

void write(const Json& value, std::size_t indent, bool in_list_item, std::string& out);

void write_object(const Json& object, std::size_t indent, bool in_list_item, std::string& out) {
  bool first = true;
  for (const auto& [key, value] : object.items()) {
    // The first key of a list item follows its dash.
    if (!(first && in_list_item)) out.append(indent, ' ');
    first = false;
    out += scalar(key) + ":";
    if (!is_block(value)) {
      out += " " + inline_value(value) + "\n";
      continue;
    }
    out += "\n";
    write(value, value.is_array() ? indent : indent + 2, false, out);
  }
}

void write_array(const Json& array, std::size_t indent, bool in_list_item, std::string& out) {
  bool first = true;
  for (const Json& value : array) {
    if (!(first && in_list_item)) out.append(indent, ' ');
    first = false;
    out += "- ";
    if (is_block(value)) {
      write(value, indent + 2, true, out);
    } else {
      out += inline_value(value) + "\n";
    }
  }
}

void write(const Json& value, std::size_t indent, bool in_list_item, std::string& out) {
  if (value.is_object()) {
    write_object(value, indent, in_list_item, out);
  } else {
    write_array(value, indent, in_list_item, out);
  }
}

}  // namespace

std::string yaml_text(const nlohmann::ordered_json& document) {
  if (!is_block(document)) return inline_value(document) + "\n";
  std::string out;
  write(document, 0, false, out);
  return out;
}

}  // namespace dsdoctor::render
