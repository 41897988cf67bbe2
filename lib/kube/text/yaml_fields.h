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
/// Errors: Malformed, `yaml: line N: sentence`, also for what is no UTF-8 text, is nested more than
/// 500 levels deep, or has more than 200,000 lines and list or mapping entries: yaml-cpp needs
/// seconds and gigabytes for more. No error repeats a value.
[[nodiscard]] base::Result<YAML::Node> first_yaml_document(std::string_view text);

/// The text cut at its `---` lines, as k8s.io/apimachinery's YAML reader does it, so that one
/// broken document does not hide those before it. At least one part.
[[nodiscard]] std::vector<std::string_view> split_yaml_documents(std::string_view text);

/// Reads the fields of one YAML mapping by name: of a key given twice the last counts, `<<` is
/// followed, null is the same as absent. What is wrong goes into `problems` as `path: sentence`,
/// so that one pass reports everything. Never repeats a value: it may be a secret.
class YamlFields {
 public:
  /// `problems` must outlive this object. A node that is no mapping is a problem, and has no
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
  /// Calls `each` for every entry of a mapping whose values are anything.
  void for_each_entry(std::string_view key,
                      const std::function<void(const std::string&, const YAML::Node&)>& each);
  /// The fields of a mapping; absent: none.
  [[nodiscard]] std::optional<YamlFields> fields(std::string_view key);

  void problem(std::string_view key, std::string_view what);
  [[nodiscard]] std::string path_of(std::string_view key) const;

 private:
  YAML::Node node_;
  std::string path_;
  std::vector<std::string>* problems_;
};

/// The same value as JSON: plain scalars become null, booleans and numbers as YAML 1.1 has them,
/// quoted ones strings. Null when it has more than 10,000 nodes with aliases expanded, or is
/// nested deeper than 64: a bomb, or an alias of itself.
[[nodiscard]] std::optional<nlohmann::json> to_json(const YAML::Node& node);

}  // namespace dsdoctor::kube
