#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

/// A Snapshot: the state that was read, in one JSON document, with the fields that the model holds.
///
///   {"apiVersion": "dsdoctor/v1", "kind": "Snapshot", "formatVersion": 1, "savedBy": "...",
///    "source": {...}, "serverVersion": {...}, "known": {...}, "crowdedNodes": [...],
///    "namespacesWithoutPods": [...], "omissions": [...], "warnings": [...], "items": [...]}
///
/// `items` are ordinary objects of Kubernetes. Within a formatVersion fields are only added.
namespace dsdoctor::decode {

inline constexpr std::string_view snapshot_kind = "Snapshot";
inline constexpr std::string_view snapshot_group = "dsdoctor/";
inline constexpr std::string_view snapshot_api_version = "dsdoctor/v1";
inline constexpr int snapshot_format = 1;

/// Everything of a snapshot but its objects.
struct SnapshotHead {
  std::string saved_by;      // "kubectl-dsdoctor v0.1.0"
  model::SourceInfo source;  // where the state was read, and when
  std::vector<model::Omission> omissions;
  std::vector<model::Warning> warnings;
  /// What is known of the objects, version included; without any object.
  model::Cluster scope;
};

/// The parts of `cluster` that tell how complete it is, without its objects.
[[nodiscard]] model::Cluster scope_of(const model::Cluster& cluster);
/// Lets `cluster` know what `scope` knows; the objects stay.
void set_scope(model::Cluster& cluster, const model::Cluster& scope);

/// `apiVersion` and `kind` are those of a Snapshot, of whatever version.
[[nodiscard]] bool is_snapshot(std::string_view api_version, std::string_view kind);

/// Errors: Malformed, where `api_version` or `format` is not what this program reads; absent: the
/// document names none. `where` is what the error calls the document.
[[nodiscard]] base::Status check_snapshot_version(std::string_view api_version,
                                                  std::optional<std::int64_t> format,
                                                  const std::string& where);

/// Of the JSON of the document without its items. Errors: Malformed, where a field has another
/// type, or the time of reading is missing.
[[nodiscard]] base::Result<SnapshotHead> read_snapshot_head(std::string_view json,
                                                            const std::string& where);

/// The document piece by piece, one object at a time. What `sink` returns as an error ends it.
using SnapshotSink = std::function<base::Status(std::string_view)>;
[[nodiscard]] base::Status write_snapshot(const SnapshotHead& head, const model::Cluster& cluster,
                                          const SnapshotSink& sink);

}  // namespace dsdoctor::decode
