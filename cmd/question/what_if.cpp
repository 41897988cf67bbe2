// SPDX-License-Identifier: Apache-2.0
#include "question/what_if.h"

#include <algorithm>

#include "source/file_source.h"

namespace dsdoctor::cmd {
namespace {

/// Reads the objects of one kind in some files.
base::Result<source::Snapshot> read_files(const std::vector<std::string>& paths,
                                          const std::string& ns, Context& ctx) {
  source::FileSource files(paths, ctx.in, ctx.now);
  source::Query query;
  if (!ns.empty()) query.default_ns = ns;
  return files.load(query);
}

}  // namespace

base::Result<fixes::WhatIf> read_changes(const WhatIfOptions& options, const std::string& ns,
                                         Context& ctx) {
  fixes::WhatIf result = options.changes;
  if (!options.add_node.empty()) {
    auto read = read_files(options.add_node, ns, ctx);
    if (!read) return read.error();
    if (read->cluster.nodes.empty()) {
      return base::Error{base::ErrorKind::Malformed, options.add_node.front(),
                         "contains no Node; --add-node needs a manifest of nodes"};
    }
    result.nodes = std::move(read->cluster.nodes);
  }
  if (options.manifest.empty()) return result;
  auto read = read_files(options.manifest, ns, ctx);
  if (!read) return read.error();
  if (read->cluster.daemon_sets.empty()) {
    return base::Error{base::ErrorKind::Malformed, options.manifest.front(),
                       "contains no DaemonSet; --manifest needs manifests of DaemonSets"};
  }
  warn(ctx, read->warnings);
  result.daemon_sets = std::move(read->cluster.daemon_sets);
  return result;
}

std::string common_namespace(const std::vector<model::DaemonSet>& daemon_sets) {
  const std::string first = daemon_sets.front().meta.ns.str();
  const bool same = std::ranges::all_of(
      daemon_sets, [&](const model::DaemonSet& ds) { return ds.meta.ns == first; });
  return same ? first : std::string();
}

}  // namespace dsdoctor::cmd
