#pragma once

#include "decode/json/json_reader.h"
#include "decode/objects/field_reader.h"
#include "model/fields.h"

namespace dsdoctor::decode {

using Document = simdjson::ondemand::document;

/// What follows from the fields that were read.
void settle(model::Namespace& ns);
void settle(model::StorageClass& storage);

/// One object into the model. Fields that no answer depends on are skipped.
template <typename Object>
void read_object(JsonReader& reader, Document& doc, Object& into) {
  FieldReader fields(reader);
  reader.document(doc, [&](std::string_view key, JsonReader::Value field) {
    fields.read_field(key, field, into);
  });
  if constexpr (requires { settle(into); }) settle(into);
}
/// `v1` or `events.k8s.io/v1`.
void read_object(JsonReader& reader, Document& doc, model::Event& into);

}  // namespace dsdoctor::decode
