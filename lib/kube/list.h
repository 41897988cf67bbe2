#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decode/cluster_builder.h"
#include "kube/api_error.h"
#include "kube/client.h"
#include "model/cluster.h"

namespace dsdoctor::kube {

struct ListRequest {
  std::string path;  // "/api/v1/nodes"
  Query selectors;   // labelSelector, fieldSelector; sent with every page alike
  ResourceName resource;
  decode::Kind kind = decode::Kind::Node;
  int page_size = 500;  // objects, kubectl's --chunk-size; 0: all in one answer
};

/// A list that was read to its end. Only the vector of its kind is filled.
struct ListAnswer {
  std::optional<ApiFailure> failure;  // then the rest is empty: half a list is no list
  model::Cluster cluster;
  std::vector<model::Warning> warnings;
  std::string resource_version;
};

/// Follows `continue` to the end. When the server has forgotten the snapshot (410 Expired), the
/// list starts anew, and the second time without paging. Blocks.
[[nodiscard]] ListAnswer read_list(Client& client, const ListRequest& request);

}  // namespace dsdoctor::kube
