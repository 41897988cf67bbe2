#pragma once

#include "decode/protobuf/protobuf_reader.h"
#include "model/pod.h"

/// What nodes and pods have alike, in protobuf.
namespace dsdoctor::decode {

[[nodiscard]] model::Condition read_condition(ProtobufReader& reader, ProtobufReader::Field& field,
                                              bool of_node = false);
[[nodiscard]] model::NodeSelectorRequirement read_requirement(ProtobufReader& reader,
                                                              ProtobufReader::Field& field);
/// Of a NodeAffinity: the required terms.
void read_required_node_affinity(ProtobufReader& reader, ProtobufReader::Field& field,
                                 model::SharedOptional<model::NodeSelector>& into);

}  // namespace dsdoctor::decode
