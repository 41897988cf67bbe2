// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "decode/json/json_reader.h"
#include "model/fields.h"

/// Readers of the fields that `model/fields.h` marks as ByHand: their JSON has another shape than
/// the model. Each returns whether `key` is one of its fields. The writers are in object_json.cpp.
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
/// Reports whether the model keeps the volume: not without a source, and not emptyDir, downwardAPI
/// or a projected one without an ML-DSA key.
[[nodiscard]] bool is_kept(const model::Volume& volume);
[[nodiscard]] bool is_kept(const model::VolumeMount& mount);
/// Reports whether the kubelet refuses a hostPath of this type if it does not exist.
[[nodiscard]] bool is_checked(std::string_view host_path_type);
/// Reports whether a volume with the token of a service account is mounted at this path.
[[nodiscard]] bool is_token_path(std::string_view path);
/// The CSI or DRA driver that an element of `command` or `args` names, by the path of its socket or
/// as value of --drivername; empty if it names none.
[[nodiscard]] std::string_view driver_in_argument(std::string_view text);
/// The same for an environment variable: a path, or the value of DRIVER_NAME.
[[nodiscard]] std::string_view driver_in_variable(std::string_view name, std::string_view text);
/// Adds the driver to the list, unless it is empty or has been added.
void add_driver(std::string_view driver, std::vector<model::Text>& into);
/// Reports whether a pod certificate with such a key requires the feature PodCertificateMLDSA.
[[nodiscard]] bool is_ml_dsa(std::string_view key_type);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::VolumeMount& into, description::ByHand<description::MountPath>);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::Container& into, description::ByHand<description::PluginArguments>);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::ContainerStatus& into, description::ByHand<description::RunningState>);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::ResourceQuota& into, description::ByHand<description::HardInSpec>);
bool read_by_hand(JsonReader& reader, std::string_view key, JsonReader::Value value,
                  model::ResourceQuota& into, description::ByHand<description::HardInStatus>);

/// Reads quantities, which may be written as numbers: `cpu: 4`. Keeps the notation, without blanks
/// around it.
[[nodiscard]] model::Labels read_quantities(JsonReader& reader, JsonReader::Value value);

/// The target of an HTTP probe: "httpGet /healthz:8080". Leaves out the query.
[[nodiscard]] std::string http_handler(std::string_view path, std::string_view port);

}  // namespace dsdoctor::decode
