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

/// How far a list has come, since it began again for the last time.
struct ListProgress {
  ResourceName resource;
  std::size_t objects = 0;
  std::uint64_t bytes = 0;   // of the bodies, decompressed
  std::size_t expected = 0;  // objects in the end, by the server's count; 0: it does not say
};
using OnProgress = std::function<void(const ListProgress&)>;

/// Beyond these a list counts as one that does not end. A cluster of a million pods is far below.
struct ListLimits {
  std::size_t objects = 3'000'000;
  std::uint64_t bytes = std::uint64_t{64} << 30U;  // of the bodies, decompressed
  /// More objects than twice those that the server counts on the first page, and so many more.
  std::size_t uncounted = 100'000;
};

struct ListRequest {
  std::string path;  // "/api/v1/nodes"
  Query selectors;   // labelSelector, fieldSelector; sent with every page alike
  ResourceName resource;
  decode::Kind kind = decode::Kind::Node;
  int page_size = 500;          // objects, kubectl's --chunk-size; 0: all in one answer
  OnProgress on_progress = {};  // called on the thread that reads this list
  ListLimits limits = {};
};

/// A list that was read to its end. Only the vector of its kind is filled.
struct ListAnswer {
  std::optional<ApiFailure> failure;  // then the rest is empty: half a list is no list
  model::Cluster cluster;
  std::vector<model::Warning> warnings;
  std::string resource_version;
};

/// Follows `continue` to the end. When the server has forgotten the snapshot (410 Expired), the
/// list starts again, and the second time without paging. Blocks.
[[nodiscard]] ListAnswer read_list(Client& client, const ListRequest& request);

}  // namespace dsdoctor::kube
