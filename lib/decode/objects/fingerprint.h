// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace dsdoctor::decode {

/// The bytes of the object at `path` ("spec.template"); empty if it is absent or not an object.
[[nodiscard]] std::string_view raw_object(simdjson::ondemand::document& doc,
                                          std::initializer_list<std::string_view> path);

/// A hash that is equal for equal templates, in any order of keys. Null fields are ignored, and
/// `$patch`, which a ControllerRevision adds. 0 for text that is not a JSON object. 64 bits of
/// FNV-1a: enough for the few revisions of one DaemonSet, not for arbitrary texts.
[[nodiscard]] std::uint64_t template_fingerprint(std::string_view json);

}  // namespace dsdoctor::decode
