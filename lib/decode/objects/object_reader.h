// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "decode/json/json_reader.h"
#include "decode/objects/field_reader.h"
#include "model/fields.h"

namespace dsdoctor::decode {

using Document = simdjson::ondemand::document;

/// Derives fields from those that were read.
void settle(model::Namespace& ns);
void settle(model::StorageClass& storage);

/// Reads one object into the model; skips fields that no answer needs.
template <typename Object>
void read_object(JsonReader& reader, Document& doc, Object& into) {
  FieldReader fields(reader);
  reader.document(doc, [&](std::string_view key, JsonReader::Value field) {
    fields.read_field(key, field, into);
  });
  if constexpr (requires { settle(into); }) settle(into);
}
/// Reads an event of `v1` or `events.k8s.io/v1`.
void read_object(JsonReader& reader, Document& doc, model::Event& into);

}  // namespace dsdoctor::decode
