// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/bulk/object_decoder.h"
#include "decode/cluster/origin.h"
#include "decode/json/memory_budget.h"

namespace dsdoctor::decode {

/// "nodes.json Node/gpu-1", or "nodes.json items[3] (Node)" for an object without a name.
[[nodiscard]] inline std::string object_at(const Origin& origin, Kind kind, std::string_view ns,
                                           std::string_view name) {
  const std::string_view separator = origin.name.empty() ? "" : " ";
  if (name.empty()) {
    const std::string index = origin.item ? fmt::format("items[{}] ", *origin.item) : "";
    return fmt::format("{}{}{}({})", origin.name, separator, index, to_string(kind));
  }
  return fmt::format("{}{}{}/{}{}{}", origin.name, separator, to_string(kind), ns,
                     ns.empty() ? "" : "/", name);
}

[[nodiscard]] inline base::Error malformed_object(const Origin& origin, Kind kind,
                                                  const DecodeFailure& failure) {
  return {base::ErrorKind::Malformed,
          fmt::format("{}{}{}", object_at(origin, kind, failure.object.ns, failure.object.name),
                      failure.path.empty() ? "" : " ", failure.path),
          failure.what};
}

/// The error for objects that exceed the memory limit.
[[nodiscard]] inline base::Error too_much_memory(const MemoryBudget& memory, const Origin& origin) {
  base::Error error{base::ErrorKind::Malformed, origin.name,
                    fmt::format("the objects take more than {} MiB of memory, the limit for {} "
                                "of this size",
                                memory.most() / MemoryBudget::mebibyte,
                                memory.is_packed() ? "packed files" : "files")};
  if (memory.is_packed()) error.hints = {"unpack it first, and read the unpacked file"};
  return error;
}

}  // namespace dsdoctor::decode
