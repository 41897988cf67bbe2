// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decode/cluster/cluster_builder.h"
#include "kube/client/api_error.h"
#include "kube/client/client.h"
#include "model/cluster.h"

namespace dsdoctor::kube {

/// The progress of a list since its last restart.
struct ListProgress {
  ResourceName resource;
  std::size_t objects = 0;
  std::uint64_t bytes = 0;   // of the bodies, decompressed
  std::size_t expected = 0;  // objects in total, by the server's count; 0: unknown
};
using OnProgress = std::function<void(const ListProgress&)>;

/// A longer list is assumed to be endless. A cluster of a million pods is far below these limits.
struct ListLimits {
  std::size_t objects = 3'000'000;
  std::uint64_t bytes = std::uint64_t{64} << 30U;  // of the bodies, decompressed
  /// Objects beyond twice the number that the server counts on the first page.
  std::size_t uncounted = 100'000;
};

struct ListRequest {
  std::string path;  // "/api/v1/nodes"
  Query selectors;   // labelSelector, fieldSelector; sent with every page
  ResourceName resource;
  decode::Kind kind = decode::Kind::Node;
  int page_size = 500;          // objects, kubectl's --chunk-size; 0: all in one answer
  OnProgress on_progress = {};  // called on the thread that reads this list
  ListLimits limits = {};
};

/// A list that was read to the end. Only the vector of its kind is filled.
struct ListAnswer {
  std::optional<ApiFailure> failure;  // if set, the rest is empty: half a list is an error
  model::Cluster cluster;
  std::vector<model::Warning> warnings;
  std::string resource_version;
};

/// Follows `continue` to the end. If the server has dropped the snapshot (410 Expired), the list
/// restarts, the second time without paging. Blocks.
[[nodiscard]] ListAnswer read_list(Client& client, const ListRequest& request);

}  // namespace dsdoctor::kube
