// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "decode/bulk/item_batches.h"
#include "decode/bulk/object_decoder.h"
#include "decode/cluster/origin.h"
#include "decode/cluster/snapshot.h"
#include "decode/json/json_padding.h"
#include "decode/json/list_page.h"
#include "decode/json/object_limit.h"
#include "decode/listed/listed_inputs.h"
#include "decode/listed/listed_kinds.h"
#include "decode/objects/kind.h"
#include "decode/pools/node_templates.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

/// Collects objects, in any order and from any number of inputs, into one Cluster. Interns repeated
/// strings. Not thread-safe.
class ClusterBuilder {
 public:
  /// `default_ns` is the namespace of manifests without one, as in kubectl.
  explicit ClusterBuilder(std::string default_ns = "default", ObjectLimit limit = ObjectLimit());
  ~ClusterBuilder();
  ClusterBuilder(ClusterBuilder&&) noexcept;
  ClusterBuilder& operator=(ClusterBuilder&&) noexcept;

  /// Adds one object from its JSON bytes. `json` must be followed by `json_padding` readable bytes
  /// (their content is irrelevant). `kind` is the kind from the list; absent: read from the object.
  /// An object of another kind is not an error, but counted in `skipped()`. A manifest without
  /// namespace gets the default one. Errors: Malformed, with `origin`, the object and the field
  /// path, if a relevant field has the wrong JSON type, metadata.name is missing or empty, or a
  /// limit of objects or memory is exceeded. Objects of kinds that only surround DaemonSets are
  /// left out with a warning instead, and so are events without an involved object. Words that no
  /// API server accepts (an unknown effect or operator, missing `values`) are kept, with a warning
  /// about the controller's treatment.
  [[nodiscard]] base::Status add_json(std::string_view json, std::optional<Kind> kind,
                                      const Origin& origin);

  /// The same for a decoded object. `decoder` decodes like `add_json`.
  [[nodiscard]] base::Status add_decoded(ItemBatches::Decoded decoded, Kind kind,
                                         const Origin& origin);
  [[nodiscard]] ObjectDecoder& decoder();

  /// From now on, objects that describe new nodes are added to `into`, which must outlive the
  /// builder, instead of being counted as skipped. Null: they are skipped.
  void collect_templates(NodeTemplates* into);
  [[nodiscard]] bool collects_templates() const;

  /// Adds the size of a file on disk, from which the memory limit is computed. `packed`: the file
  /// is compressed.
  void given(std::size_t bytes, bool packed = false);

  /// Adds one Node or Pod from its protobuf message, which has no envelope in a list. The same
  /// errors and warnings as for JSON. REQUIRES: has_protobuf(kind).
  [[nodiscard]] base::Status add_protobuf(std::string_view bytes, Kind kind, const Origin& origin);

  /// Call before adding the objects of a Snapshot; `end_snapshot` ends them. They cause no
  /// warnings, since they were checked when they were first read, and their annotations of our own
  /// are used in place of parts that were not saved. Errors: Malformed, if there are other objects
  /// already: a snapshot is a complete state.
  [[nodiscard]] base::Status begin_snapshot(const Origin& origin);
  void end_snapshot(SnapshotHead head);
  /// Null if no snapshot was read. Valid until the builder changes.
  [[nodiscard]] const SnapshotHead* snapshot() const;

  /// Reports whether an object or a list, even an empty one, of that kind was seen.
  [[nodiscard]] bool saw(Kind kind) const;
  void mark_seen(Kind kind);

  /// Call before the items of a list; `end_list` or `abandon_list` ends them. Lists can be nested.
  void begin_list();
  /// Call after the items of a list; see ListedKinds::end.
  void end_list(std::optional<Kind> of, std::string_view ns = {}, const ListPage& page = {},
                std::string_view file = {});
  /// Call after a list that could not be read to its end.
  void abandon_list();
  /// The kinds that were listed. `listed_inputs` is for what is known of each input.
  [[nodiscard]] const ListedKinds& listed() const;
  [[nodiscard]] ListedInputs& listed_inputs();
  /// See ListedInputs::drop_earlier. Call it after all objects were added.
  [[nodiscard]] std::vector<ReplacedInput> drop_earlier_states(model::Time present);

  /// Removes the object with that UID, if it was or will be added.
  void remove(std::string_view uid);
  /// Call for a Status, which an API server sends instead of objects. Becomes a warning.
  void note_status(const Origin& origin, std::string_view message);
  /// The warning about the first Status; null if there was none.
  [[nodiscard]] const std::optional<model::Warning>& first_status() const;

  /// The number of objects of other kinds: from `add_json`, and from lists that were not decoded.
  [[nodiscard]] std::size_t skipped() const;
  void skip(std::size_t objects);
  [[nodiscard]] std::vector<model::Warning> take_warnings();

  /// Errors: TwoClusters, with both files, if a Node or the namespace kube-system has different
  /// UIDs in them.
  [[nodiscard]] base::Status check_one_cluster() const;

  /// The objects that were added since the last call, in no order. Objects that are added later
  /// share texts and parts with them.
  [[nodiscard]] model::Cluster take_objects();

  /// The objects, sorted by (namespace, name). The newest resourceVersion of a duplicate object is
  /// kept, else the last one. Sets `nodes_known` and similar flags from `saw` and
  /// settle_completeness, and `known` from the complete lists, or all of them from the snapshot.
  /// Leaves the builder empty.
  [[nodiscard]] model::Cluster build();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::decode
