// SPDX-License-Identifier: Apache-2.0
#include "testing/block_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/text.h"

namespace dsdoctor::testing {
namespace {

bool needs_quotes(std::string_view text) {
  constexpr std::string_view special = ":\"{}[],@%*&!|>'#`\\\n\t";
  constexpr std::string_view words[] = {"y",   "n",    "yes",   "no",  "on",
                                        "off", "true", "false", "null"};
  if (text.empty() || text.find_first_of(special) != text.npos) return true;
  if (std::ranges::find(words, base::lower_case(text)) != std::end(words)) return true;
  const char first = text.front();
  return (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.' ||
         first == '?' || first == ' ' || first == '~' || text.back() == ' ';
}

std::string key_text(const std::string& key) {
  return (needs_quotes(key) ? nlohmann::json(key).dump() : key) + ":";
}

/// Writes the entries of a list or mapping; the first one may be behind the dash of its parent.
void write_entries(std::string& yaml, const nlohmann::json& value, std::size_t indent,
                   bool behind_dash) {
  const std::string margin(indent, ' ');
  for (const auto& [key, inner] : value.items()) {
    if (!behind_dash) yaml += margin;
    behind_dash = false;
    if (!value.is_array()) {
      yaml += key_text(key);
      write_block_yaml(yaml, inner, inner.is_array() ? indent : indent + 2);
    } else if (inner.is_structured() && !inner.empty()) {
      yaml += "- ";
      write_entries(yaml, inner, indent + 2, true);
    } else {
      yaml += '-';
      write_block_yaml(yaml, inner, indent);
    }
  }
}

}  // namespace

void write_block_yaml(std::string& yaml, const nlohmann::json& value, std::size_t indent) {
  if (value.is_structured() && !value.empty()) {
    yaml += '\n';
    write_entries(yaml, value, indent, false);
  } else if (value.is_string() && !needs_quotes(value.get_ref<const std::string&>())) {
    yaml += fmt::format(" {}\n", value.get_ref<const std::string&>());
  } else {
    yaml += fmt::format(" {}\n", value.dump());
  }
}

}  // namespace dsdoctor::testing
