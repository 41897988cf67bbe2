#include "decode/cluster_builder.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <protozero/exception.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

#include "decode/json_reader.h"
#include "decode/objects.h"
#include "decode/protobuf_objects.h"
#include "decode/validity.h"

namespace dsdoctor::decode {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t kind_count = 4;

/// resourceVersions are opaque by contract and growing integers in fact; of two that are no
/// integers neither is newer.
bool is_older(const model::Text& a, const model::Text& b) {
  const auto all_digits = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!all_digits(a) || !all_digits(b)) return false;
  return std::tuple(a.view().size(), a.view()) < std::tuple(b.view().size(), b.view());
}

/// Sorts by (namespace, name) and leaves one of each: the newest, of equally new ones the last.
template <typename Object>
void sort_unique(std::vector<Object>& objects) {
  const auto key = [](const Object& object) {
    return std::tuple(object.meta.ns.view(), object.meta.name.view());
  };
  std::ranges::stable_sort(objects, {}, key);
  std::vector<Object> kept;
  kept.reserve(objects.size());
  for (Object& object : objects) {
    if (kept.empty() || key(kept.back()) != key(object)) {
      kept.push_back(std::move(object));
    } else if (!is_older(object.meta.resource_version, kept.back().meta.resource_version)) {
      kept.back() = std::move(object);
    }
  }
  objects = std::move(kept);
}

struct Named {
  std::string ns;
  std::string name;
};

/// The name of an object that could not be decoded; empty where it has none.
Named named_in(std::string_view json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  if (!value.is_object()) return {};
  const auto meta = value.find("metadata");
  if (meta == value.end() || !meta->is_object()) return {};
  const auto text = [&](const char* key) {
    const auto at = meta->find(key);
    return at != meta->end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  return {text("namespace"), text("name")};
}

/// "nodes.json Node/gpu-1", or "nodes.json items[3] (Node)" for an object without a name.
std::string object_at(const Origin& origin, Kind kind, std::string_view ns, std::string_view name) {
  const std::string_view separator = origin.name.empty() ? "" : " ";
  if (kind == Kind::Node) ns = {};
  if (name.empty()) {
    const std::string index = origin.item ? fmt::format("items[{}] ", *origin.item) : "";
    return fmt::format("{}{}{}({})", origin.name, separator, index, to_string(kind));
  }
  return fmt::format("{}{}{}/{}{}{}", origin.name, separator, to_string(kind), ns,
                     ns.empty() ? "" : "/", name);
}

base::Error malformed_object(const Origin& origin, Kind kind, const Named& object,
                             std::string_view path, std::string what) {
  return {base::ErrorKind::Malformed,
          fmt::format("{}{}{}", object_at(origin, kind, object.ns, object.name),
                      path.empty() ? "" : " ", path),
          std::move(what)};
}

}  // namespace

std::optional<Kind> kind_of(std::string_view api_version, std::string_view kind) {
  if (api_version == "v1" && kind == "Node") return Kind::Node;
  if (api_version == "v1" && kind == "Pod") return Kind::Pod;
  constexpr std::array<std::string_view, 3> apps = {"apps/v1", "apps/v1beta2", "apps/v1beta1"};
  const bool of_apps = std::ranges::find(apps, api_version) != apps.end();
  const bool old = api_version == "extensions/v1beta1";
  if ((of_apps || old) && kind == "DaemonSet") return Kind::DaemonSet;
  if (of_apps && kind == "ControllerRevision") return Kind::ControllerRevision;
  return std::nullopt;
}

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::Node: return "Node";
    case Kind::DaemonSet: return "DaemonSet";
    case Kind::Pod: return "Pod";
    case Kind::ControllerRevision: return "ControllerRevision";
  }
  return "";
}

template <typename Object>
using ReadJson = void (*)(JsonReader&, ondemand::document&, Object&);

struct ClusterBuilder::State {
  model::TextPool pool;
  ondemand::parser parser;
  model::Cluster cluster;
  std::array<bool, kind_count> seen{};
  std::size_t skipped = 0;
  std::vector<model::Warning> warnings;

  template <typename Object>
  base::Status add(std::string_view json, Kind kind, const Origin& origin, ReadJson<Object> read,
                   std::vector<Object>& into);
  template <typename Object>
  base::Status add_protobuf(std::string_view bytes, Kind kind, const Origin& origin,
                            std::vector<Object>& into);
  template <typename Object>
  base::Status accept(Object object, Kind kind, const Origin& origin, std::vector<Object>& into);
  base::Result<std::optional<Kind>> kind_in(std::string_view json, const Origin& origin);

  /// Absent for bytes that simdjson's first pass refuses.
  std::optional<ondemand::document> open(std::string_view json) {
    ondemand::document doc;
    const auto error =
        parser.iterate(json.data(), json.size(), json.size() + json_padding).get(doc);
    if (error != simdjson::SUCCESS) return std::nullopt;
    return doc;
  }
};

static_assert(json_padding >= simdjson::SIMDJSON_PADDING);

template <typename Object>
base::Status ClusterBuilder::State::add(std::string_view json, Kind kind, const Origin& origin,
                                        ReadJson<Object> read, std::vector<Object>& into) {
  const auto malformed = [&](const Named& object, std::string_view path, std::string what) {
    return malformed_object(origin, kind, object, path, std::move(what));
  };
  auto doc = open(json);
  if (!doc) return malformed(named_in(json), {}, "the JSON is not valid");
  Object object;
  JsonReader reader(pool);
  read(reader, *doc, object);
  if (const auto& failure = reader.failure()) {
    return malformed(named_in(json), failure->path, failure->what);
  }
  return accept(std::move(object), kind, origin, into);
}

template <typename Object>
base::Status ClusterBuilder::State::add_protobuf(std::string_view bytes, Kind kind,
                                                 const Origin& origin, std::vector<Object>& into) {
  Object object;
  try {
    ProtobufReader reader(pool);
    if constexpr (std::is_same_v<Object, model::Node>) {
      read_node(reader, bytes, object);
    } else {
      read_pod(reader, bytes, object);
    }
  } catch (const protozero::exception& error) {
    return malformed_object(origin, kind, {object.meta.ns.str(), object.meta.name.str()}, {},
                            fmt::format("the protobuf is not valid: {}", error.what()));
  }
  return accept(std::move(object), kind, origin, into);
}

/// What holds of an object whatever its encoding.
template <typename Object>
base::Status ClusterBuilder::State::accept(Object object, Kind kind, const Origin& origin,
                                           std::vector<Object>& into) {
  if (object.meta.name.empty()) {
    return malformed_object(origin, kind, {}, {}, "metadata.name is missing");
  }
  const auto warn = [&](const std::string& path, std::string what) {
    warnings.push_back(
        {fmt::format("{} {}", object_at(origin, kind, object.meta.ns, object.meta.name), path),
         std::move(what)});
  };
  if constexpr (requires { check(object, warn); }) check(object, warn);
  if (kind != Kind::Node && object.meta.ns.empty()) object.meta.ns = pool.intern("default");
  into.push_back(std::move(object));
  return std::monostate{};
}

base::Result<std::optional<Kind>> ClusterBuilder::State::kind_in(std::string_view json,
                                                                 const Origin& origin) {
  auto doc = open(json);
  JsonReader reader(pool);
  TypeMeta type;
  if (doc) type = read_type(reader, *doc);
  if (!doc || reader.failure()) {
    const std::string index = origin.item ? fmt::format(" items[{}]", *origin.item) : "";
    return base::Error{base::ErrorKind::Malformed, origin.name + index,
                       doc ? reader.failure()->what : "the JSON is not valid"};
  }
  if (type.kind.empty()) {
    const std::string index = origin.item ? fmt::format(" items[{}]", *origin.item) : "";
    return base::Error{base::ErrorKind::Malformed, origin.name + index,
                       "an object with apiVersion and kind is expected; kind is missing"};
  }
  return kind_of(type.api_version, type.kind);
}

ClusterBuilder::ClusterBuilder() : state_(std::make_unique<State>()) {}
ClusterBuilder::~ClusterBuilder() = default;
ClusterBuilder::ClusterBuilder(ClusterBuilder&&) noexcept = default;
ClusterBuilder& ClusterBuilder::operator=(ClusterBuilder&&) noexcept = default;

base::Status ClusterBuilder::add_json(std::string_view json, std::optional<Kind> kind,
                                      const Origin& origin) {
  if (!kind) {
    auto found = state_->kind_in(json, origin);
    if (!found) return found.error();
    if (!*found) {
      ++state_->skipped;
      return std::monostate{};
    }
    kind = **found;
  }
  mark_seen(*kind);
  model::Cluster& cluster = state_->cluster;
  switch (*kind) {
    case Kind::Node: return state_->add(json, *kind, origin, read_node, cluster.nodes);
    case Kind::Pod: return state_->add(json, *kind, origin, read_pod, cluster.pods);
    case Kind::DaemonSet: {
      auto status = state_->add(json, *kind, origin, read_daemon_set, cluster.daemon_sets);
      if (!status) return status;
      if (auto doc = state_->open(json)) {
        cluster.daemon_sets.back().template_fingerprint =
            template_fingerprint(raw_object(*doc, {"spec", "template"}));
      }
      return status;
    }
    case Kind::ControllerRevision: {
      auto status = state_->add(json, *kind, origin, read_revision, cluster.revisions);
      if (!status) return status;
      if (auto doc = state_->open(json)) {
        cluster.revisions.back().template_fingerprint =
            template_fingerprint(raw_object(*doc, {"data", "spec", "template"}));
      }
      return status;
    }
  }
  return std::monostate{};
}

base::Status ClusterBuilder::add_protobuf(std::string_view bytes, Kind kind, const Origin& origin) {
  mark_seen(kind);
  if (kind == Kind::Node) return state_->add_protobuf(bytes, kind, origin, state_->cluster.nodes);
  return state_->add_protobuf(bytes, kind, origin, state_->cluster.pods);
}

bool ClusterBuilder::saw(Kind kind) const { return state_->seen[static_cast<std::size_t>(kind)]; }

void ClusterBuilder::mark_seen(Kind kind) { state_->seen[static_cast<std::size_t>(kind)] = true; }

std::size_t ClusterBuilder::skipped() const { return state_->skipped; }

void ClusterBuilder::skip(std::size_t objects) { state_->skipped += objects; }

std::vector<model::Warning> ClusterBuilder::take_warnings() {
  return std::exchange(state_->warnings, {});
}

model::Cluster ClusterBuilder::build() {
  model::Cluster cluster = std::exchange(state_->cluster, {});
  sort_unique(cluster.nodes);
  sort_unique(cluster.daemon_sets);
  sort_unique(cluster.pods);
  sort_unique(cluster.revisions);
  cluster.nodes_known = saw(Kind::Node);
  cluster.pods_known = saw(Kind::Pod);
  cluster.revisions_known = saw(Kind::ControllerRevision);
  state_ = std::make_unique<State>();
  return cluster;
}

}  // namespace dsdoctor::decode
