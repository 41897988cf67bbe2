#pragma once

#include <string>
#include <string_view>

#include "decode/json/json_reader.h"
#include "model/fields.h"

/// The fields that `model/fields.h` marks as ByHand: their JSON has another shape than the model.
/// Each reader
/// says whether `key` is one of them; the writers are in object_json.cpp.
namespace dsdoctor::decode {

namespace description = model::description;

bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::ObjectMeta& into, description::ByHand<description::OwnerReferences>);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::FieldManager& into, description::ByHand<description::OwnedFields>);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::Pod& into, description::ByHand<description::LastWrite>);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::Probe& into, description::ByHand<description::ProbeHandler>);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::Volume& into, description::ByHand<description::VolumeSource>);
/// Not those without source, nor of sources that every pod may have and that wait for nothing.
[[nodiscard]] bool is_kept(const model::Volume& volume);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::ContainerStatus& into, description::ByHand<description::RunningState>);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::ResourceQuota& into, description::ByHand<description::HardInSpec>);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::ResourceQuota& into, description::ByHand<description::HardInStatus>);

/// A quantity may be written as a number: `cpu: 4`. The text is kept as it stands, without blanks
/// around it.
[[nodiscard]] model::Labels read_quantities(JsonReader& reader, JsonReader::Value value);

/// What a probe calls, in a few words.
[[nodiscard]] std::string http_handler(std::string_view path, std::string_view port);

}  // namespace dsdoctor::decode
