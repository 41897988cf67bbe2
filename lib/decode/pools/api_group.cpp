// SPDX-License-Identifier: Apache-2.0
#include "decode/pools/api_group.h"

#include <simdjson.h>

namespace dsdoctor::decode {

std::string preferred_version(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element group;
  std::string_view version;
  if (parser.parse(json.data(), json.size()).get(group) != simdjson::SUCCESS) return {};
  if (group.at_pointer("/preferredVersion/version").get(version) != simdjson::SUCCESS) return {};
  return std::string(version);
}

}  // namespace dsdoctor::decode
