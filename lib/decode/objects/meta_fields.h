#pragma once

#include <cstdint>
#include <vector>

#include "decode/json/json_reader.h"
#include "model/meta.h"

/// The fields that objects of every kind have.
namespace dsdoctor::decode {

/// `metadata`. `annotations` and `generation` are read where they are asked for.
void read_meta(JsonReader& reader, JsonReader::Value value, model::ObjectMeta& into,
               model::Labels* annotations = nullptr, std::int64_t* generation = nullptr);

/// `status.conditions` of a Node or a Pod.
[[nodiscard]] std::vector<model::Condition> read_conditions(JsonReader& reader,
                                                            JsonReader::Value value);

}  // namespace dsdoctor::decode
