// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

/// A Snapshot: the state that was read, in one JSON document, with the fields of the model.
///
///   {"apiVersion": "dsdoctor/v1", "kind": "Snapshot", "formatVersion": 1, "savedBy": "...",
///    "source": {...}, "serverVersion": {...}, "known": {...}, "crowdedNodes": [...],
///    "namespacesWithoutPods": [...], "omissions": [...], "warnings": [...], "items": [...]}
///
/// `items` are ordinary Kubernetes objects. Within a formatVersion, fields are only added.
namespace dsdoctor::decode {

inline constexpr std::string_view snapshot_kind = "Snapshot";
inline constexpr std::string_view snapshot_group = "dsdoctor/";
inline constexpr std::string_view snapshot_api_version = "dsdoctor/v1";
inline constexpr int snapshot_format = 1;

/// All of a snapshot except its objects.
struct SnapshotHead {
  std::string saved_by;      // "kubectl-dsdoctor v0.1.0"
  model::SourceInfo source;  // source and time of the state
  std::vector<model::Omission> omissions;
  std::vector<model::Warning> warnings;
  /// The known kinds, completeness and version; without objects.
  model::Cluster scope;
};

/// The fields of `cluster` about its completeness and version, without objects.
[[nodiscard]] model::Cluster scope_of(const model::Cluster& cluster);
/// Copies these fields from `scope` to `cluster`; the objects stay.
void set_scope(model::Cluster& cluster, const model::Cluster& scope);

/// Reports whether `api_version` and `kind` are those of a Snapshot of any version.
[[nodiscard]] bool is_snapshot(std::string_view api_version, std::string_view kind);

/// Checks the version of a Snapshot; `format` is absent if the document has none. Errors: Malformed
/// if this program cannot read that version. `where` is the name of the document in errors.
[[nodiscard]] base::Status check_snapshot_version(std::string_view api_version,
                                                  std::optional<std::int64_t> format,
                                                  const std::string& where);

/// Reads the JSON of the document without its items. Errors: Malformed if a field has the wrong
/// type, or the time of reading is missing.
[[nodiscard]] base::Result<SnapshotHead> read_snapshot_head(std::string_view json,
                                                            const std::string& where);

/// Receives the document piece by piece, one object at a time. An error stops the writing.
using SnapshotSink = std::function<base::Status(std::string_view)>;
[[nodiscard]] base::Status write_snapshot(const SnapshotHead& head, const model::Cluster& cluster,
                                          const SnapshotSink& sink);

}  // namespace dsdoctor::decode
