// SPDX-License-Identifier: Apache-2.0
#include "decode/protobuf/protobuf_parts.h"

#include <utility>

namespace dsdoctor::decode {

namespace {

using Field = ProtobufReader::Field;

model::NodeSelector read_node_selector(ProtobufReader& reader, Field& field) {
  model::NodeSelector selector;
  reader.object(field, [&](Field& part) {
    if (part.tag() != 1) return;
    model::NodeSelectorTerm& term = selector.terms.emplace_back();
    reader.object(part, [&](Field& requirement) {
      if (requirement.tag() == 1) {
        term.match_expressions.push_back(read_requirement(reader, requirement));
      } else if (requirement.tag() == 2) {
        term.match_fields.push_back(read_requirement(reader, requirement));
      }
    });
  });
  return selector;
}

}  // namespace

/// NodeCondition has a heartbeat in the field in which PodCondition has a probe time.
model::Condition read_condition(ProtobufReader& reader, Field& field, bool of_node) {
  model::Condition condition;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: condition.type = reader.text(part); break;
      case 2: condition.status = reader.text(part); break;
      case 3:
        if (of_node) condition.last_heartbeat = reader.time(part);
        break;
      case 4: condition.last_transition = reader.time(part); break;
      case 5: condition.reason = reader.text(part); break;
      case 6: condition.message = reader.text(part); break;
      default: break;
    }
  });
  return condition;
}

model::NodeSelectorRequirement read_requirement(ProtobufReader& reader, Field& field) {
  model::NodeSelectorRequirement requirement;
  reader.object(field, [&](Field& part) {
    switch (part.tag()) {
      case 1: requirement.key = reader.text(part); break;
      case 2: requirement.op = reader.text(part); break;
      case 3: requirement.values.push_back(reader.text(part)); break;
      default: break;
    }
  });
  return requirement;
}

void read_required_node_affinity(ProtobufReader& reader, Field& field,
                                 model::SharedOptional<model::NodeSelector>& into) {
  reader.object(field, [&](Field& required) {
    if (required.tag() == 1) into = read_node_selector(reader, required);
  });
}

}  // namespace dsdoctor::decode
