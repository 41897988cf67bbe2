#pragma once

#include <simdjson.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace dsdoctor::decode {

/// The bytes of the object at `path` ("spec.template"); empty where it is absent or no object.
[[nodiscard]] std::string_view raw_object(simdjson::ondemand::document& doc,
                                          std::initializer_list<std::string_view> path);

/// Equal for equal templates, whatever the order of their keys; a null field counts as absent, and
/// so does `$patch`, which a ControllerRevision adds. 0 for text that is no JSON object.
/// 64 bits of FNV-1a: told apart are the few revisions of one DaemonSet, not arbitrary texts.
[[nodiscard]] std::uint64_t template_fingerprint(std::string_view json);

}  // namespace dsdoctor::decode
