// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "decode/manifest/field_path.h"
#include "decode/manifest/manifest_value.h"
#include "model/daemon_set.h"

namespace dsdoctor::decode {

/// A field of a manifest that an API server would reject or drop.
struct FieldFault {
  enum class Kind : std::uint8_t { Unknown, Duplicate };
  Kind kind = Kind::Unknown;
  std::string where;                // "agent.yaml:8: DaemonSet ops/agent"
  std::string path;                 // "spec.template.affinity"
  std::vector<std::string> meant;   // paths of known fields, at most two
  bool of_old_api_version = false;  // whose fields the table does not have
};

/// `unknown field "spec.template.affinity"; did you mean spec.template.spec.affinity`: the words of
/// kubectl apply --validate=strict.
[[nodiscard]] std::string to_string(const FieldFault& fault);

/// Finds unknown and duplicate fields of DaemonSets in manifests, and the lines of all fields, by
/// the table of daemon_set_fields.h. Objects of other kinds, and those in snapshots, are ignored.
/// Source of truth: sigs.k8s.io/json kubernetes_patch.go.
class ManifestFields {
 public:
  static constexpr std::size_t most_bytes = std::size_t{4}
                                            << 20U;  // the largest manifest that is checked
  static constexpr std::size_t most_faults = 100;

  /// Checks a JSON value or a YAML text that was read without an error. Returns false for texts
  /// that are too large; nothing is checked then. REQUIRES: `json_padding` readable bytes after
  /// `json`.
  [[nodiscard]] bool check_json(std::string_view json, const std::string& file,
                                std::size_t first_line);
  [[nodiscard]] bool check_yaml(std::string_view yaml, const std::string& file);

  /// In the order of the text, the first `most_faults`; each path once for an object.
  [[nodiscard]] const std::vector<FieldFault>& faults() const { return faults_; }
  /// The number of further ones.
  [[nodiscard]] std::size_t further() const { return further_; }

  /// The DaemonSets that were checked, in the order of the text.
  [[nodiscard]] std::vector<model::ManifestPlace>& places() { return places_; }

 private:
  void check_value(const ManifestValue& value, std::string_view kind, std::string_view api_version,
                   int depth);
  void check_daemon_set(const ManifestValue& object, bool old_api_version);
  void check_object(const ManifestValue& value, const ObjectType& type);
  void check_map(const ManifestValue& value);
  void check_list(const TypeField& field, const ManifestValue& list);
  void report(FieldFault::Kind kind, const ManifestEntry& entry);
  void note_place(const ManifestValue& object);

  std::vector<FieldFault> faults_;
  std::size_t further_ = 0;
  std::vector<model::ManifestPlace> places_;
  std::size_t first_fault_ = 0;  // index of the first fault of the current object
  std::string file_;
  std::string object_;  // the current one: "DaemonSet ops/agent"
  bool old_api_version_ = false;
  FieldPath path_;  // to the current value
};

}  // namespace dsdoctor::decode
