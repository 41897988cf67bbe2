// SPDX-License-Identifier: Apache-2.0
#include "source/demo_source.h"

#include <chrono>

#include "decode/cluster/cluster_builder.h"
#include "decode/cluster/documents.h"
#include "source/demo_cluster.h"

namespace dsdoctor::source {
namespace {

// The autoscaler has just begun to remove a node, and one pod is still terminating on it.
constexpr model::Time moment = std::chrono::sys_days{std::chrono::year{2020} / 10 / 2} +
                               std::chrono::hours(13) + std::chrono::minutes(46);

}  // namespace

base::Result<Snapshot> DemoSource::load(const Query& /*query*/) {
  Snapshot snapshot;
  decode::ClusterBuilder builder;
  const auto read =
      decode::read_documents(std::string(demo_cluster()), "demo", builder, snapshot.warnings);
  if (!read) return read.error();
  snapshot.cluster = builder.build();
  snapshot.cluster.known.daemon_sets = true;
  snapshot.cluster.known.every_daemon_set = true;
  snapshot.info.kind = "demo";
  snapshot.info.read_at = moment;
  return snapshot;
}

}  // namespace dsdoctor::source
