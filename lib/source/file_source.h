#pragma once

#include <functional>
#include <istream>
#include <string>
#include <vector>

#include "decode/bytes/byte_stream.h"
#include "source/cluster_source.h"

namespace dsdoctor::source {

using Clock = std::function<model::Time()>;

/// Reads files, folders and archives: JSON or YAML as `kubectl get -o json|yaml` prints it,
/// manifests, lists, and what collectors of cluster dumps leave behind (`place_in_dump`).
/// Everything that is found goes into the snapshot, whatever the query selects.
class FileSource final : public ClusterSource {
 public:
  /// `paths`: files; tar archives; folders, of which, as of archives, every *.json, *.yaml and
  /// *.yml below is read, hidden ones left out; `-` is `standard_input`, which must outlive the
  /// source. Any of these may be compressed (gzip, zstd, xz), which their bytes tell, not their
  /// names. Names are relative to the working directory. What a file that holds no objects means:
  /// `InputReader`. `limits` holds for each path.
  FileSource(std::vector<std::string> paths, std::istream& standard_input, Clock now,
             const decode::UnpackLimits& limits = {});

  /// Errors: NotFound, Unreadable and Malformed; of several files that fail the first is the
  /// error and the others are its hints. Malformed, too, when nothing that was read is a Node,
  /// DaemonSet or Pod. A missing kind is an omission.
  [[nodiscard]] base::Result<Snapshot> load(const Query& query) override;

 private:
  std::vector<std::string> paths_;
  std::istream& standard_input_;
  Clock now_;
  decode::UnpackLimits limits_;
};

/// Which kinds a dump lacks, with the consequences. `pods_seen`: the dump has pods or an empty list
/// of them.
[[nodiscard]] std::vector<model::Omission> omissions_of(const model::Cluster& cluster,
                                                        bool pods_seen);

}  // namespace dsdoctor::source
