// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "decode/protobuf/protobuf_reader.h"
#include "model/pod.h"

/// Protobuf messages that nodes and pods have in common.
namespace dsdoctor::decode {

[[nodiscard]] model::Condition read_condition(ProtobufReader& reader, ProtobufReader::Field& field,
                                              bool of_node = false);
[[nodiscard]] model::NodeSelectorRequirement read_requirement(ProtobufReader& reader,
                                                              ProtobufReader::Field& field);
/// Reads the required terms of a NodeAffinity.
void read_required_node_affinity(ProtobufReader& reader, ProtobufReader::Field& field,
                                 model::SharedOptional<model::NodeSelector>& into);

}  // namespace dsdoctor::decode
