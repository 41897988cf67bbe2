// SPDX-License-Identifier: Apache-2.0
#include "decode/protobuf/protobuf_status.h"

#include "decode/protobuf/protobuf_reader.h"

namespace dsdoctor::decode {

std::optional<ProtobufStatus> read_protobuf_status(std::string_view body) {
  using Field = ProtobufReader::Field;
  constexpr std::string_view magic("k8s\0", 4);
  if (!body.starts_with(magic)) return std::nullopt;
  model::TextPool pool;
  ProtobufReader reader(pool);
  std::string kind;
  ProtobufStatus result;
  const auto read_status = [&](Field& field) {
    switch (field.tag()) {
      case 2: result.status = reader.bytes(field); break;
      case 3: result.message = reader.bytes(field); break;
      case 4: result.reason = reader.bytes(field); break;
      case 6: result.code = reader.int32(field); break;
      default: break;
    }
  };
  try {
    reader.message(body.substr(magic.size()), [&](Field& field) {
      if (field.tag() == 1) {
        reader.object(field, [&](Field& part) {
          if (part.tag() == 2) kind = reader.bytes(part);
        });
      } else if (field.tag() == 2 && kind == "Status") {
        reader.object(field, read_status);
      }
    });
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  if (kind != "Status") return std::nullopt;
  return result;
}

}  // namespace dsdoctor::decode
