// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "decode/protobuf/protobuf_reader.h"
#include "model/node.h"
#include "model/pod.h"

/// Reads an object's protobuf fields into the model: the same fields as from JSON
/// (object_reader.h). Errors are protozero's exceptions. Source of truth: k8s.io/api v0.36.2,
/// core/v1/generated.proto.
namespace dsdoctor::decode {

void read_node(ProtobufReader& reader, std::string_view bytes, model::Node& into);
void read_pod(ProtobufReader& reader, std::string_view bytes, model::Pod& into);

}  // namespace dsdoctor::decode
