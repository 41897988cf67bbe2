// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "decode/bytes/byte_stream.h"
#include "decode/cluster/cluster_builder.h"
#include "decode/manifest/manifest_fields.h"
#include "source/cluster_source.h"

namespace dsdoctor::source {

/// The command whose output has the kinds that answers need most often. Help, manual page, errors
/// and docs show it.
inline constexpr std::string_view list_command =
    "kubectl get nodes,daemonsets,pods,events,controllerrevisions,resourcequotas -A -o json";

using Clock = std::function<model::Time()>;

/// Reads files, folders and archives: JSON or YAML as `kubectl get -o json|yaml` prints it,
/// manifests, lists, and the dumps of collectors (`place_in_dump`). All objects are added to the
/// snapshot, whatever the query selects.
class FileSource final : public ClusterSource {
 public:
  /// `paths`: files; tar or zip archives; folders, of which, like of archives, every *.json, *.yaml
  /// and
  /// *.yml below is read except hidden ones; `-` is `standard_input`, which must outlive the
  /// source. Any of these may be compressed, detected by magic bytes, not by name.
  /// Names are relative to the working directory. For files without objects see `InputReader`.
  /// `limits` applies to each path.
  FileSource(std::vector<std::string> paths, std::istream& standard_input, Clock now,
             const decode::UnpackLimits& limits = {});

  /// The files are manifests: `load` checks the fields of their DaemonSets. `fields` must outlive
  /// this.
  void check_fields(decode::ManifestFields& fields) { fields_ = &fields; }

  /// Errors: NotFound, Unreadable and Malformed; if several files fail, the first is the error and
  /// the others are its hints. Also Malformed if no Node, DaemonSet or Pod was read. A missing kind
  /// is an omission.
  [[nodiscard]] base::Result<Snapshot> load(const Query& query) override;

 private:
  struct Notes;
  /// Reads every path. Returns the errors.
  [[nodiscard]] std::vector<base::Error> read_all(decode::ClusterBuilder& into,
                                                  std::vector<model::Warning>& warnings,
                                                  Notes& notes);

  std::vector<std::string> paths_;
  std::istream& standard_input_;
  Clock now_;
  decode::UnpackLimits limits_;
  decode::ManifestFields* fields_ = nullptr;
};

/// Returns the kinds that a dump lacks, with the consequences. `pods_seen`: the dump has pods or an
/// empty list of them.
[[nodiscard]] std::vector<model::Omission> omissions_of(const model::Cluster& cluster,
                                                        bool pods_seen);

}  // namespace dsdoctor::source
