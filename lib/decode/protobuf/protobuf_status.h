// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dsdoctor::decode {

/// The answer of an API server instead of a result (meta/v1 Status). Strings are from the server.
struct ProtobufStatus {
  std::string status;  // "Failure"
  std::string message;
  std::string reason;
  std::int64_t code = 0;
};

/// Null if `body` is not protobuf, incomplete, or not a Status.
[[nodiscard]] std::optional<ProtobufStatus> read_protobuf_status(std::string_view body);

}  // namespace dsdoctor::decode
