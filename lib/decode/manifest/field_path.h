// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "decode/manifest/daemon_set_fields.h"
#include "decode/manifest/manifest_value.h"

namespace dsdoctor::decode {

/// An object of a manifest on the path to the current value.
struct PathStep {
  std::string path;                      // "spec.template"; empty for the DaemonSet
  const ObjectType* type = nullptr;      // null: a map with any keys
  const ManifestValue* value = nullptr;  // null: the manifest does not have it
  std::string_view field;                // that leads here
};

/// From the DaemonSet to the current object.
using FieldPath = std::vector<PathStep>;

/// "spec.template": a field behind a path.
[[nodiscard]] std::string joined_path(const std::string& path, std::string_view field);

/// Returns the paths, at most two, that a user may have meant by an unknown field of the last
/// object of `path`: the nearest places that have a field of this name, first those in objects of
/// the manifest, or siblings with a similar name.
[[nodiscard]] std::vector<std::string> meant_fields(const FieldPath& path,
                                                    const ManifestEntry& unknown);

}  // namespace dsdoctor::decode
