// SPDX-License-Identifier: Apache-2.0
#include "render/document/page/fill.h"

#include <array>
#include <kainjow/mustache.hpp>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "render/document/page/assets.h"

namespace dsdoctor::render::page {
namespace {

namespace mustache = kainjow::mustache;

/// Commands may have several lines.
bool has_lines(std::string_view key) {
  return key == "commands" || key == "command" || key == "patch";
}

/// Null, false, empty texts, lists and objects are all false, so that a section leaves them out.
/// Characters that are not visible are shown as texts.
mustache::data data_of(const Json& value, std::string_view name = {}) {
  switch (value.type()) {
    case Json::value_t::object: {
      if (value.empty()) return {false};
      mustache::data result;
      for (const auto& [key, each] : value.items()) result.set(key, data_of(each, key));
      return result;
    }
    case Json::value_t::array: {
      mustache::data result(mustache::data::type::list);
      for (const Json& each : value) result.push_back(data_of(each, name));
      return result;
    }
    case Json::value_t::string: {
      const auto& text = value.get_ref<const std::string&>();
      if (text.empty()) return {false};
      return {has_lines(name) ? base::printable(text) : base::printable_line(text)};
    }
    case Json::value_t::boolean: return {value.get<bool>()};
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float: return {value.dump()};
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded: break;
  }
  return {false};
}

/// Replaces each `{{>name}}` by the part of that name. A part may include those before it.
std::string with_parts(std::string_view text) {
  const std::array<std::pair<std::string_view, std::string_view>, 7> parts = {{
      {"{{>head}}", head_template()},
      {"{{>end}}", end_template()},
      {"{{>problem}}", problem_template()},
      {"{{>strip}}", strip_template()},
      {"{{>blocks}}", blocks_template()},
      {"{{>block}}", block_template()},
      {"{{>line}}", line_template()},
  }};
  std::string result(text);
  for (const auto& [name, part] : parts) {
    for (std::size_t at = result.find(name); at != std::string::npos; at = result.find(name, at)) {
      result.replace(at, name.size(), part);
      at += part.size();
    }
  }
  return result;
}

std::string filled(std::string_view text, const Json& data) {
  mustache::data values = data_of(data);
  values.set("style", std::string(style()));
  values.set("styleHash", std::string(style_hash()));
  values.set("script", std::string(script()));
  values.set("scriptHash", std::string(script_hash()));
  mustache::mustache page(with_parts(text));
  return page.render(values);
}

}  // namespace

std::string filled_report(const Json& data) { return filled(report_template(), data); }

std::string filled_document(const Json& data) { return filled(document_template(), data); }

std::string script_safe(const Json& data) {
  std::string result;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      result += "\\u003c";
    } else if (c == '>') {
      result += "\\u003e";
    } else {
      result += c;
    }
  }
  return base::with_hidden_escaped(result, base::Notation::Json);
}

}  // namespace dsdoctor::render::page
