#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dsdoctor::decode {

/// What an API server answers in place of a result (meta/v1 Status). Strings are the server's.
struct ProtobufStatus {
  std::string status;  // "Failure"
  std::string message;
  std::string reason;
  std::int64_t code = 0;
};

/// Null when `body` is no protobuf, not complete, or not a Status.
[[nodiscard]] std::optional<ProtobufStatus> read_protobuf_status(std::string_view body);

}  // namespace dsdoctor::decode
