#include "source/demo_source.h"

#include <utility>

#include "decode/cluster_builder.h"
#include "decode/documents.h"
#include "source/demo_cluster.h"

namespace dsdoctor::source {

DemoSource::DemoSource(Clock now) : now_(std::move(now)) {}

base::Result<Snapshot> DemoSource::load(const Query& /*query*/) {
  Snapshot snapshot;
  decode::ClusterBuilder builder;
  const auto read =
      decode::read_documents(std::string(demo_cluster()), "demo", builder, snapshot.warnings);
  if (!read) return read.error();
  snapshot.cluster = builder.build();
  snapshot.info.kind = "demo";
  snapshot.info.read_at = now_();
  return snapshot;
}

}  // namespace dsdoctor::source
