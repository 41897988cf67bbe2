// SPDX-License-Identifier: Apache-2.0
#include "decode/bulk/revision_template.h"

#include <utility>

#include "decode/json/json_reader.h"
#include "decode/objects/field_reader.h"
#include "decode/objects/fingerprint.h"
#include "decode/objects/url_secrets.h"

namespace dsdoctor::decode {

void read_template(std::string_view json, ObjectDecoder& decoder, model::PodTemplate& into) {
  auto whole = decoder.open(json);
  if (!whole) return;
  const std::string_view raw = raw_object(*whole, {"data", "spec", "template"});
  if (raw.empty()) return;
  auto part = decoder.open(raw);
  if (!part) return;
  JsonReader reader(decoder.pool());
  FieldReader fields(reader);
  model::PodTemplate found;
  reader.document(*part, [&](std::string_view key, JsonReader::Value field) {
    fields.read_field(key, field, found);
  });
  if (reader.failure()) return;
  hide_url_secrets(found);
  into = std::move(found);
}

}  // namespace dsdoctor::decode
