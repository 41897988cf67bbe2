// SPDX-License-Identifier: Apache-2.0
#include "commands/saved_snapshot.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "commands/snapshot_file.h"
#include "decode/bytes/compression.h"
#include "decode/cluster/snapshot.h"
#include "question/version.h"

namespace dsdoctor::cmd {
namespace {

/// The uncompressed document.
struct Plain {
  std::string text;

  base::Status add(std::string_view piece) {
    text += piece;
    return std::monostate();
  }
  base::Result<std::string> finish() { return std::move(text); }
};

template <typename Form>
base::Result<std::string> written(const decode::SnapshotHead& head, const model::Cluster& cluster) {
  Form form;
  auto done = decode::write_snapshot(head, cluster,
                                     [&](std::string_view piece) { return form.add(piece); });
  if (!done) return done.error();
  return form.finish();
}

}  // namespace

base::Result<std::string> packed(const source::Snapshot& snapshot, std::string_view file) {
  decode::SnapshotHead head;
  head.saved_by = fmt::format("kubectl-dsdoctor {}", version);
  head.source = snapshot.info;
  head.omissions = snapshot.omissions;
  head.warnings = snapshot.warnings;
  head.scope = decode::scope_of(snapshot.cluster);
  const std::string name = base::lower_case(file);
  if (name.ends_with(".json")) return written<Plain>(head, snapshot.cluster);
  if (name.ends_with(".gz")) return written<decode::GzipMember>(head, snapshot.cluster);
  return written<decode::ZstdFrame>(head, snapshot.cluster);
}

std::string save_here(const source::Snapshot& snapshot) {
  const std::string file = snapshot_name(snapshot.info);
  const auto content = packed(snapshot, file);
  if (!content) return base::to_string(content.error());
  auto saved = check_writable(file, false);
  if (saved) saved = write_whole(file, *content);
  return saved ? "saved " + file : base::to_string(saved.error());
}

}  // namespace dsdoctor::cmd
