// SPDX-License-Identifier: Apache-2.0
#include "decode/watch/watch_decoder.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <protozero/exception.hpp>
#include <utility>

#include "decode/json/block_scan.h"
#include "decode/json/json_padding.h"
#include "decode/protobuf/protobuf_reader.h"
#include "decode/protobuf/protobuf_status.h"

namespace dsdoctor::decode {
namespace {

constexpr std::string_view initial_events_end = "k8s.io/initial-events-end";
constexpr std::string_view magic("k8s\0", 4);

base::Error malformed(const std::string& name, std::string what) {
  return {base::ErrorKind::Malformed, name, std::move(what)};
}

/// An event whose object is not decoded yet.
struct RawEvent {
  std::string_view type;
  std::string_view object;  // JSON, or protobuf without its envelope
};

/// Metadata of an object that is not decoded otherwise.
struct RawMeta {
  std::string resource_version;
  bool ends_initial_events = false;
};

/// Cuts a body into events.
class Frames {
 public:
  explicit Frames(std::string name) : name_(std::move(name)) {}
  virtual ~Frames() = default;
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  using Sink = std::function<base::Status(std::string_view event)>;
  /// `event` is followed by `json_padding` readable bytes.
  [[nodiscard]] base::Status feed(std::string_view chunk, const Sink& sink) {
    buffer_ += chunk;
    std::size_t start = 0;
    for (;;) {
      const auto size = next(std::string_view(buffer_).substr(start));
      if (!size) return size.error();
      if (*size == 0) break;
      // The bytes after the event are part of the buffer, or its own padding.
      buffer_.reserve(buffer_.size() + json_padding);
      if (auto status = sink(event_in(std::string_view(buffer_).substr(start, *size))); !status) {
        return status;
      }
      start += *size;
    }
    buffer_.erase(0, start);
    if (buffer_.size() > WatchDecoder::max_event_bytes) {
      return malformed(name_, fmt::format("an event of the watch is larger than {} bytes",
                                          WatchDecoder::max_event_bytes));
    }
    return std::monostate{};
  }

 protected:
  /// The size of the first frame in `bytes`; 0 if it is incomplete.
  [[nodiscard]] virtual base::Result<std::size_t> next(std::string_view bytes) = 0;
  [[nodiscard]] virtual std::string_view event_in(std::string_view frame) const = 0;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::string buffer_;  // from the first event that is not complete
};

/// JSON objects, usually one a line.
class JsonFrames final : public Frames {
 public:
  using Frames::Frames;

 private:
  base::Result<std::size_t> next(std::string_view bytes) override {
    const char* at = bytes.data() + scanned_;
    const char* const end = bytes.data() + bytes.size();
    constexpr int most_depth = 1000;
    while (at != end) {
      if (scan_.depth > 0) at = skip_blocks(at, end, 0, most_depth, scan_);
      const char* const stop = at + std::min<std::ptrdiff_t>(end - at, 64);
      for (; at != stop; ++at) {
        if (const auto ended = step(*at); !ended) {
          return ended.error();
        } else if (*ended) {
          scan_ = {};
          scanned_ = 0;
          return static_cast<std::size_t>(at - bytes.data()) + 1;
        }
      }
    }
    scanned_ = bytes.size();
    return std::size_t{0};
  }

  /// True: `c` ends the object.
  base::Result<bool> step(char c) {
    if (scan_.in_string) {
      if (scan_.escaped) {
        scan_.escaped = false;
      } else if (c == '\\') {
        scan_.escaped = true;
      } else if (c == '"') {
        scan_.in_string = false;
      }
      return false;
    }
    switch (c) {
      case '{':
      case '[': ++scan_.depth; return false;
      case '}':
      case ']':
        if (scan_.depth > 0) return --scan_.depth == 0;
        break;
      case '"':
        if (scan_.depth > 0) {
          scan_.in_string = true;
          return false;
        }
        break;
      case ' ':
      case '\n':
      case '\r':
      case '\t': return false;
      default:
        if (scan_.depth > 0) return false;
    }
    return malformed(name(), "the answer is not a watch: expected a JSON object");
  }

  [[nodiscard]] std::string_view event_in(std::string_view frame) const override {
    const std::size_t start = frame.find('{');
    return start == frame.npos ? frame : frame.substr(start);
  }

  ScanState scan_;
  std::size_t scanned_ = 0;  // bytes of the first incomplete object
};

/// Each event has its length in front: 4 bytes, the highest first.
class ProtobufFrames final : public Frames {
 public:
  using Frames::Frames;

 private:
  static constexpr std::size_t header = 4;

  base::Result<std::size_t> next(std::string_view bytes) override {
    if (bytes.size() < header) return std::size_t{0};
    std::size_t length = 0;
    for (std::size_t i = 0; i < header; ++i) {
      length = (length << 8U) | static_cast<unsigned char>(bytes[i]);
    }
    if (length > WatchDecoder::max_event_bytes) {
      return malformed(name(), fmt::format("an event of the watch has {} bytes", length));
    }
    return bytes.size() - header < length ? 0 : header + length;
  }
  [[nodiscard]] std::string_view event_in(std::string_view frame) const override {
    return frame.substr(header);
  }
};

std::optional<RawEvent> json_event(std::string_view event, simdjson::ondemand::parser& parser) {
  simdjson::ondemand::document doc;
  const std::size_t readable = event.size() + json_padding;
  if (parser.iterate(event.data(), event.size(), readable).get(doc) != simdjson::SUCCESS) return {};
  RawEvent result;
  if (doc["type"].get_string().get(result.type) != simdjson::SUCCESS) return {};
  simdjson::ondemand::object object;
  if (doc["object"].get_object().get(object) != simdjson::SUCCESS) return {};
  std::string_view raw;
  if (object.raw_json().get(raw) != simdjson::SUCCESS) return {};
  result.object = raw;
  return result;
}

/// A WatchEvent {1 type, 2 object {1 raw}}; `raw` has an envelope {1 type, 2 raw}.
std::optional<RawEvent> protobuf_event(std::string_view event, std::string_view& enveloped,
                                       ProtobufReader& reader) {
  RawEvent result;
  reader.message(event, [&](ProtobufReader::Field& field) {
    if (field.tag() == 1) result.type = reader.bytes(field);
    if (field.tag() != 2) return;
    reader.object(field, [&](ProtobufReader::Field& part) {
      if (part.tag() == 1) enveloped = reader.bytes(part);
    });
  });
  if (result.type.empty() || !enveloped.starts_with(magic)) return std::nullopt;
  reader.message(enveloped.substr(magic.size()), [&](ProtobufReader::Field& field) {
    if (field.tag() == 2) result.object = reader.bytes(field);
  });
  return result;
}

/// Starts again with a document of which a part was read. False: it was not valid JSON, after which
/// simdjson has given up its parser and cannot rewind.
bool again(simdjson::ondemand::document& doc) {
  if (!doc.is_alive()) return false;
  doc.rewind();
  return true;
}

RawMeta json_meta(std::string_view object, simdjson::ondemand::parser& parser) {
  RawMeta result;
  simdjson::ondemand::document doc;
  const std::size_t readable = object.size() + json_padding;
  if (parser.iterate(object.data(), object.size(), readable).get(doc) != simdjson::SUCCESS) {
    return result;
  }
  std::string_view text;
  if (doc.at_pointer("/metadata/resourceVersion").get_string().get(text) == simdjson::SUCCESS) {
    result.resource_version = text;
  }
  if (!again(doc)) return result;
  const auto mark =
      doc.at_pointer("/metadata/annotations/k8s.io~1initial-events-end").get_string().get(text);
  result.ends_initial_events = mark == simdjson::SUCCESS && text == "true";
  return result;
}

/// Objects have {1 metadata {6 resourceVersion, 12 annotations}}.
RawMeta protobuf_meta(std::string_view object, ProtobufReader& reader) {
  RawMeta result;
  reader.message(object, [&](ProtobufReader::Field& field) {
    if (field.tag() != 1) return;
    reader.object(field, [&](ProtobufReader::Field& part) {
      if (part.tag() == 6) result.resource_version = reader.bytes(part);
      if (part.tag() != 12) return;
      const auto [key, value] = reader.raw_entry(part);
      if (key == initial_events_end && value == "true") result.ends_initial_events = true;
    });
  });
  return result;
}

WatchError json_error(std::string_view object, simdjson::ondemand::parser& parser) {
  WatchError result;
  simdjson::ondemand::document doc;
  const std::size_t readable = object.size() + json_padding;
  if (parser.iterate(object.data(), object.size(), readable).get(doc) != simdjson::SUCCESS) {
    return result;
  }
  std::string_view text;
  if (doc["code"].get_int64().get(result.code) != simdjson::SUCCESS) result.code = 0;
  if (!again(doc)) return result;
  if (doc["reason"].get_string().get(text) == simdjson::SUCCESS) result.reason = text;
  if (!again(doc)) return result;
  if (doc["message"].get_string().get(text) == simdjson::SUCCESS) result.message = text;
  return result;
}

/// The only object of a list; absent if the list is empty.
template <typename Object>
std::optional<WatchedObject> only(std::vector<Object>& objects) {
  if (objects.empty()) return std::nullopt;
  return WatchedObject(std::move(objects.front()));
}

std::optional<WatchedObject> object_in(model::Cluster cluster, Kind kind) {
  if (kind == Kind::Node) return only(cluster.nodes);
  if (kind == Kind::DaemonSet) return only(cluster.daemon_sets);
  if (kind == Kind::Pod) return only(cluster.pods);
  if (kind == Kind::ControllerRevision) return only(cluster.revisions);
  return only(cluster.events);
}

const model::ObjectMeta& meta_of(const WatchedObject& object) {
  return std::visit([](const auto& each) -> const model::ObjectMeta& { return each.meta; }, object);
}

}  // namespace

struct WatchDecoder::State {
  State(Kind of, std::string named, Sink to)
      : kind(of), origin{std::move(named)}, sink(std::move(to)) {}

  Kind kind;
  Origin origin;
  Sink sink;
  Encoding encoding = Encoding::Json;
  std::unique_ptr<Frames> frames;
  std::optional<base::Error> error;
  ClusterBuilder builder;
  std::size_t objects = 0;  // decoded by `builder`
  std::vector<model::Warning> warnings;
  simdjson::ondemand::parser parser;
  model::TextPool pool;  // stays empty: the protobuf reader requires one

  base::Status take(std::string_view event);
  base::Status take_json(std::string_view event);
  base::Status take_protobuf(std::string_view event);
  base::Status take_object(const RawEvent& event, std::string resource_version);
  void renew_builder();
  [[nodiscard]] base::Error not_an_event() const {
    return malformed(origin.name, "the answer is not a watch: an event has no type or no object");
  }
};

/// The shared texts include those of objects that are gone, so another builder begins from time to
/// time.
void WatchDecoder::State::renew_builder() {
  constexpr std::size_t most_objects = 200'000;
  if (++objects < most_objects) return;
  std::ranges::move(builder.take_warnings(), std::back_inserter(warnings));
  builder = ClusterBuilder();
  objects = 0;
}

base::Status WatchDecoder::State::take(std::string_view event) {
  if (encoding == Encoding::Json) return take_json(event);
  try {
    return take_protobuf(event);
  } catch (const protozero::exception& failed) {
    return malformed(origin.name, fmt::format("the protobuf is not valid: {}", failed.what()));
  }
}

base::Status WatchDecoder::State::take_json(std::string_view event) {
  const auto raw = json_event(event, parser);
  if (!raw) return not_an_event();
  // The parser's strings are valid until its next document.
  const std::string type(raw->type);
  const std::string_view object = raw->object;
  if (type == "ERROR") return sink({json_error(object, parser), {}});
  RawMeta meta = json_meta(object, parser);
  if (type == "BOOKMARK") {
    return sink({Bookmark{meta.ends_initial_events}, std::move(meta.resource_version)});
  }
  return take_object({type, object}, std::move(meta.resource_version));
}

base::Status WatchDecoder::State::take_protobuf(std::string_view event) {
  ProtobufReader reader(pool);
  std::string_view enveloped;
  const auto raw = protobuf_event(event, enveloped, reader);
  if (!raw) return not_an_event();
  if (raw->type == "ERROR") {
    auto status = read_protobuf_status(enveloped).value_or(ProtobufStatus{});
    return sink({WatchError{status.code, std::move(status.reason), std::move(status.message)}, {}});
  }
  RawMeta meta = protobuf_meta(raw->object, reader);
  if (raw->type == "BOOKMARK") {
    return sink({Bookmark{meta.ends_initial_events}, std::move(meta.resource_version)});
  }
  return take_object(*raw, std::move(meta.resource_version));
}

base::Status WatchDecoder::State::take_object(const RawEvent& event, std::string resource_version) {
  const bool is_gone = event.type == "DELETED";
  if (!is_gone && event.type != "ADDED" && event.type != "MODIFIED") return not_an_event();
  renew_builder();
  const auto added = encoding == Encoding::Json ? builder.add_json(event.object, kind, origin)
                                                : builder.add_protobuf(event.object, kind, origin);
  auto object = object_in(builder.take_objects(), kind);
  if (!object) {
    if (!added) warnings.push_back({added.error().where, added.error().what + "; ignored"});
    return std::monostate{};
  }
  if (!is_gone) return sink({ObjectSeen{std::move(*object)}, std::move(resource_version)});
  const model::ObjectMeta& meta = meta_of(*object);
  return sink({ObjectGone{meta.ns.str(), meta.name.str()}, std::move(resource_version)});
}

WatchDecoder::WatchDecoder(Kind kind, std::string name, Sink sink)
    : state_(std::make_unique<State>(kind, std::move(name), std::move(sink))) {}
WatchDecoder::~WatchDecoder() = default;
WatchDecoder::WatchDecoder(WatchDecoder&&) noexcept = default;
WatchDecoder& WatchDecoder::operator=(WatchDecoder&&) noexcept = default;

void WatchDecoder::begin(Encoding encoding) {
  state_->encoding = encoding;
  state_->error.reset();
  if (encoding == Encoding::Json) {
    state_->frames = std::make_unique<JsonFrames>(state_->origin.name);
  } else {
    state_->frames = std::make_unique<ProtobufFrames>(state_->origin.name);
  }
}

base::Status WatchDecoder::feed(std::string_view chunk) {
  if (state_->error) return *state_->error;
  auto status =
      state_->frames->feed(chunk, [&](std::string_view event) { return state_->take(event); });
  if (!status) state_->error = status.error();
  return status;
}

std::vector<model::Warning> WatchDecoder::take_warnings() {
  std::ranges::move(state_->builder.take_warnings(), std::back_inserter(state_->warnings));
  return std::exchange(state_->warnings, {});
}

}  // namespace dsdoctor::decode
