// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "decode/cluster/list_decoder.h"
#include "decode/objects/kind.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// The objects that are watched.
using WatchedObject = std::variant<model::Node, model::DaemonSet, model::Pod,
                                   model::ControllerRevision, model::Event>;

/// An object was added or changed. Watches repeat known objects, so it may be unchanged.
struct ObjectSeen {
  WatchedObject object;
};
/// An object was deleted, or no longer matches the selectors of the watch.
struct ObjectGone {
  std::string ns;  // empty for cluster-scoped objects
  std::string name;
};
/// Only the resource version of the stream has changed.
struct Bookmark {
  bool ends_initial_events = false;  // all objects that existed at the start were sent
};
/// The server ends the watch: a Status.
struct WatchError {
  std::int64_t code = 0;  // HTTP: 410 if the resource version is too old
  std::string reason;     // "Expired"
  std::string message;
};

struct WatchEvent {
  std::variant<ObjectSeen, ObjectGone, Bookmark, WatchError> what;
  std::string resource_version;  // to resume after this event; empty for errors
};

/// Decodes the body of a watch while it arrives: JSON values one after the other, or frames of
/// protobuf, cut anywhere. Keeps only the unfinished event. Not thread-safe.
/// Source of truth: k8s.io/apimachinery v0.36, pkg/runtime/serializer/streaming and
/// pkg/apis/meta/v1/watch.go.
class WatchDecoder {
 public:
  static constexpr std::size_t max_event_bytes = std::size_t{64} << 20U;

  /// An error stops the decoder, and `feed` returns it.
  using Sink = std::function<base::Status(WatchEvent event)>;

  /// `kind`: one of WatchedObject. `name` is the name of the body in errors. REQUIRES for protobuf:
  /// has_protobuf(kind).
  WatchDecoder(Kind kind, std::string name, Sink sink);
  ~WatchDecoder();
  WatchDecoder(WatchDecoder&&) noexcept;
  WatchDecoder& operator=(WatchDecoder&&) noexcept;

  /// Call before the first byte of each body. Equal texts and parts of objects are shared with
  /// those of earlier bodies.
  void begin(Encoding encoding);
  /// Consumes the next bytes. An object that cannot be decoded is left out with a warning. Errors:
  /// Malformed if the bytes are not a watch, or an event is too large; or the sink's own. After an
  /// error every further call fails until `begin`.
  [[nodiscard]] base::Status feed(std::string_view chunk);

  /// Fields that no API server accepts, as in lists; objects that could not be decoded.
  [[nodiscard]] std::vector<model::Warning> take_warnings();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::decode
