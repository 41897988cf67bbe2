// SPDX-License-Identifier: Apache-2.0
#include "decode/protobuf/protobuf_reader.h"

#include <chrono>
#include <protozero/exception.hpp>

namespace dsdoctor::decode {

using protozero::pbf_wire_type;

void ProtobufReader::expect(const Field& field, pbf_wire_type type) {
  // protozero checks this only in debug builds.
  if (!field.has_wire_type(type)) throw protozero::unknown_pbf_wire_type_exception();
}

std::string_view ProtobufReader::bytes(Field& field) {
  expect(field, pbf_wire_type::length_delimited);
  const protozero::data_view view = field.get_view();
  return {view.data(), view.size()};
}

model::Text ProtobufReader::text(Field& field) { return pool_.intern(bytes(field)); }
model::UniqueText ProtobufReader::unique_text(Field& field) { return {bytes(field)}; }

bool ProtobufReader::boolean(Field& field) {
  expect(field, pbf_wire_type::varint);
  return field.get_int64() != 0;  // get_bool reads before it checks that there is a byte
}

std::int64_t ProtobufReader::integer(Field& field) {
  expect(field, pbf_wire_type::varint);
  return field.get_int64();
}

std::int64_t ProtobufReader::int32(Field& field) {
  expect(field, pbf_wire_type::varint);
  return field.get_int32();
}

model::OptionalTime ProtobufReader::time(Field& field) {
  // RFC 3339 has no times before the year 1 or after 9999, and distant ones do not fit into a Time.
  constexpr std::int64_t first = -62'135'596'800;
  constexpr std::int64_t last = 253'402'300'799;
  std::int64_t seconds = 0;
  bool there = false;
  object(field, [&](Field& part) {
    if (part.tag() != 1) return;
    seconds = integer(part);
    there = true;
  });
  if (!there) return std::nullopt;
  if (seconds < first || seconds > last) throw protozero::invalid_length_exception();
  return model::Time(std::chrono::seconds(seconds));
}

model::Labels::Entry ProtobufReader::entry(Field& field) {
  model::Labels::Entry result;
  object(field, [&](Field& part) {
    if (part.tag() == 1) result.first = text(part);
    if (part.tag() == 2) result.second = text(part);
  });
  return result;
}

std::pair<std::string_view, std::string_view> ProtobufReader::raw_entry(Field& field) {
  std::pair<std::string_view, std::string_view> result;
  object(field, [&](Field& part) {
    if (part.tag() == 1) result.first = bytes(part);
    if (part.tag() == 2) result.second = bytes(part);
  });
  return result;
}

model::Labels::Entry ProtobufReader::quantity_entry(Field& field) {
  model::Labels::Entry result;
  object(field, [&](Field& part) {
    if (part.tag() == 1) result.first = text(part);
    if (part.tag() == 2) {
      object(part, [&](Field& quantity) {
        if (quantity.tag() == 1) result.second = text(quantity);
      });
    }
  });
  return result;
}

ProtobufReader::Resources ProtobufReader::resources(Field& field) {
  Resources result;
  object(field, [&](Field& part) {
    if (part.tag() == 1) result.limits.push_back(quantity_entry(part));
    if (part.tag() == 2) result.requests.push_back(quantity_entry(part));
  });
  return result;
}

}  // namespace dsdoctor::decode
