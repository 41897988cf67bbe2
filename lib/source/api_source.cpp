#include "source/api_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <utility>

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

/// What an answer lacks without a kind of object.
struct Lack {
  const char* resource;
  const char* consequence;
};
constexpr Lack no_nodes{"nodes",
                        "for no node can be said whether a DaemonSet wants it; ask for `list` on "
                        "nodes (cluster scope)"};
constexpr Lack no_pods{"pods",
                       "where a pod really runs is not known, only where one should; ask for "
                       "`list` on pods"};
constexpr Lack no_revisions{"controllerrevisions",
                            "which pods run an old template is not known; ask for `list` on "
                            "controllerrevisions.apps"};

/// 403, and 404 for a resource that is not served, leave a gap; everything else ends the read.
bool is_gap(const kube::ApiFailure& failure) {
  return failure.error.kind == ErrorKind::Forbidden || failure.error.kind == ErrorKind::NotFound;
}

/// Collects the parts of one snapshot.
class SnapshotBuilder {
 public:
  explicit SnapshotBuilder(std::string ns) : ns_(std::move(ns)) {
    snapshot_.cluster.nodes_known = false;
    snapshot_.cluster.pods_known = false;
    snapshot_.cluster.revisions_known = false;
  }

  /// True: `answer` can be used. False: its failure is in the snapshot, or in `error`.
  bool accept(ListAnswer& answer, const Lack& lack, const std::string& ns) {
    if (!answer.failure) {
      std::ranges::move(answer.warnings, std::back_inserter(snapshot_.warnings));
      return true;
    }
    if (is_gap(*answer.failure)) {
      snapshot_.omissions.push_back(
          {lack.resource, ns, answer.failure->reason.empty() ? "NotFound" : answer.failure->reason,
           answer.failure->message, lack.consequence});
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
  /// `of_everyone`: of all namespaces and owners.
  void add_pods(ListAnswer answer, bool of_everyone) {
    if (!accept(answer, no_pods, ns_)) return;
    snapshot_.cluster.pods = std::move(answer.cluster.pods);
    snapshot_.cluster.pods_known = true;
    snapshot_.cluster.all_pods_known = of_everyone;
  }
  void add_revisions(ListAnswer answer) {
    if (!accept(answer, no_revisions, ns_)) return;
    snapshot_.cluster.revisions = std::move(answer.cluster.revisions);
    snapshot_.cluster.revisions_known = true;
  }

  Snapshot& snapshot() { return snapshot_; }
  [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }

 private:
  std::string ns_;
  Snapshot snapshot_;
  std::optional<base::Error> error_;
};

base::Error daemon_set_error(const kube::ApiFailure& failure, const Query& query) {
  base::Error error = failure.error;
  if (error.kind == ErrorKind::Forbidden && query.ns.empty()) {
    error.hints.emplace_back(
        "use -n NAMESPACE: DaemonSets of one namespace may be readable where those of all are not");
  }
  return error;
}

/// One DaemonSet's selector narrows what has to be read; several ones' do not.
std::string common_selector(const Query& query, const std::vector<model::DaemonSet>& found) {
  if (query.names.size() != 1 || found.size() != 1 || !found.front().selector) return {};
  return to_label_query(*found.front().selector).value_or("");
}

bool lacks_a_name(const Query& query, const std::vector<model::DaemonSet>& found) {
  return std::ranges::any_of(query.names, [&](const std::string& name) {
    return std::ranges::none_of(found, [&](const auto& ds) { return ds.meta.name == name; });
  });
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
  const ApiReads reads(client_, options_.page_size, options_.on_progress);
  const auto in_background = [](auto read) { return std::async(std::launch::async, read); };
  SnapshotBuilder builder(query.ns);
  Snapshot& snapshot = builder.snapshot();
  snapshot.info.kind = "cluster";
  snapshot.info.context = connection_.context;
  snapshot.info.server = kube::server_text(connection_);
  snapshot.info.read_at = options_.clock.now();

  auto nodes = in_background([&] { return reads.nodes(); });
  std::string selector;
  std::future<ListAnswer> pods;
  std::future<ListAnswer> revisions;
  const auto start_the_rest = [&] {
    if (query.pods) pods = in_background([&] { return reads.pods(query.ns, selector); });
    if (query.revisions) {
      revisions = in_background([&] { return reads.revisions(query.ns, selector); });
    }
  };
  // Only a single DaemonSet's selector is worth waiting for.
  const bool wait_for_selector = query.names.size() == 1 && !query.ns.empty();
  if (!wait_for_selector) start_the_rest();
  ListAnswer daemon_sets = reads.daemon_sets(query);
  if (daemon_sets.failure) {
    client_.set_cancelled(true);  // or the futures would be waited for to the last page
    return daemon_set_error(*daemon_sets.failure, query);
  }
  // Now that there is room for it: four requests may run at a time.
  std::atomic<bool> lists_are_in = false;
  auto version = in_background([&] { return reads.version(lists_are_in); });
  const auto& found = daemon_sets.cluster.daemon_sets;
  const bool missing = lacks_a_name(query, found);
  if (wait_for_selector) {
    selector = common_selector(query, found);
    start_the_rest();  // of one that is gone its pods may be left, which no selector finds
  }
  if (missing) snapshot.other_daemon_sets = reads.daemon_set_names(query.ns);

  std::ranges::move(daemon_sets.warnings, std::back_inserter(snapshot.warnings));
  snapshot.cluster.daemon_sets = std::move(daemon_sets.cluster.daemon_sets);
  builder.add_nodes(nodes.get());
  if (pods.valid()) builder.add_pods(pods.get(), query.ns.empty() && selector.empty());
  if (revisions.valid()) builder.add_revisions(revisions.get());
  // Small: it is there, or it is slow, and then not worth waiting for.
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
