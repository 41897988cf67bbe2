// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dsdoctor::kube {

/// The first document of a YAML text. Empty text gives a null node.
/// Errors: Malformed, `yaml: line N: sentence`, also for text that is not UTF-8, is nested more
/// than 500 levels deep, or has more than 200,000 lines and list or mapping entries: yaml-cpp needs
/// seconds and gigabytes for more. Errors never repeat a value.
[[nodiscard]] base::Result<YAML::Node> first_yaml_document(std::string_view text);

/// The text split at its `---` lines, like by k8s.io/apimachinery's YAML reader, so that one broken
/// document does not hide those before it. At least one part.
[[nodiscard]] std::vector<std::string_view> split_yaml_documents(std::string_view text);

/// Reads the fields of one YAML mapping by name: the last of several equal keys counts, `<<` is
/// followed, null is the same as absent. Faults are added to `problems` as `path: sentence`, so
/// that one pass reports all of them. Never repeats a value: it may be a secret.
class YamlFields {
 public:
  /// `problems` must outlive this object. A node that is not a mapping is a problem and has no
  /// fields.
  YamlFields(const YAML::Node& node, std::string path, std::vector<std::string>& problems);

  /// Null when absent.
  [[nodiscard]] std::optional<YAML::Node> find(std::string_view key) const;
  /// The scalar's source text; empty when absent.
  [[nodiscard]] std::string text(std::string_view key);
  /// A YAML 1.1 boolean, unquoted; false when absent.
  [[nodiscard]] bool boolean(std::string_view key);
  /// Decoded base64.
  [[nodiscard]] std::string base64(std::string_view key);
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  /// Calls `each` for every item of a list, with the item's fields.
  void for_each(std::string_view key, const std::function<void(YamlFields&)>& each);
  /// Calls `each` for every entry of a mapping, with any value.
  void for_each_entry(std::string_view key,
                      const std::function<void(const std::string&, const YAML::Node&)>& each);
  /// The fields of a mapping; empty if it is absent.
  [[nodiscard]] std::optional<YamlFields> fields(std::string_view key);

  void problem(std::string_view key, std::string_view what);
  [[nodiscard]] std::string path_of(std::string_view key) const;

 private:
  YAML::Node node_;
  std::string path_;
  std::vector<std::string>* problems_;
};

/// The same value as JSON: plain scalars become null, booleans and numbers by the rules of
/// YAML 1.1, quoted ones strings. Null if it has more than 10,000 nodes with aliases expanded, or
/// more than 64 levels, which prevents bombs and aliases of themselves.
[[nodiscard]] std::optional<nlohmann::json> to_json(const YAML::Node& node);

}  // namespace dsdoctor::kube
