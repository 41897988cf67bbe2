#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "decode/bulk/item_batches.h"
#include "decode/bulk/object_decoder.h"
#include "decode/cluster/object_limit.h"
#include "decode/cluster/origin.h"
#include "decode/cluster/snapshot.h"
#include "decode/json/json_padding.h"
#include "decode/objects/kind.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// Collects objects, in any order and from any number of inputs, into one Cluster.
/// Repeated strings are interned. Not thread-safe.
class ClusterBuilder {
 public:
  /// `default_ns`: where a manifest goes that names no namespace, as kubectl would put it.
  explicit ClusterBuilder(std::string default_ns = "default", ObjectLimit limit = ObjectLimit());
  ~ClusterBuilder();
  ClusterBuilder(ClusterBuilder&&) noexcept;
  ClusterBuilder& operator=(ClusterBuilder&&) noexcept;

  /// Adds one object from its JSON bytes.
  /// `json` must be followed by `json_padding` readable bytes (their content is irrelevant).
  /// `kind` names the kind where the list said it; absent: read from the object. An object of
  /// another kind is counted in `skipped()` and is no error. A manifest without namespace goes to
  /// the default one.
  /// Errors: Malformed, with `origin`, the object and the field path, when a field that decides
  /// has the wrong JSON type, or metadata.name is missing or empty; and beyond the limits of
  /// objects and memory. An object of a kind that merely surrounds DaemonSets is left out with a
  /// warning instead, and so is an event without an object that it is about. Words that no API
  /// server accepts (an unknown effect or operator, missing `values`) are kept as they are and
  /// become a warning that says what the controller makes of them.
  [[nodiscard]] base::Status add_json(std::string_view json, std::optional<Kind> kind,
                                      const Origin& origin);

  /// The same of one that was decoded already. `decoder` decodes like `add_json`.
  [[nodiscard]] base::Status add_decoded(ItemBatches::Decoded decoded, Kind kind,
                                         const Origin& origin);
  [[nodiscard]] ObjectDecoder& decoder();

  /// So many bytes of a file, as it is on the disk, are being read: what may be kept of files
  /// depends on their size. `packed`: they hold more than they show.
  void given(std::size_t bytes, bool packed = false);

  /// Adds one Node or Pod from its protobuf message, which has no envelope in a list. The same
  /// errors and warnings as from JSON. REQUIRES: has_protobuf(kind).
  [[nodiscard]] base::Status add_protobuf(std::string_view bytes, Kind kind, const Origin& origin);

  /// The objects that follow, up to `end_snapshot`, are those of a Snapshot: they were judged when
  /// they were first read, so that no warnings are made of them again, and what is in place of
  /// what was not kept of them is honoured.
  /// Errors: Malformed, where there are other objects already: a snapshot is a whole state.
  [[nodiscard]] base::Status begin_snapshot(const Origin& origin);
  void end_snapshot(SnapshotHead head);
  /// Null where no snapshot was read. Valid until the builder changes.
  [[nodiscard]] const SnapshotHead* snapshot() const;

  /// True once an object of that kind, or an (even empty) list of that kind, was seen.
  [[nodiscard]] bool saw(Kind kind) const;
  void mark_seen(Kind kind);

  /// The objects that follow, up to its `end_list`, are the items of one list. Lists may nest.
  void begin_list();
  /// The list was whole: each kind in it, and `of` even where the list is empty, was listed in
  /// full. Of one namespace where `ns`, or every namespaced item, says so; else of all of them.
  void end_list(std::optional<Kind> of, std::string_view ns = {});
  /// The list lacks items, and proves nothing.
  void abandon_list();

  /// Objects of other kinds: those of `add_json`, and those of lists that nobody decoded.
  [[nodiscard]] std::size_t skipped() const;
  void skip(std::size_t objects);
  [[nodiscard]] std::vector<model::Warning> take_warnings();

  /// Sorted by (namespace, name); of one object given twice the newest resourceVersion stays, else
  /// the last. `nodes_known` and its siblings are set as `saw` and settle_completeness tell,
  /// `known` from the lists that were whole, or both as a snapshot has them. Leaves the builder
  /// empty.
  [[nodiscard]] model::Cluster build();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::decode
