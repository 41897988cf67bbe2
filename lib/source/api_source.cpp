// SPDX-License-Identifier: Apache-2.0
#include "source/api_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include "decode/cluster/merge.h"
#include "decode/listed/completeness.h"
#include "kube/client/list.h"
#include "kube/http/curl_transport.h"
#include "kube/http/headers.h"
#include "source/api_reads.h"
#include "source/detail_reads.h"
#include "source/pools/api_pools.h"
#include "source/snapshot_builder.h"

namespace dsdoctor::source {
namespace {

using kube::ListAnswer;

template <typename Read>
auto in_background(Read read) {
  return std::async(std::launch::async, std::move(read));
}

/// The lists that are read in parallel with the DaemonSets; `reads` and `query` must outlive it.
class ListsBeside {
 public:
  /// Starts to read the nodes, which need no selector.
  ListsBeside(const ApiReads& reads, const Query& query)
      : reads_(reads), query_(query), nodes_(in_background([&reads] { return reads.nodes(); })) {}

  /// Starts to read the pods of `ns` and `selector` and the revisions of `ns`; empty: all.
  void start(std::string ns, std::string selector) {
    ns_ = std::move(ns);
    selector_ = std::move(selector);
    if (query_.pods && query_.node.empty()) {
      pods_ = in_background([this] { return reads_.pods(ns_, selector_); });
    } else if (query_.pods) {
      pods_ = in_background([this] { return reads_.pods_on(ns_, query_.node); });
      unbound_pods_ = in_background([this] { return reads_.pods_on(ns_, ""); });
    }
    if (query_.revisions) {
      // Without a selector: revisions of an earlier DaemonSet of this name explain its pods.
      revisions_ = in_background([this] { return reads_.revisions(ns_); });
    }
  }

  /// Waits for all of them.
  void add_to(SnapshotBuilder& builder) {
    builder.add_nodes(nodes_.get());
    if (unbound_pods_.valid()) {
      builder.add_pods(pods_.get(), unbound_pods_.get(), query_.node);
    } else if (pods_.valid()) {
      builder.add_pods(pods_.get(), ns_.empty() && selector_.empty());
    }
    if (revisions_.valid()) builder.add_revisions(revisions_.get());
  }

 private:
  const ApiReads& reads_;
  const Query& query_;
  std::string ns_;
  std::string selector_;
  std::future<ListAnswer> nodes_;
  std::future<ListAnswer> pods_;
  std::future<ListAnswer> unbound_pods_;  // only if the query names a node
  std::future<ListAnswer> revisions_;
};

/// A query for the DaemonSets that control the pods with this name, in the namespace of the first
/// one; its names are empty if there are none.
Query owners_of(const std::vector<model::Pod>& pods, const std::string& name, Query query) {
  query.names.clear();
  for (const model::Pod& pod : pods) {
    const auto& controller = pod.meta.controller;
    if (pod.meta.name != name || !controller || !model::is_daemon_set(*controller)) continue;
    if (query.names.empty()) query.ns = pod.meta.ns.str();
    if (query.ns == pod.meta.ns) query.names.push_back(controller->name.str());
  }
  return query;
}

void add(model::Cluster more, Snapshot& snapshot) {
  std::vector<model::Cluster> parts;
  parts.push_back(std::move(more));
  decode::merge(snapshot.cluster, std::move(parts));
}

/// Reads the DaemonSets that control pods with the names in the query.
void add_owners(const ApiReads& reads, const Query& query, Snapshot& snapshot) {
  for (const std::string& name : query.names) {
    const Query owners = owners_of(snapshot.cluster.pods, name, query);
    if (owners.names.empty()) continue;
    ListAnswer answer = reads.daemon_sets(owners);
    if (answer.failure) continue;  // reported as a missing DaemonSet
    add(std::move(answer.cluster), snapshot);
  }
}

kube::TransportLimits limits_of(const ApiSourceOptions& options) {
  kube::TransportLimits limits;
  limits.traced_body = options.traced_body;
  return limits;
}

}  // namespace

ApiSource::ApiSource(const kube::Connection& connection, kube::Environment environment,
                     const ApiSourceOptions& options)
    : ApiSource(connection, std::move(environment), options,
                std::make_unique<kube::CurlTransport>(connection,
                                                      kube::user_agent(options.program_version),
                                                      options.trace, limits_of(options))) {}

ApiSource::ApiSource(kube::Connection connection, kube::Environment environment,
                     ApiSourceOptions options, std::unique_ptr<kube::Transport> transport)
    : connection_(std::move(connection)),
      options_(std::move(options)),
      transport_(std::move(transport)),
      credentials_(connection_, std::move(environment), options_.clock),
      client_(connection_, *transport_, credentials_, options_.clock) {
  client_.on_long_wait(options_.on_long_wait);
  client_.on_warning(options_.on_server_warning);
  client_.set_time_limit(options_.time_limit);
}

ApiSource::~ApiSource() = default;

model::SourceInfo ApiSource::info() const {
  model::SourceInfo info;
  info.kind = "cluster";
  info.context = connection_.context;
  info.server = kube::server_text(connection_);
  info.read_at = options_.clock.now();
  return info;
}

base::Result<Snapshot> ApiSource::load(const Query& query) {
  client_.set_cancelled(false);
  auto snapshot = load_cluster(query);
  if (snapshot && query.templates != nullptr) {
    std::ranges::move(read_pools(client_, *query.templates),
                      std::back_inserter(snapshot->omissions));
  }
  return snapshot;
}

base::Result<Snapshot> ApiSource::load_cluster(const Query& query) {
  if (query.pod_names != Query::PodNames::All) return load_named(query);
  const ApiReads reads(client_, options_.page_size, options_.on_progress);
  ListAnswer named = reads.pods_named(query.ns, query.names.front());
  if (named.failure) return named.failure->error;
  std::vector<model::Pod>& pods = named.cluster.pods;
  Query of_owners = owners_of(pods, query.names.front(), query);
  of_owners.pod_names = Query::PodNames::None;
  Snapshot only_pods;
  if (of_owners.names.empty()) {
    only_pods.cluster.pods = std::move(pods);
    return only_pods;
  }
  auto snapshot = load_named(of_owners);
  // The DaemonSet's selector need not match the labels of the pod.
  if (snapshot) add(std::move(named.cluster), *snapshot);
  return snapshot;
}

base::Result<Snapshot> ApiSource::load_named(const Query& query) {
  const ApiReads reads(client_, options_.page_size, options_.on_progress);
  SnapshotBuilder builder(query.ns);
  Snapshot& snapshot = builder.snapshot();
  snapshot.info = info();

  ListsBeside lists(reads, query);
  // Only the selector of a single DaemonSet shortens the lists.
  const bool wait_for_selector = query.names.size() == 1;
  if (!wait_for_selector) lists.start(query.ns, "");
  ListAnswer daemon_sets = reads.daemon_sets(query);
  if (daemon_sets.failure) {
    client_.set_cancelled(true);  // else the futures would read all pages first
    return daemon_set_error(*daemon_sets.failure, query);
  }
  // Starts now, when a slot is free: at most four requests run at a time.
  std::atomic<bool> lists_are_in = false;
  auto version = in_background([&] { return reads.version(lists_are_in); });
  auto& found = daemon_sets.cluster.daemon_sets;
  if (!query.names.empty()) snapshot.other_daemon_sets = keep_named(query.names, found);
  const bool missing = lacks_a_name(query, found);
  if (wait_for_selector) {
    // Without a selector if the DaemonSet was deleted: its pods may still exist.
    lists.start(found.size() == 1 ? found.front().meta.ns.str() : query.ns,
                common_selector(query, found));
  }
  if (missing && !query.ns.empty()) {
    snapshot.other_daemon_sets = reads.daemon_set_names(query.ns);
  }

  std::ranges::move(daemon_sets.warnings, std::back_inserter(snapshot.warnings));
  builder.add_daemon_sets(std::move(found), query);
  lists.add_to(builder);
  if (!builder.error()) add_unlisted_nodes(reads, snapshot);
  if (missing && query.pod_names == Query::PodNames::Perhaps) add_owners(reads, query, snapshot);
  // The answer is small: if it has not arrived by now, do not wait longer.
  (void)version.wait_for(std::chrono::milliseconds(500));
  lists_are_in = true;
  snapshot.cluster.version = version.get();
  if (snapshot.cluster.version) {
    snapshot.info.server_version = snapshot.cluster.version->git_version;
  }
  if (builder.error()) return *builder.error();
  return std::move(snapshot);
}

void ApiSource::load_details(Snapshot& snapshot, const model::DetailQuery& query) {
  if (query.empty()) return;
  read_details(client_, query, options_.page_size, options_.on_progress, snapshot);
}

}  // namespace dsdoctor::source
