// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/client/client.h"
#include "kube/client/list.h"
#include "model/detail_query.h"
#include "source/cluster_source.h"

namespace dsdoctor::source {

/// Maximum number of parallel requests; low, to spare the API server.
inline constexpr std::size_t parallel_requests = 4;

/// When more nodes than both of these need all their pods read, one list of all pods costs the
/// server less than one list per node.
inline constexpr std::size_t node_lists_at_most = 20;
inline constexpr std::size_t node_lists_share = 5;  // a fifth of the nodes

/// In more namespaces than this, quotas and limit ranges are read by one list of all namespaces.
inline constexpr std::size_t namespace_lists_at_most = 2;

/// Reads the objects that `query` requests, `parallel_requests` at a time, into `snapshot`. A kind
/// that is forbidden becomes one omission with its consequence, and so do other failures. Objects
/// that do not exist are skipped.
void read_details(kube::Client& client, const model::DetailQuery& query, int page_size,
                  const kube::OnProgress& on_progress, Snapshot& snapshot);

}  // namespace dsdoctor::source
