// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "decode/protobuf/protobuf_reader.h"
#include "model/pod.h"

/// Reads a pod's protobuf fields into the model: the same fields as from JSON (model/pod_fields.h).
/// Source of truth: k8s.io/api v0.36.2, core/v1/generated.proto.
namespace dsdoctor::decode {

void read_pod_spec(ProtobufReader& reader, ProtobufReader::Field& field, model::Pod& into);
void read_pod_status(ProtobufReader& reader, ProtobufReader::Field& field, model::Pod& into);

}  // namespace dsdoctor::decode
