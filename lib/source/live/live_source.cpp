// SPDX-License-Identifier: Apache-2.0
#include "source/live/live_source.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "source/api_reads.h"
#include "source/live/live_details.h"
#include "source/live/live_objects.h"
#include "source/snapshot_builder.h"

namespace dsdoctor::source {
namespace {

using std::chrono::milliseconds;

/// The state of a watch, besides objects.
struct Health {
  std::string resource;
  bool is_known = false;  // all objects were reported
  bool is_polled = false;
  std::optional<kube::ApiFailure> failure;  // the resource cannot be read now
  model::OptionalTime lost_since;

  /// The user cannot read the resource, or the server does not have it.
  [[nodiscard]] bool is_refused() const {
    return failure && (failure->status == 403 || failure->status == 404);
  }
  [[nodiscard]] bool is_settled() const { return is_known || failure; }
};

template <typename Object>
struct Watched {
  Health health;
  LiveObjects<Object> objects;
  std::vector<model::Warning> warnings;
};

/// The failure of a resource as that of a list; null if its last state can be used.
kube::ListAnswer refusal_of(const Health& health) {
  kube::ListAnswer answer;
  if (health.is_refused() || !health.is_known) answer.failure = health.failure;
  return answer;
}

}  // namespace

struct LiveSource::State {
  State(std::unique_ptr<ApiSource> from, Options with)
      : api(std::move(from)),
        options(std::move(with)),
        clock(api->options().clock),
        details(*api, options.least_detail_age, options.most_detail_age) {
    daemon_sets.health.resource = "daemonsets";
    nodes.health.resource = "nodes";
    pods.health.resource = "pods";
    unbound_pods.health.resource = "pods";
    revisions.health.resource = "controllerrevisions";
    events.health.resource = "events";
  }

  std::unique_ptr<ApiSource> api;
  Options options;
  kube::Clock clock;
  Query query;
  bool is_started = false;
  std::optional<model::ServerVersion> version;
  bool is_version_asked = false;
  LiveDetails details;

  mutable std::mutex mutex;
  std::condition_variable woken;
  // guarded by mutex:
  Watched<model::DaemonSet> daemon_sets;
  Watched<model::Node> nodes;
  Watched<model::Pod> pods;
  Watched<model::Pod> unbound_pods;  // only if the query names a node
  Watched<model::ControllerRevision> revisions;
  Watched<model::Event> events;  // of DaemonSets; they only show that details have changed
  bool has_changed = false;
  model::StateChanges changes = {.everything = true};  // since the last snapshot
  bool liveness_changed = false;
  std::exception_ptr thrown;  // by a watch

  kube::WatchSession session;
  std::vector<std::unique_ptr<kube::ResourceWatch>> watches;
  std::vector<std::jthread> threads;  // last: they use all members above

  template <typename Object>
  void watch(Watched<Object>& into, kube::ListRequest request);
  template <typename Object>
  void take(Watched<Object>& into, kube::WatchUpdate update);
  void start(const Query& asked);
  void read_version();
  [[nodiscard]] bool is_whole() const;
  base::Status wait_for_first_state();
  void settle_copied();
  void settle();
  [[nodiscard]] std::optional<base::Error> error() const;
  [[nodiscard]] std::array<const Health*, 6> healths() const;
  [[nodiscard]] base::Result<Snapshot> snapshot();
  /// Whether all objects of the kinds are watched: details add none, so snapshots need no copies,
  /// except of nodes, whose heartbeats are compared with the last state.
  [[nodiscard]] bool watches_everything() const {
    return query.ns.empty() && query.names.empty() && query.selector.empty() && query.node.empty();
  }
  template <typename Object>
  std::vector<Object> taken(LiveObjects<Object>& from) {
    return watches_everything() ? from.lend() : from.objects();
  }
};

template <typename Object>
void LiveSource::State::take(Watched<Object>& into, kube::WatchUpdate update) {
  const std::lock_guard lock(mutex);
  Health& health = into.health;
  const auto lose = [&](const kube::ApiFailure& failure) {
    health.failure = failure;
    if (!health.lost_since) health.lost_since = clock.now();
    liveness_changed = true;
    if (health.is_refused()) has_changed = changes.everything = true;
  };
  const auto recover = [&] {
    if (health.failure || health.lost_since) liveness_changed = true;
    if (health.is_refused()) has_changed = changes.everything = true;
    health.failure.reset();
    health.lost_since = {};
  };
  if (auto* all = std::get_if<kube::Replaced>(&update)) {
    recover();
    health.is_known = true;
    if constexpr (std::is_same_v<Object, model::Node>) {
      into.objects.replace(std::move(all->cluster.nodes));
    } else if constexpr (std::is_same_v<Object, model::DaemonSet>) {
      into.objects.replace(std::move(all->cluster.daemon_sets));
    } else if constexpr (std::is_same_v<Object, model::Pod>) {
      into.objects.replace(std::move(all->cluster.pods));
    } else if constexpr (std::is_same_v<Object, model::ControllerRevision>) {
      into.objects.replace(std::move(all->cluster.revisions));
    } else {
      into.objects.replace(std::move(all->cluster.events));
    }
    into.warnings = std::move(all->warnings);
  } else if (auto* seen = std::get_if<decode::ObjectSeen>(&update)) {
    if (auto* object = std::get_if<Object>(&seen->object)) into.objects.see(std::move(*object));
  } else if (auto* gone = std::get_if<decode::ObjectGone>(&update)) {
    into.objects.drop(*gone);
  } else if (std::holds_alternative<kube::Connected>(update)) {
    recover();
    health.is_polled = false;
  } else if (auto* lost = std::get_if<kube::Disconnected>(&update)) {
    lose(lost->failure);
    health.is_polled = false;
  } else if (std::holds_alternative<kube::Polling>(update)) {
    health.is_polled = true;
    liveness_changed = true;
  }
  woken.notify_all();
}

template <typename Object>
void LiveSource::State::watch(Watched<Object>& into, kube::ListRequest request) {
  request.page_size = api->options().page_size;
  request.on_progress = api->options().on_progress;
  auto& watch = watches.emplace_back(std::make_unique<kube::ResourceWatch>(
      api->client(), session, clock, std::move(request),
      [this, &into](kube::WatchUpdate update) { take(into, std::move(update)); }, options.times));
  threads.emplace_back([this, watch = watch.get()] {
    try {
      watch->run();
    } catch (...) {  // out of memory
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
      has_changed = true;
      woken.notify_all();
    }
  });
}

void LiveSource::State::start(const Query& asked) {
  query = asked;
  is_started = true;
  kube::Query of_daemon_sets;
  if (!query.selector.empty()) of_daemon_sets.emplace_back("labelSelector", query.selector);
  if (query.names.size() == 1 && !query.ns.empty()) {
    of_daemon_sets.emplace_back("fieldSelector", "metadata.name=" + query.names.front());
  }
  watch(daemon_sets, {collection_path(apps_group, query.ns, "daemonsets"), of_daemon_sets,
                      "daemonsets.apps", decode::Kind::DaemonSet});
  watch(nodes, {collection_path(core_group, "", "nodes"), {}, "nodes", decode::Kind::Node});
  if (query.pods) {
    const std::string path = collection_path(core_group, query.ns, "pods");
    const auto on = [](const std::string& node) {
      return kube::Query{{"fieldSelector", "spec.nodeName=" + node}};
    };
    watch(pods,
          {path, query.node.empty() ? kube::Query() : on(query.node), "pods", decode::Kind::Pod});
    if (!query.node.empty()) watch(unbound_pods, {path, on(""), "pods", decode::Kind::Pod});
  }
  if (query.revisions) {
    watch(revisions, {collection_path(apps_group, query.ns, "controllerrevisions"),
                      {},
                      "controllerrevisions.apps",
                      decode::Kind::ControllerRevision});
  }
  kube::Query of_events{{"fieldSelector", "involvedObject.kind=DaemonSet"}};
  if (query.names.size() == 1) {
    of_events.front().second += ",involvedObject.name=" + query.names.front();
  }
  watch(events, {collection_path(core_group, query.ns, "events"), of_events, "events",
                 decode::Kind::Event});
}

/// Once: the server answers by now.
void LiveSource::State::read_version() {
  const ApiReads reads(api->client(), 0, {});
  const std::atomic<bool> enough = false;
  version = reads.version(enough);
}

std::array<const Health*, 6> LiveSource::State::healths() const {
  return {&daemon_sets.health,  &nodes.health,     &pods.health,
          &unbound_pods.health, &revisions.health, &events.health};
}

/// REQUIRES: mutex is held.
bool LiveSource::State::is_whole() const {
  const auto is_failed = daemon_sets.health.failure.has_value();
  return thrown || is_failed ||
         (daemon_sets.health.is_settled() && nodes.health.is_settled() &&
          (!query.pods || pods.health.is_settled()) &&
          (query.node.empty() || unbound_pods.health.is_settled()) &&
          (!query.revisions || revisions.health.is_settled()) && events.health.is_settled());
}

/// Errors: Unavailable if it takes too long.
base::Status LiveSource::State::wait_for_first_state() {
  std::unique_lock lock(mutex);
  const auto is_there = [&] { return is_whole(); };
  if (options.patience.count() == 0) {
    woken.wait(lock, is_there);
  } else if (!woken.wait_for(lock, options.patience, is_there)) {
    return base::Error{base::ErrorKind::Unavailable, api->info().server,
                       "the state of the cluster did not arrive in time"};
  }
  return std::monostate();
}

/// Applies changes of kinds that are never lent. REQUIRES: mutex is held.
void LiveSource::State::settle_copied() {
  if (nodes.objects.settle(changes)) has_changed = true;
  if (events.objects.settle(changes)) has_changed = true;
}

/// Applies what the watches have reported. REQUIRES: mutex is held, nothing is lent.
void LiveSource::State::settle() {
  settle_copied();
  if (daemon_sets.objects.settle(changes)) has_changed = true;
  if (pods.objects.settle(changes)) has_changed = true;
  if (unbound_pods.objects.settle(changes)) has_changed = true;
  if (revisions.objects.settle(changes)) has_changed = true;
}

/// The error if there is no state yet, and missing RBAC permissions are not the reason. REQUIRES:
/// mutex is held.
std::optional<base::Error> LiveSource::State::error() const {
  const Health& of_daemon_sets = daemon_sets.health;
  if (of_daemon_sets.is_refused() || !of_daemon_sets.is_known) {
    return daemon_set_error(*of_daemon_sets.failure, query);
  }
  for (const Health* health : {&nodes.health, &pods.health, &unbound_pods.health}) {
    if (health->is_known || !health->failure || health->is_refused()) continue;
    return health->failure->error;
  }
  const Health& of_revisions = revisions.health;  // matter little
  if (!of_revisions.is_known && of_revisions.failure && of_revisions.failure->status == 0) {
    return of_revisions.failure->error;
  }
  return std::nullopt;
}

base::Result<Snapshot> LiveSource::State::snapshot() {
  const std::lock_guard lock(mutex);
  if (thrown) std::rethrow_exception(thrown);
  settle();
  if (std::exchange(has_changed, false)) details.expire();
  if (auto failed = error()) return *failed;
  const model::StateChanges since = std::exchange(changes, {});
  SnapshotBuilder builder(query.ns);
  Snapshot& result = builder.snapshot();
  result.info = api->info();
  result.changes = since;
  std::vector<model::DaemonSet> found = taken(daemon_sets.objects);
  if (!query.names.empty()) result.other_daemon_sets = keep_named(query.names, found);
  builder.add_daemon_sets(std::move(found), query);
  kube::ListAnswer answer = refusal_of(nodes.health);
  answer.cluster.nodes = nodes.objects.objects();
  builder.add_nodes(std::move(answer));
  if (query.pods) {
    answer = refusal_of(pods.health);
    answer.cluster.pods = taken(pods.objects);
    if (query.node.empty()) {
      builder.add_pods(std::move(answer), query.ns.empty());
    } else {
      kube::ListAnswer unbound = refusal_of(unbound_pods.health);
      unbound.cluster.pods = taken(unbound_pods.objects);
      builder.add_pods(std::move(answer), std::move(unbound), query.node);
    }
  }
  if (query.revisions) {
    answer = refusal_of(revisions.health);
    answer.cluster.revisions = taken(revisions.objects);
    builder.add_revisions(std::move(answer));
  }
  result.cluster.version = version;
  if (version) result.info.server_version = version->git_version;
  const auto warn = [&](const auto& watched) {
    std::ranges::copy(watched.warnings, std::back_inserter(result.warnings));
  };
  warn(daemon_sets);
  warn(nodes);
  warn(pods);
  warn(unbound_pods);
  warn(revisions);
  return std::move(result);
}

LiveSource::LiveSource(std::unique_ptr<ApiSource> api) : LiveSource(std::move(api), Options()) {}

LiveSource::LiveSource(std::unique_ptr<ApiSource> api, Options options)
    : state_(std::make_unique<State>(std::move(api), std::move(options))) {}

LiveSource::~LiveSource() {
  state_->session.stopped = true;
  state_->api->client().set_cancelled(true);
  state_->threads.clear();
}

base::Result<Snapshot> LiveSource::load(const Query& query) {
  if (query.pod_names != Query::PodNames::None) return state_->api->load(query);
  if (!state_->is_started) {
    state_->start(query);
    const auto& on_first_read = state_->options.on_first_read;
    if (on_first_read) on_first_read(true);
    auto arrived = state_->wait_for_first_state();
    if (on_first_read) on_first_read(false);
    if (!arrived) return arrived.error();
  }
  if (!std::exchange(state_->is_version_asked, true)) state_->read_version();
  auto snapshot = state_->snapshot();
  if (!snapshot) return snapshot;
  const ApiReads reads(state_->api->client(), state_->api->options().page_size, {});
  add_unlisted_nodes(reads, *snapshot);
  return snapshot;
}

void LiveSource::load_details(Snapshot& snapshot, const model::DetailQuery& query) {
  state_->details.add_to(snapshot, query);
}

void LiveSource::give_back(Snapshot snapshot) {
  if (!state_->watches_everything()) return;
  const std::lock_guard lock(state_->mutex);
  model::Cluster& cluster = snapshot.cluster;
  state_->daemon_sets.objects.give_back(std::move(cluster.daemon_sets));
  state_->pods.objects.give_back(std::move(cluster.pods));
  state_->revisions.objects.give_back(std::move(cluster.revisions));
}

LiveSource::Wake LiveSource::wait(milliseconds at_most) {
  std::unique_lock lock(state_->mutex);
  const auto has_news = [&] {
    state_->settle_copied();
    return state_->has_changed || state_->liveness_changed ||
           state_->daemon_sets.objects.has_pending() || state_->pods.objects.has_pending() ||
           state_->unbound_pods.objects.has_pending() || state_->revisions.objects.has_pending();
  };
  (void)state_->woken.wait_for(lock, at_most, has_news);
  if (std::exchange(state_->liveness_changed, false)) return Wake::LivenessChanged;
  return has_news() ? Wake::Changed : Wake::Time;
}

Liveness LiveSource::liveness() const {
  const std::lock_guard lock(state_->mutex);
  Liveness result;
  for (const Health* health : state_->healths()) {
    if (health->is_polled) result.polled.push_back(health->resource);
    if (!health->lost_since || health->is_refused()) continue;
    result.lost.push_back(health->resource);
    if (result.lost_since && *result.lost_since <= *health->lost_since) continue;
    result.lost_since = *health->lost_since;
    result.why = health->failure ? health->failure->message : std::string();
  }
  return result;
}

std::optional<milliseconds> LiveSource::details_due() const { return state_->details.due(); }

void LiveSource::reconnect() { ++state_->session.connection; }

}  // namespace dsdoctor::source
