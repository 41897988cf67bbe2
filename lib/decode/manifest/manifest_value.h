// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// The values of a manifest as they are written, with duplicate keys.
namespace dsdoctor::decode {

struct ManifestEntry;

struct ManifestValue {
  enum class Kind : std::uint8_t { Null, Scalar, List, Map };
  Kind kind = Kind::Null;
  std::string text;                    // of a scalar that is a string
  std::vector<ManifestEntry> entries;  // of a list or a map

  /// The last value of the key; null if this is not a map with that key.
  [[nodiscard]] const ManifestValue* find(std::string_view key) const;
  /// The text of a field; empty if there is none.
  [[nodiscard]] std::string_view text_of(std::string_view key) const;
};

struct ManifestEntry {
  std::string key;       // of a map
  std::size_t line = 0;  // 1-based, of the key
  ManifestValue value;
};

/// The number of values in a file that are read; an object of an API server has far fewer.
inline constexpr std::size_t most_manifest_values = 500'000;

/// Receives each value of the top level.
using ManifestSink = std::function<void(const ManifestValue&)>;

/// Reads a JSON value, which simdjson has accepted and which begins in the given line. Returns
/// false if it has too many values. REQUIRES: `json_padding` readable bytes after `json`.
[[nodiscard]] bool read_manifest_json(std::string_view json, std::size_t first_line,
                                      const ManifestSink& sink);

/// Reads the documents of a YAML text that yaml_to_json has accepted. Returns false if it has too
/// many values; aliases count as their values.
[[nodiscard]] bool read_manifest_yaml(std::string_view yaml, const ManifestSink& sink);

}  // namespace dsdoctor::decode
