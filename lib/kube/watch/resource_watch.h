// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "decode/watch/watch_decoder.h"
#include "kube/client/client.h"
#include "kube/client/list.h"
#include "kube/os/clock.h"

namespace dsdoctor::kube {

/// All objects of the resource, as of now: the first state, and the state after changes were
/// missed.
struct Replaced {
  model::Cluster cluster;  // only the vector of the kind is filled; in no order
  std::vector<model::Warning> warnings;
};
/// The server answers: what was reported is current.
struct Connected {};
/// Changes are not seen until `Connected`; the watch is tried again.
struct Disconnected {
  ApiFailure failure;
};
/// The user may list, but not watch: the list is read again and again.
struct Polling {
  ApiFailure failure;
};
using WatchUpdate = std::variant<Replaced, decode::ObjectSeen, decode::ObjectGone, Connected,
                                 Disconnected, Polling>;

/// The state that the watches of one server share.
struct WatchSession {
  std::atomic<bool> stopped = false;
  /// The server refused to send the initial objects by a watch. Remembered instead of derived from
  /// the release: it depends on a feature gate everywhere.
  std::atomic<bool> refuses_initial_events = false;
  /// Increase it to make every watch connect again, e.g. after the machine has slept.
  std::atomic<int> connection = 0;
};

/// The times of a watch; tests shorten them.
struct WatchTimes {
  std::chrono::milliseconds first_wait{1'000};  // after a failure; doubles
  std::chrono::milliseconds longest_wait{30'000};
  std::chrono::milliseconds poll{10'000};      // between lists without RBAC permission to watch
  std::chrono::milliseconds no_right{60'000};  // between attempts without RBAC permission to list
  std::chrono::milliseconds patience{10'000};  // for the next initial object
  std::chrono::milliseconds stable{5'000};     // a watch that lasts as long has not failed
  std::chrono::seconds shortest_watch{300};    // requested of the server; up to twice as long
};

/// Keeps the objects of one resource current: a list, then a watch from its version; after an
/// error it resumes, or reads all objects again if the server no longer knows the version.
/// Source of truth: k8s.io/client-go v0.36, tools/cache/reflector.go.
class ResourceWatch {
 public:
  /// Called on the thread of `run`, in order. `Disconnected` and `Polling` come once for each
  /// outage.
  using Sink = std::function<void(WatchUpdate update)>;

  /// `client`, `session` and `clock` must outlive this object. `request`: as for a list; its kind
  /// is one of decode::WatchedObject.
  ResourceWatch(Client& client, WatchSession& session, const Clock& clock, ListRequest request,
                Sink sink, WatchTimes times = {});

  /// Blocks until the session is stopped.
  void run();

 private:
  /// How an attempt to watch ended.
  struct End {
    std::optional<ApiFailure> failure;  // absent: by the server, in order
    bool lost_version = false;          // all objects have to be read again
    bool is_expired = false;            // because the version is too old, which is no outage
    bool refused_initial = false;       // the server does not send initial objects by a watch
  };

  [[nodiscard]] bool reads_all();
  [[nodiscard]] End watch(bool initial);
  [[nodiscard]] GetRequest watch_request(bool initial) const;
  base::Status take(decode::WatchEvent event, bool initial, End& end);
  void take_initial(decode::WatchedObject object);
  void drop_initial(const decode::ObjectGone& gone);
  void end_initial();
  void poll(const ApiFailure& failure);
  void connected();
  void failed(const ApiFailure& failure);
  void back_off();
  void sleep(std::chrono::milliseconds time);

  Client& client_;
  WatchSession& session_;
  const Clock& clock_;
  ListRequest request_;
  Sink sink_;
  WatchTimes times_;
  decode::WatchDecoder decoder_;
  std::string version_;  // to resume from; empty: all objects have to be read
  bool is_connected_ = false;
  bool is_lost_ = false;     // Disconnected was reported
  bool is_polling_ = false;  // Polling was reported
  std::chrono::milliseconds wait_;
  // These belong to the running watch:
  bool collects_ = false;  // initial objects
  model::Cluster initial_;
  End* end_ = nullptr;
};

}  // namespace dsdoctor::kube
