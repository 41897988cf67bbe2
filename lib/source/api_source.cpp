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
#include "source/label_query.h"

namespace dsdoctor::source {
namespace {

using base::ErrorKind;
using kube::ListAnswer;

constexpr Lack no_nodes{"nodes", "cannot tell which nodes are eligible or miss a pod",
                        "list nodes (cluster scope)"};
constexpr Lack no_other_nodes{"nodes", "the counts are those of the nodes that were read",
                              "get nodes (cluster scope)"};
constexpr Lack no_pods{"pods", "cannot tell which nodes have a pod, only which nodes are eligible",
                       "list pods"};
constexpr Lack no_revisions{"controllerrevisions", "cannot tell which pods are outdated",
                            "list controllerrevisions.apps"};

/// Reports whether the read can continue without this part: after a 403, after a 404 for an
/// unserved resource, and after any server error about revisions, which matter little. All other
/// errors end the read.
bool is_gap(const kube::ApiFailure& failure, const Lack& lack) {
  if (failure.status == 0) return false;
  return &lack == &no_revisions || failure.error.kind == ErrorKind::Forbidden ||
         failure.error.kind == ErrorKind::NotFound;
}

/// Collects the parts of one snapshot.
class SnapshotBuilder {
 public:
  explicit SnapshotBuilder(std::string ns) : ns_(std::move(ns)) {
    snapshot_.cluster.nodes_known = false;
    snapshot_.cluster.pods_known = false;
    snapshot_.cluster.revisions_known = false;
  }

  /// True: `answer` can be used. False: its failure is recorded in the snapshot or in `error`.
  bool accept(ListAnswer& answer, const Lack& lack, const std::string& ns) {
    if (!answer.failure) {
      std::ranges::move(answer.warnings, std::back_inserter(snapshot_.warnings));
      return true;
    }
    if (is_gap(*answer.failure, lack)) {
      snapshot_.omissions.push_back(omission_of(*answer.failure, lack, ns));
    } else if (!error_) {
      error_ = answer.failure->error;
    }
    return false;
  }
  void add_nodes(ListAnswer answer) {
    if (!accept(answer, no_nodes, "")) return;
    snapshot_.cluster.nodes = std::move(answer.cluster.nodes);
    snapshot_.cluster.nodes_known = true;
  }
  /// `of_everyone`: the pods of all namespaces and owners.
  void add_pods(ListAnswer answer, bool of_everyone) {
    if (!accept(answer, no_pods, ns_)) return;
    snapshot_.cluster.pods = std::move(answer.cluster.pods);
    snapshot_.cluster.pods_known = true;
    snapshot_.cluster.all_pods_known = of_everyone;
  }
  /// The pods bound to `node`, and those that are not bound.
  void add_pods(ListAnswer bound, ListAnswer unbound, const std::string& node) {
    if (!accept(bound, no_pods, ns_) || !accept(unbound, no_pods, ns_)) return;
    std::vector<model::Cluster> parts;
    parts.push_back(std::move(bound.cluster));
    parts.push_back(std::move(unbound.cluster));
    decode::merge(snapshot_.cluster, std::move(parts));
    snapshot_.cluster.pods_known = true;
    if (ns_.empty()) snapshot_.cluster.crowded_nodes = {model::Text(node)};
  }
  void add_revisions(ListAnswer answer) {
    if (!accept(answer, no_revisions, ns_)) return;
    snapshot_.cluster.revisions = std::move(answer.cluster.revisions);
    snapshot_.cluster.revisions_known = true;
    snapshot_.cluster.known.revisions = true;
  }

  Snapshot& snapshot() { return snapshot_; }
  [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }

 private:
  std::string ns_;
  Snapshot snapshot_;
  std::optional<base::Error> error_;
};

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

base::Error daemon_set_error(const kube::ApiFailure& failure, const Query& query) {
  base::Error error = failure.error;
  if (error.kind == ErrorKind::Forbidden && query.ns.empty() && error.hints.empty()) {
    error.hints.emplace_back(
        "try -n NAMESPACE: your RBAC permissions may cover single namespaces only");
  }
  if (failure.status == 404 && error.hints.empty()) {
    error.hints.emplace_back("check the server URL: every API server has DaemonSets");
  }
  return error;
}

/// The selector of the pods to read: that of a single DaemonSet; empty for several.
std::string common_selector(const Query& query, const std::vector<model::DaemonSet>& found) {
  if (query.names.size() != 1 || found.size() != 1 || !found.front().selector) return {};
  return to_label_query(*found.front().selector).value_or("");
}

bool lacks_a_name(const Query& query, const std::vector<model::DaemonSet>& found) {
  return std::ranges::any_of(query.names, [&](const std::string& name) {
    return std::ranges::none_of(found, [&](const auto& ds) { return ds.meta.name == name; });
  });
}

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

/// Keeps only DaemonSets with one of the names; returns (namespace, name) of the rest.
std::vector<std::pair<std::string, std::string>> keep_named(
    const std::vector<std::string>& names, std::vector<model::DaemonSet>& daemon_sets) {
  std::vector<std::pair<std::string, std::string>> others;
  std::erase_if(daemon_sets, [&](const model::DaemonSet& ds) {
    if (std::ranges::find(names, ds.meta.name.view()) != names.end()) return false;
    others.emplace_back(ds.meta.ns, ds.meta.name);
    return true;
  });
  return others;
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

/// Reads nodes by name that are missing in the list although active pods run on them: they joined
/// after it was read, are deleted, or a proxy hides them from this user. The pod garbage collector
/// does the same before it deletes a pod.
void add_unlisted_nodes(const ApiReads& reads, Snapshot& snapshot) {
  constexpr std::size_t most_asked = 10;
  model::Cluster& cluster = snapshot.cluster;
  if (!cluster.nodes_known || cluster.nodes.empty()) return;  // an empty list is a valid result
  const std::vector<model::Text> names = decode::unread_nodes(cluster);
  if (names.empty()) return;
  std::vector<model::Cluster> found;
  std::optional<model::Omission> omission;
  if (names.size() > most_asked) {
    omission = {no_other_nodes.resource, "", "Truncated",
                fmt::format("the list of nodes lacks {} nodes that run pods", names.size()),
                no_other_nodes.consequence};
  }
  for (std::size_t i = 0; i < std::min(most_asked, names.size()); ++i) {
    const std::string name = names[i].str();
    ListAnswer answer = reads.node(name);
    if (!answer.failure) {
      found.push_back(std::move(answer.cluster));
    } else if (!omission && !kube::is_absence(*answer.failure, "nodes", name)) {
      omission = omission_of(*answer.failure, no_other_nodes, "");
    }
  }
  decode::merge(cluster, std::move(found));
  if (!omission) return;
  cluster.all_nodes_known = false;
  snapshot.omissions.push_back(std::move(*omission));
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
}

ApiSource::~ApiSource() = default;

base::Result<Snapshot> ApiSource::load(const Query& query) {
  client_.set_cancelled(false);
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
  snapshot.info.kind = "cluster";
  snapshot.info.context = connection_.context;
  snapshot.info.server = kube::server_text(connection_);
  snapshot.info.read_at = options_.clock.now();

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
  snapshot.cluster.daemon_sets = std::move(found);
  snapshot.cluster.known.daemon_sets = true;
  snapshot.cluster.known.every_daemon_set =
      query.ns.empty() && query.names.empty() && query.selector.empty();
  snapshot.cluster.known.own_daemon_set_list = query.names.empty() && query.selector.empty();
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
