// SPDX-License-Identifier: Apache-2.0
#include "kube/watch/resource_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsdoctor::kube {
namespace {

using std::chrono::milliseconds;

/// The resource version is too old for the server.
bool is_expired(int code, std::string_view reason) {
  return code == 410 || reason == "Expired" || reason == "Gone";
}

/// The server does not accept `sendInitialEvents`.
bool is_refusal(const ApiFailure& failure) {
  return failure.status == 400 || failure.status == 422 || failure.reason == "Invalid";
}

/// The user lacks an RBAC permission, or the server does not serve the resource: it will not change
/// soon.
bool is_lasting(const ApiFailure& failure) {
  return failure.status == 403 || failure.status == 404 || failure.status == 405;
}

std::vector<model::Node>& list_for(const model::Node& /*of*/, model::Cluster& in) {
  return in.nodes;
}
std::vector<model::DaemonSet>& list_for(const model::DaemonSet& /*of*/, model::Cluster& in) {
  return in.daemon_sets;
}
std::vector<model::Pod>& list_for(const model::Pod& /*of*/, model::Cluster& in) { return in.pods; }
std::vector<model::ControllerRevision>& list_for(const model::ControllerRevision& /*of*/,
                                                 model::Cluster& in) {
  return in.revisions;
}
std::vector<model::Event>& list_for(const model::Event& /*of*/, model::Cluster& in) {
  return in.events;
}

ApiFailure failure_of(const decode::WatchError& error, const ResourceName& resource) {
  const std::string message = error.message.empty()
                                  ? fmt::format("the server ended the watch of {}", resource)
                                  : error.message;
  return {static_cast<int>(error.code),
          error.reason,
          message,
          {base::ErrorKind::Unavailable, "Error from server", message}};
}

}  // namespace

ResourceWatch::ResourceWatch(Client& client, WatchSession& session, const Clock& clock,
                             ListRequest request, Sink sink, WatchTimes times)
    : client_(client),
      session_(session),
      clock_(clock),
      request_(std::move(request)),
      sink_(std::move(sink)),
      times_(times),
      decoder_(
          request_.kind, request_.path,
          [this](decode::WatchEvent event) { return take(std::move(event), collects_, *end_); }),
      wait_(times.first_wait) {}

void ResourceWatch::run() {
  while (!session_.stopped) {
    const bool initial = version_.empty() && !session_.refuses_initial_events;
    if (version_.empty() && !initial && !reads_all()) continue;
    const auto begin = clock_.elapsed();
    const int connection = session_.connection;
    const End end = watch(initial);
    if (session_.stopped) return;
    if (end.refused_initial) {
      session_.refuses_initial_events = true;
      continue;
    }
    if (end.lost_version) version_.clear();
    if (session_.connection != connection) continue;
    if (end.failure && is_lasting(*end.failure)) {
      poll(*end.failure);
      continue;
    }
    const bool lasted = clock_.elapsed() - begin >= times_.stable;
    if (lasted) wait_ = times_.first_wait;
    // Servers and proxies end watches in many ways. It is an outage if the next one fails.
    if (end.failure && !end.is_expired && !lasted) failed(*end.failure);
    if (!lasted) back_off();
  }
}

/// Lists all objects. False: it failed, and the time to wait is over.
bool ResourceWatch::reads_all() {
  ListAnswer answer = read_list(client_, request_);
  if (session_.stopped) return false;
  if (answer.failure) {
    failed(*answer.failure);
    if (is_lasting(*answer.failure)) {
      sleep(times_.no_right);
    } else {
      back_off();
    }
    return false;
  }
  version_ = std::move(answer.resource_version);
  sink_(Replaced{std::move(answer.cluster), std::move(answer.warnings)});
  connected();
  return true;
}

GetRequest ResourceWatch::watch_request(bool initial) const {
  GetRequest get;
  get.path = request_.path;
  get.query = request_.selectors;
  get.resource = request_.resource;
  get.is_watch = true;
  get.repeats = false;
  const double random = clock_.random ? clock_.random() : 0;
  const auto seconds = times_.shortest_watch.count();
  const auto limit = seconds + static_cast<std::int64_t>(random * static_cast<double>(seconds));
  get.query.emplace_back("watch", "true");
  get.query.emplace_back("allowWatchBookmarks", "true");
  get.query.emplace_back("timeoutSeconds", std::to_string(limit));
  if (initial) {
    get.query.emplace_back("sendInitialEvents", "true");
    get.query.emplace_back("resourceVersionMatch", "NotOlderThan");
  } else {
    get.query.emplace_back("resourceVersion", version_);
  }
  // The server ends it; a watch that lasts longer has lost its connection.
  get.stall = std::chrono::seconds(limit + 30);
  if (decode::has_protobuf(request_.kind)) {
    get.accept =
        "application/vnd.kubernetes.protobuf;stream=watch,application/json;stream=watch,"
        "application/json";
  }
  return get;
}

ResourceWatch::End ResourceWatch::watch(bool initial) {
  End end;
  end_ = &end;
  collects_ = initial;
  initial_ = {};
  GetRequest get = watch_request(initial);
  const int connection = session_.connection;
  milliseconds last_byte = clock_.elapsed();
  bool is_answered = false;
  bool is_silent = false;
  // Old servers ignore the request for initial objects, and never send their end.
  get.abandoned = [&] {
    is_silent = is_answered && collects_ && clock_.elapsed() - last_byte > times_.patience;
    return session_.stopped || session_.connection != connection || is_silent;
  };
  BodyReader reader;
  reader.begin = [&](const ResponseHead& head) {
    decoder_.begin(decode::encoding_of(head.media_type()));
    last_byte = clock_.elapsed();
    is_answered = true;
    if (!initial) connected();
  };
  reader.feed = [&](std::string_view chunk) {
    last_byte = clock_.elapsed();
    return decoder_.feed(chunk);
  };
  reader.finish = [] { return base::Status(std::monostate{}); };
  auto failure = client_.get(get, reader);
  end_ = nullptr;
  const bool refused = failure && !is_answered && is_refusal(*failure);
  if (collects_ && (is_silent || refused)) {
    collects_ = false;
    end.refused_initial = true;
    return end;
  }
  // A version that the server rejects in another way is of no use either.
  if (failure && is_expired(failure->status, failure->reason)) end.is_expired = true;
  end.lost_version = end.lost_version || end.is_expired || refused;
  if (failure && !end.failure) end.failure = std::move(failure);
  if (std::exchange(collects_, false)) {
    initial_ = {};
    end.lost_version = true;
  }
  return end;
}

base::Status ResourceWatch::take(decode::WatchEvent event, bool initial, End& end) {
  if (!event.resource_version.empty() && !initial) version_ = event.resource_version;
  if (auto* error = std::get_if<decode::WatchError>(&event.what)) {
    end.failure = failure_of(*error, request_.resource);
    end.is_expired = is_expired(static_cast<int>(error->code), error->reason);
    return end.failure->error;  // ends the answer
  }
  if (const auto* mark = std::get_if<decode::Bookmark>(&event.what)) {
    if (initial && mark->ends_initial_events) {
      version_ = event.resource_version;
      end_initial();
    }
    return std::monostate{};
  }
  if (auto* seen = std::get_if<decode::ObjectSeen>(&event.what)) {
    if (initial) {
      take_initial(std::move(seen->object));
    } else {
      sink_(std::move(*seen));
    }
  } else if (auto* gone = std::get_if<decode::ObjectGone>(&event.what)) {
    if (initial) {
      drop_initial(*gone);
    } else {
      sink_(std::move(*gone));
    }
  }
  return std::monostate{};
}

void ResourceWatch::take_initial(decode::WatchedObject object) {
  std::visit([&](auto& each) { list_for(each, initial_).push_back(std::move(each)); }, object);
}

void ResourceWatch::drop_initial(const decode::ObjectGone& gone) {
  const auto drop = [&](auto& objects) {
    std::erase_if(objects, [&](const auto& object) {
      return object.meta.ns == gone.ns && object.meta.name == gone.name;
    });
  };
  drop(initial_.nodes);
  drop(initial_.daemon_sets);
  drop(initial_.pods);
  drop(initial_.revisions);
  drop(initial_.events);
}

void ResourceWatch::end_initial() {
  collects_ = false;
  sink_(Replaced{std::exchange(initial_, {}), decoder_.take_warnings()});
  connected();
}

/// Without RBAC permission to watch: lists until the time for another attempt.
void ResourceWatch::poll(const ApiFailure& failure) {
  constexpr int lists_before_next_watch = 30;
  is_connected_ = false;
  for (int i = 0; i < lists_before_next_watch && !session_.stopped; ++i) {
    ListAnswer answer = read_list(client_, request_);
    if (session_.stopped) return;
    if (answer.failure) {
      version_.clear();
      is_polling_ = false;
      failed(*answer.failure);
      sleep(is_lasting(*answer.failure) ? times_.no_right : times_.poll);
      return;
    }
    is_lost_ = false;
    if (!std::exchange(is_polling_, true)) sink_(Polling{failure});
    version_ = std::move(answer.resource_version);
    sink_(Replaced{std::move(answer.cluster), std::move(answer.warnings)});
    sleep(times_.poll);
  }
}

void ResourceWatch::connected() {
  is_lost_ = false;
  is_polling_ = false;
  if (!std::exchange(is_connected_, true)) sink_(Connected{});
}

void ResourceWatch::failed(const ApiFailure& failure) {
  is_connected_ = false;
  if (!std::exchange(is_lost_, true)) sink_(Disconnected{failure});
}

void ResourceWatch::back_off() {
  const double random = clock_.random ? clock_.random() : 0;
  sleep(wait_ +
        milliseconds(static_cast<std::int64_t>(random * static_cast<double>(wait_.count()) / 2)));
  wait_ = std::min(wait_ * 2, times_.longest_wait);
}

void ResourceWatch::sleep(milliseconds time) { clock_.sleep(time, session_.stopped); }

}  // namespace dsdoctor::kube
