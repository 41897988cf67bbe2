// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/kind_in_object.h"

#include <fmt/format.h>

#include <string>

#include "decode/json/item_head.h"
#include "decode/json/json_reader.h"

namespace dsdoctor::decode {
namespace {

struct KindText {
  std::string api_version;
  std::string kind;
};

/// Errors: Malformed, without a place.
base::Result<KindText> names_in(std::string_view json, ObjectDecoder& decoder) {
  if (const auto head = item_head(json)) {
    return KindText{std::string(head->api_version), std::string(head->kind)};
  }
  auto doc = decoder.open(json);
  if (!doc) return base::Error{base::ErrorKind::Malformed, "", "the JSON is not valid"};
  JsonReader reader(decoder.pool());
  KindText result;
  reader.document(*doc, [&](std::string_view key, JsonReader::Value field) {
    if (key == "apiVersion") result.api_version = reader.text(field).str();
    if (key == "kind") result.kind = reader.text(field).str();
  });
  if (reader.failure()) return base::Error{base::ErrorKind::Malformed, "", reader.failure()->what};
  return result;
}

}  // namespace

base::Result<std::optional<Kind>> kind_in(std::string_view json, const Origin& origin,
                                          ObjectDecoder& decoder) {
  const auto names = names_in(json, decoder);
  const std::string index = origin.item ? fmt::format(" items[{}]", *origin.item) : "";
  if (!names) {
    return base::Error{base::ErrorKind::Malformed, origin.name + index, names.error().what};
  }
  if (names->kind.empty()) {
    return base::Error{base::ErrorKind::Malformed, origin.name + index,
                       "expected an object with apiVersion and kind; kind is missing"};
  }
  return kind_of(names->api_version, names->kind);
}

std::optional<model::OtherKind> other_kind_in(std::string_view json, ObjectDecoder& decoder) {
  const auto names = names_in(json, decoder);
  if (!names || !is_other_daemon_set(names->api_version, names->kind)) return std::nullopt;
  return model::OtherKind{decoder.pool().intern(names->api_version),
                          decoder.pool().intern(names->kind)};
}

}  // namespace dsdoctor::decode
