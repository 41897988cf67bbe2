// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/cluster_builder.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <protozero/exception.hpp>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "decode/bulk/revision_template.h"
#include "decode/cluster/kept_annotations.h"
#include "decode/cluster/kind_in_object.h"
#include "decode/cluster/merge.h"
#include "decode/cluster/object_place.h"
#include "decode/json/json_reader.h"
#include "decode/listed/cluster_marks.h"
#include "decode/listed/completeness.h"
#include "decode/objects/fingerprint.h"
#include "decode/objects/object_reader.h"
#include "decode/objects/spec_edits.h"
#include "decode/objects/validity.h"
#include "decode/protobuf/protobuf_objects.h"
#include "model/annotations.h"

namespace dsdoctor::decode {
namespace {

constexpr std::size_t most_kept_warnings = 1000;  // others are counted

/// There are many pods: they are stored in blocks of this size, so that a growing list does not
/// move all of them.
constexpr std::size_t pods_together = 4096;

base::Error not_alone(const Origin& origin) {
  return {base::ErrorKind::Malformed, origin.name,
          "a Snapshot cannot be combined with other objects; read it alone"};
}

}  // namespace

struct ClusterBuilder::State {
  std::string default_ns;
  ObjectDecoder decoder;
  model::Cluster cluster;
  std::vector<std::vector<model::Pod>> pods_before;  // full blocks; later pods are in `cluster`
  std::array<bool, kind_count> seen{};
  ListedInputs listed;
  std::size_t skipped = 0;
  NodeTemplates* templates = nullptr;
  ObjectLimit objects;
  std::vector<model::Warning> warnings;
  std::size_t more_warnings = 0;  // not kept
  Tally nameless_events;
  std::set<std::string> removed;  // UIDs
  std::optional<model::Warning> first_status;
  Tally null_times;  // that were the text `null`
  ClusterMarks marks;
  bool is_of_old_version = false;  // about the last DaemonSet
  bool restoring = false;          // reading the objects of a snapshot
  std::optional<SnapshotHead> snapshot;

  template <typename Object>
  base::Status add(std::string_view json, Kind kind, const Origin& origin,
                   std::vector<Object>& into);
  template <typename Object>
  base::Status add_protobuf(std::string_view bytes, Kind kind, const Origin& origin,
                            std::vector<Object>& into);
  template <typename Object>
  base::Status accept(Object object, Kind kind, const Origin& origin, std::vector<Object>& into);
  base::Status add_object(std::string_view json, Kind kind, const Origin& origin);
  void make_room(std::vector<model::Pod>& pods);
  void gather_pods();
  void erase_removed();
  void warn(std::string where, std::string what);
  base::Status count(std::uint64_t kept, const Origin& origin);
  void complete(std::string_view json, model::DaemonSet& ds);
  static void complete(std::string_view json, model::Namespace& ns);
  void complete(std::string_view json, model::ControllerRevision& revision);
};

template <typename Object>
base::Status ClusterBuilder::State::add(std::string_view json, Kind kind, const Origin& origin,
                                        std::vector<Object>& into) {
  Object object;
  auto failure = decoder.decode(json, object);
  null_times.add(decoder.null_times(), origin);
  const std::uint64_t kept =
      failure ? decoder.kept() : decoder.settle_among_others(object, decoder.kept());
  if (auto counted = count(kept, origin); !counted) return counted;
  if (failure) return malformed_object(origin, kind, *failure);
  if constexpr (std::is_same_v<Object, model::DaemonSet>)
    object.other_kind = other_kind_in(json, decoder);
  return accept(std::move(object), kind, origin, into);
}

template <typename Object>
base::Status ClusterBuilder::State::add_protobuf(std::string_view bytes, Kind kind,
                                                 const Origin& origin, std::vector<Object>& into) {
  Object object;
  try {
    ProtobufReader reader(decoder.pool());
    if constexpr (std::is_same_v<Object, model::Node>) {
      read_node(reader, bytes, object);
    } else {
      read_pod(reader, bytes, object);
    }
  } catch (const protozero::exception& error) {
    return malformed_object(origin, kind,
                            {{object.meta.ns.str(), object.meta.name.str()},
                             {},
                             fmt::format("the protobuf is not valid: {}", error.what())});
  }
  decoder.settle_among_others(object, 0);  // memory for a server's objects is not limited
  return accept(std::move(object), kind, origin, into);
}

/// Checks and adds a decoded object of any encoding.
template <typename Object>
base::Status ClusterBuilder::State::accept(Object object, Kind kind, const Origin& origin,
                                           std::vector<Object>& into) {
  if (object.meta.name.empty()) {
    return malformed_object(origin, kind, {{}, {}, "metadata.name is missing"});
  }
  const auto say = [&](const std::string& path, const std::string& what) {
    if (restoring) return;
    warn(fmt::format("{} {}", object_at(origin, kind, object.meta.ns, object.meta.name), path),
         what);
  };
  if constexpr (requires { check(object, say); }) check(object, say);
  if (is_cluster_scoped(kind)) {
    object.meta.ns = {};  // even if a file has one
  } else if (object.meta.ns.empty()) {
    object.meta.ns = decoder.pool().intern(default_ns);
  }
  if constexpr (std::is_same_v<Object, model::Event>) {
    if (object.name.empty()) {
      nameless_events.add(1, origin);
      return std::monostate{};
    }
  }
  if constexpr (std::is_same_v<Object, model::DaemonSet>) {
    if (!object.other_kind) listed.note(kind, object.meta.ns);
  } else {
    listed.note(kind, object.meta.ns);
  }
  marks.note(object.meta, kind, cluster.nodes.size(), origin.name);
  if constexpr (std::is_same_v<Object, model::Pod>) make_room(into);
  into.push_back(std::move(object));
  return std::monostate{};
}

void ClusterBuilder::State::make_room(std::vector<model::Pod>& pods) {
  if (pods.size() < pods_together) return;
  pods_before.push_back(std::exchange(pods, {}));
  pods.reserve(pods_together);
}

void ClusterBuilder::State::gather_pods() {
  if (pods_before.empty()) return;
  pods_before.push_back(std::exchange(cluster.pods, {}));
  std::size_t all = 0;
  for (const auto& pods : pods_before) all += pods.size();
  cluster.pods.reserve(all);
  for (auto& pods : pods_before) {
    std::ranges::move(pods, std::back_inserter(cluster.pods));
    std::vector<model::Pod>().swap(pods);  // frees the memory for the next block
  }
}

void ClusterBuilder::State::erase_removed() {
  if (removed.empty()) return;
  model::description::each_list(cluster, [&](auto& list, const auto& /*described*/) {
    std::erase_if(list,
                  [&](const auto& object) { return removed.contains(object.meta.uid.str()); });
  });
}

void ClusterBuilder::State::warn(std::string where, std::string what) {
  if (warnings.size() < most_kept_warnings) {
    warnings.push_back({std::move(where), std::move(what)});
  } else {
    ++more_warnings;
  }
}

/// Counts `kept` bytes for the current object. Errors: Malformed, beyond the limit.
base::Status ClusterBuilder::State::count(std::uint64_t kept, const Origin& origin) {
  MemoryBudget& memory = decoder.memory();
  memory.keep(kept);
  memory.keep_texts(decoder.pool().bytes());
  if (!memory.is_exceeded()) return std::monostate{};
  return too_much_memory(memory, origin);
}

base::Status ClusterBuilder::State::add_object(std::string_view json, Kind kind,
                                               const Origin& origin) {
  base::Status status = std::monostate{};
  const std::string_view name = to_string(kind);
  model::description::each_list(cluster, [&](auto& list, const auto& described) {
    if (described.kind != name) return;
    status = add(json, kind, origin, list);
    if constexpr (requires { complete(json, list.back()); }) {
      if (status) complete(json, list.back());
      // The last of several versions of an object is kept, so move one of an old API version to the
      // front.
      if (std::exchange(is_of_old_version, false)) {
        std::rotate(list.begin(), list.end() - 1, list.end());
        listed.move_last_to_front(kind);
      }
    }
  });
  return status;
}

/// Sets the fields that are computed from the whole template and the last apply.
void ClusterBuilder::State::complete(std::string_view json, model::DaemonSet& ds) {
  if (restoring) {
    ds.template_fingerprint = take_fingerprint(ds.annotations);
    ds.edits = parse_edits(take(ds.annotations, model::spec_edits_annotation));
    const std::string applied = take(ds.annotations, model::applied_template_annotation);
    if (!applied.empty()) ds.applied = parse_applied(applied);
    keep_read(ds.annotations);
    return;
  }
  if (auto doc = decoder.open(json)) {
    ds.template_fingerprint = template_fingerprint(raw_object(*doc, {"spec", "template"}));
  }
  if (auto doc = decoder.open(json)) note_edits(ds, raw_object(*doc, {"spec"}));
  // An API server always writes the status. Exporters drop it, and what the controller has observed
  // is unknown then.
  if (auto doc = decoder.open(json); doc && (*doc)["status"].error() == simdjson::NO_SUCH_FIELD) {
    ds.generation = 0;
  }
  std::int64_t generation = 0;  // a field in extensions/v1beta1, an annotation in apps/v1
  auto doc = decoder.open(json);
  if (doc && !ds.annotations.find(model::template_generation_annotation) &&
      (*doc)["spec"]["templateGeneration"].get_int64().get(generation) == simdjson::SUCCESS) {
    ds.annotations.set(model::Text(model::template_generation_annotation),
                       decoder.pool().intern(std::to_string(generation)));
    is_of_old_version = true;
  }
  keep_read(ds.annotations);
}

void ClusterBuilder::State::complete(std::string_view /*json*/, model::Namespace& ns) {
  keep_read(ns.annotations);
}

void ClusterBuilder::State::complete(std::string_view json, model::ControllerRevision& revision) {
  read_template(json, decoder, revision.pod_template);
  auto doc = decoder.open(json);
  if (!doc) return;
  if (!restoring) {
    revision.template_fingerprint =
        template_fingerprint(raw_object(*doc, {"data", "spec", "template"}));
    return;
  }
  model::DaemonSet kept;  // because it has annotations
  JsonReader reader(decoder.pool());
  FieldReader fields(reader);
  reader.document(*doc, [&](std::string_view key, JsonReader::Value field) {
    if (key == "metadata") fields.read_field(key, field, kept);
  });
  revision.template_fingerprint = take_fingerprint(kept.annotations);
}

ClusterBuilder::ClusterBuilder(std::string default_ns, ObjectLimit limit)
    : state_(std::make_unique<State>()) {
  state_->default_ns = std::move(default_ns);
  state_->objects = limit;
}
ClusterBuilder::~ClusterBuilder() = default;
ClusterBuilder::ClusterBuilder(ClusterBuilder&&) noexcept = default;
ClusterBuilder& ClusterBuilder::operator=(ClusterBuilder&&) noexcept = default;

base::Status ClusterBuilder::add_json(std::string_view json, std::optional<Kind> kind,
                                      const Origin& origin) {
  if (!kind && state_->templates != nullptr) {
    const auto added = state_->templates->add(json, origin.name);
    if (!added) return added.error();
    if (*added) return std::monostate{};
  }
  if (!kind) {
    auto found = kind_in(json, origin, state_->decoder);
    if (!found) return found.error();
    if (!*found) {
      ++state_->skipped;
      return std::monostate{};
    }
    kind = **found;
  }
  if (state_->snapshot) return not_alone(origin);
  if (auto counted = state_->objects.count(origin.name); !counted) return counted;
  mark_seen(*kind);
  base::Status status = state_->add_object(json, *kind, origin);
  if (status || is_essential(*kind) || state_->decoder.memory().is_exceeded()) return status;
  state_->listed.miss(*kind);
  state_->warn(status.error().where, status.error().what + "; ignored");
  return std::monostate{};
}

base::Status ClusterBuilder::add_decoded(ItemBatches::Decoded decoded, Kind kind,
                                         const Origin& origin) {
  if (state_->snapshot) return not_alone(origin);
  if (auto counted = state_->objects.count(origin.name); !counted) return counted;
  mark_seen(kind);
  state_->decoder.memory().keep_other_texts(decoded.other_texts);
  state_->null_times.add(decoded.null_times, origin);
  if (auto counted = state_->count(decoded.kept, origin); !counted) return counted;
  if (const auto* failure = std::get_if<DecodeFailure>(&decoded.object)) {
    return malformed_object(origin, kind, *failure);
  }
  if (auto* node = std::get_if<model::Node>(&decoded.object)) {
    return state_->accept(std::move(*node), kind, origin, state_->cluster.nodes);
  }
  return state_->accept(std::get<model::Pod>(std::move(decoded.object)), kind, origin,
                        state_->cluster.pods);
}

ObjectDecoder& ClusterBuilder::decoder() { return state_->decoder; }

void ClusterBuilder::collect_templates(NodeTemplates* into) { state_->templates = into; }
bool ClusterBuilder::collects_templates() const { return state_->templates != nullptr; }

void ClusterBuilder::given(std::size_t bytes, bool packed) {
  state_->decoder.memory().given(bytes);
  if (packed) state_->decoder.memory().packed();
}

base::Status ClusterBuilder::add_protobuf(std::string_view bytes, Kind kind, const Origin& origin) {
  if (auto counted = state_->objects.count(origin.name); !counted) return counted;
  mark_seen(kind);
  if (kind == Kind::Node) return state_->add_protobuf(bytes, kind, origin, state_->cluster.nodes);
  return state_->add_protobuf(bytes, kind, origin, state_->cluster.pods);
}

base::Status ClusterBuilder::begin_snapshot(const Origin& origin) {
  const bool empty = std::ranges::none_of(state_->seen, [](bool seen) { return seen; });
  if (!empty || state_->snapshot) return not_alone(origin);
  state_->restoring = true;
  return std::monostate{};
}

void ClusterBuilder::end_snapshot(SnapshotHead head) {
  state_->restoring = false;
  state_->snapshot = std::move(head);
}

const SnapshotHead* ClusterBuilder::snapshot() const {
  return state_->snapshot ? &*state_->snapshot : nullptr;
}

bool ClusterBuilder::saw(Kind kind) const { return state_->seen[static_cast<std::size_t>(kind)]; }
void ClusterBuilder::mark_seen(Kind kind) { state_->seen[static_cast<std::size_t>(kind)] = true; }

void ClusterBuilder::begin_list() { state_->listed.begin(); }

void ClusterBuilder::end_list(std::optional<Kind> of, std::string_view ns, const ListPage& page,
                              std::string_view file) {
  if (of) mark_seen(*of);
  state_->listed.end(of, ns, page, file);
}

const ListedKinds& ClusterBuilder::listed() const { return state_->listed.all(); }
ListedInputs& ClusterBuilder::listed_inputs() { return state_->listed; }

std::vector<ReplacedInput> ClusterBuilder::drop_earlier_states(model::Time present) {
  state_->gather_pods();
  return state_->listed.drop_earlier(state_->cluster, present, state_->marks);
}

void ClusterBuilder::abandon_list() { state_->listed.abandon(); }
void ClusterBuilder::remove(std::string_view uid) { state_->removed.emplace(uid); }

void ClusterBuilder::note_status(const Origin& origin, std::string_view message) {
  model::Warning warning{origin.name,
                         fmt::format("a Status of the API server instead of objects: {}",
                                     message.empty() ? "without a message" : message)};
  if (!state_->first_status) state_->first_status = warning;
  state_->warn(std::move(warning.where), std::move(warning.what));
  ++state_->skipped;
}

const std::optional<model::Warning>& ClusterBuilder::first_status() const {
  return state_->first_status;
}

std::size_t ClusterBuilder::skipped() const { return state_->skipped; }

void ClusterBuilder::skip(std::size_t objects) { state_->skipped += objects; }

std::vector<model::Warning> ClusterBuilder::take_warnings() {
  if (auto [count, first] = std::exchange(state_->nameless_events, {}); count > 0) {
    std::string what = base::counted(count, "event") + " without involvedObject.name ignored";
    state_->warnings.push_back({std::move(first), std::move(what)});
  }
  if (auto [count, first] = std::exchange(state_->null_times, {}); count > 0) {
    std::string what = base::counted(count, "time") + " \"null\" taken as not set";
    state_->warnings.push_back({std::move(first), std::move(what)});
  }
  if (const std::size_t count = std::exchange(state_->more_warnings, 0); count > 0) {
    state_->warnings.push_back(
        {"input", fmt::format("and {}", base::counted(count, "more warning"))});
  }
  return std::exchange(state_->warnings, {});
}

base::Status ClusterBuilder::check_one_cluster() const {
  return state_->marks.check(state_->cluster.nodes);
}

model::Cluster ClusterBuilder::take_objects() {
  state_->gather_pods();
  return std::exchange(state_->cluster, {});
}

model::Cluster ClusterBuilder::build() {
  state_->gather_pods();
  state_->erase_removed();
  model::Cluster cluster = std::exchange(state_->cluster, {});
  sort_unique(cluster);
  if (state_->snapshot) {
    set_scope(cluster, state_->snapshot->scope);
    state_ = std::make_unique<State>();
    return cluster;
  }
  cluster.nodes_known = saw(Kind::Node);
  cluster.pods_known = saw(Kind::Pod);
  cluster.revisions_known = saw(Kind::ControllerRevision);
  cluster.known = listed().known(cluster);
  settle_completeness(cluster, listed());
  cluster.all_pods_known =
      saw(Kind::Pod) && cluster.namespaces_without_pods.empty() && !listed().is_cut(Kind::Pod);
  cluster.all_pods_assumed = cluster.all_pods_known;
  state_ = std::make_unique<State>();
  return cluster;
}

}  // namespace dsdoctor::decode
