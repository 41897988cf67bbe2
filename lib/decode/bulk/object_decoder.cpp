// SPDX-License-Identifier: Apache-2.0
#include "decode/bulk/object_decoder.h"

#include <new>

namespace dsdoctor::decode {

static_assert(json_padding >= simdjson::SIMDJSON_PADDING);

std::optional<simdjson::ondemand::document> ObjectDecoder::open(std::string_view json) {
  simdjson::ondemand::document doc;
  const auto error = parser_.iterate(json.data(), json.size(), json.size() + json_padding).get(doc);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) return std::nullopt;
  return doc;
}

}  // namespace dsdoctor::decode
