// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "decode/protobuf/protobuf_parts.h"
#include "decode/protobuf/protobuf_pod.h"

namespace dsdoctor::decode {
namespace {

model::TerminatedState read_terminated(ProtobufReader& reader, ProtobufReader::Field& field) {
  model::TerminatedState state;
  reader.object(field, [&](ProtobufReader::Field& part) {
    switch (part.tag()) {
      case 1: state.exit_code = reader.int32(part); break;
      case 2: state.signal = reader.int32(part); break;
      case 3: state.reason = reader.text(part); break;
      case 4: state.message = reader.text(part); break;
      case 5: state.started = reader.time(part); break;
      case 6: state.finished = reader.time(part); break;
      default: break;
    }
  });
  return state;
}

void read_state(ProtobufReader& reader, ProtobufReader::Field& field,
                model::ContainerStatus& into) {
  reader.object(field, [&](ProtobufReader::Field& part) {
    switch (part.tag()) {
      case 1: {
        model::WaitingState& state = into.waiting.emplace();
        reader.object(part, [&](ProtobufReader::Field& text) {
          if (text.tag() == 1) state.reason = reader.text(text);
          if (text.tag() == 2) state.message = reader.text(text);
        });
        break;
      }
      case 2:
        into.running = true;
        reader.object(part, [&](ProtobufReader::Field& time) {
          if (time.tag() == 1) into.running_since = reader.time(time);
        });
        break;
      case 3: into.terminated = read_terminated(reader, part); break;
      default: break;
    }
  });
}

model::ContainerStatus read_container_status(ProtobufReader& reader, ProtobufReader::Field& field) {
  model::ContainerStatus status;
  std::vector<model::Labels::Entry> allocated;
  reader.object(field, [&](ProtobufReader::Field& part) {
    switch (part.tag()) {
      case 1: status.name = reader.text(part); break;
      case 2: read_state(reader, part, status); break;
      case 3:
        reader.object(part, [&](ProtobufReader::Field& last) {
          if (last.tag() == 3) status.last_terminated = read_terminated(reader, last);
        });
        break;
      case 4: status.ready = reader.boolean(part); break;
      case 5: status.restart_count = reader.int32(part); break;
      case 9: status.started = reader.boolean(part); break;
      case 10: allocated.push_back(reader.quantity_entry(part)); break;
      case 11: status.requests = model::Labels(reader.resources(part).requests); break;
      default: break;
    }
  });
  if (!allocated.empty()) status.allocated_resources = model::Labels(std::move(allocated));
  return status;
}

}  // namespace

void read_pod_status(ProtobufReader& reader, ProtobufReader::Field& field, model::Pod& into) {
  std::vector<model::Labels::Entry> allocated;
  reader.object(field, [&](ProtobufReader::Field& part) {
    switch (part.tag()) {
      case 1: into.phase = reader.text(part); break;
      case 2: into.conditions.push_back(read_condition(reader, part)); break;
      case 3: into.message = reader.text(part); break;
      case 4: into.reason = reader.text(part); break;
      case 7: into.start_time = reader.time(part); break;
      case 8: into.statuses.push_back(read_container_status(reader, part)); break;
      case 9: into.qos_class = reader.text(part); break;
      case 10: into.init_statuses.push_back(read_container_status(reader, part)); break;
      case 11: into.nominated_node = reader.text(part); break;
      case 19: allocated.push_back(reader.quantity_entry(part)); break;
      case 20: into.resized_requests = model::Labels(reader.resources(part).requests); break;
      default: break;
    }
  });
  into.allocated_resources = model::Labels(std::move(allocated));
}

}  // namespace dsdoctor::decode
