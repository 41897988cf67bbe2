// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/taints/taint_knowledge.h"

#include <chrono>

#include "base/text.h"

namespace dsdoctor::diagnosis {
namespace {

// Numbers in this range are taken as a time: Unix seconds since 2001, as in all known taints with a
// time.
constexpr std::int64_t first_timestamp = 1'000'000'000;
constexpr std::int64_t last_timestamp = 9'999'999'999;

}  // namespace

model::OptionalTime timestamp_value(std::string_view value) {
  const auto seconds = base::to_number<std::int64_t>(value);
  if (!seconds || *seconds < first_timestamp || *seconds > last_timestamp) return std::nullopt;
  return model::Time(std::chrono::seconds(*seconds));
}

model::OptionalTime tainted_since(const model::Taint& taint) {
  return taint.time_added ? taint.time_added : timestamp_value(taint.value);
}

bool has_volatile_value(const model::Taint& taint, std::string_view node_name) {
  return timestamp_value(taint.value).has_value() ||
         (!taint.value.empty() && taint.value == node_name);
}

}  // namespace dsdoctor::diagnosis
