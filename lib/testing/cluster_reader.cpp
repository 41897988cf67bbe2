// SPDX-License-Identifier: Apache-2.0
#include "testing/cluster_reader.h"

#include <stdexcept>

#include "decode/cluster/list_decoder.h"
#include "testing/gzip_file.h"

namespace dsdoctor::testing {

model::Cluster cluster_from_json(std::string_view list) {
  decode::ClusterBuilder builder;
  builder.begin_list();
  decode::ListDecoder decoder(builder, std::nullopt, {"test"});
  if (const auto fed = decoder.feed(list); !fed) {
    throw std::runtime_error(base::to_string(fed.error()));
  }
  if (const auto head = decoder.finish(); !head) {
    throw std::runtime_error(base::to_string(head.error()));
  }
  builder.end_list(std::nullopt);
  return builder.build();
}

model::Cluster recorded_cluster(const std::string& name) {
  return cluster_from_json(
      read_file(std::string(DSDOCTOR_TESTDATA) + "/clusters/" + name + ".json"));
}

}  // namespace dsdoctor::testing
