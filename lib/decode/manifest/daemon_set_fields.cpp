// SPDX-License-Identifier: Apache-2.0
#include "decode/manifest/daemon_set_fields.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace dsdoctor::decode {
namespace {

using TypesByName = std::map<std::string_view, const ObjectType*>;

constexpr std::string_view release_word = "release ";

/// A word of the table: NAME, NAME=TYPE, NAME=[]TYPE, NAME=[] or NAME={}.
TypeField field_of(std::string_view word, const TypesByName& types) {
  const std::size_t equals = word.find('=');
  TypeField field;
  field.name = word.substr(0, equals);
  if (equals == std::string_view::npos) return field;
  std::string_view of = word.substr(equals + 1);
  const bool list = of.starts_with("[]");
  if (list) of.remove_prefix(2);
  const auto type = types.find(of);
  if (type != types.end()) {
    field.type = type->second;
    field.shape = list ? FieldShape::ObjectList : FieldShape::Object;
  } else {
    field.shape = list ? FieldShape::ScalarList : FieldShape::Map;
  }
  return field;
}

/// The lines of the table that describe types.
std::vector<std::string_view> lines_of_types() {
  std::vector<std::string_view> lines = base::split(daemon_set_fields_text(), "\n");
  std::erase_if(lines, [](std::string_view line) {
    return line.empty() || line.starts_with('#') || line.starts_with(release_word);
  });
  return lines;
}

std::vector<ObjectType> types_of_table() {
  const std::vector<std::string_view> lines = lines_of_types();
  std::vector<ObjectType> types(lines.size());
  TypesByName by_name;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    types[i].name = lines[i].substr(0, lines[i].find(' '));
    by_name.emplace(types[i].name, &types[i]);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string_view> words = base::split(lines[i], " ");
    types[i].fields.reserve(words.size());
    for (std::size_t word = 1; word < words.size(); ++word) {
      types[i].fields.push_back(field_of(words[word], by_name));
    }
  }
  return types;
}

}  // namespace

const TypeField* ObjectType::find(std::string_view field) const {
  const auto at = std::ranges::lower_bound(fields, field, {}, &TypeField::name);
  return at != fields.end() && at->name == field ? &*at : nullptr;
}

const std::vector<ObjectType>& daemon_set_types() {
  static const std::vector<ObjectType> types = types_of_table();
  return types;
}

const ObjectType& daemon_set_type() { return daemon_set_types().front(); }

model::Release daemon_set_fields_release() {
  const std::string_view text = daemon_set_fields_text();
  const std::string_view rest = text.substr(text.find(release_word) + release_word.size());
  return model::parse_release(rest.substr(0, rest.find('\n'))).value_or(model::Release());
}

}  // namespace dsdoctor::decode
