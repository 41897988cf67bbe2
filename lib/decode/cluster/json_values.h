// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/cluster/cluster_builder.h"
#include "decode/json/list_page.h"
#include "decode/manifest/manifest_fields.h"

/// JSON values that were parsed as a whole: an object, a list, lists in a list.
namespace dsdoctor::decode {

/// The destination of the objects of a text, and the facts known about them in advance.
struct ObjectSink {
  ClusterBuilder& builder;
  std::optional<Kind> untyped;       // the kind of objects without one
  std::string_view ns;               // the namespace of its lists; empty: unknown
  std::size_t* passed_over;          // number of ignored values without kind; null: they are errors
  ManifestFields* fields = nullptr;  // checks the texts; null: unchecked

  /// Reports whether a value of this kind is ignored because it has no kind, and counts it.
  [[nodiscard]] bool passes_over(std::string_view kind = {}) const {
    if (passed_over == nullptr || untyped || !kind.empty()) return false;
    ++*passed_over;
    return true;
  }
};

/// The type of a list.
struct ListType {
  std::optional<Kind> of;  // absent: each item has its own kind
  bool foreign = false;    // skipped
};

struct ListOpening {
  ListType type;
  ListPage page;
};

/// The type of a list such as `v1 NodeList`; kubectl's List and lists without kind are mixed.
[[nodiscard]] ListType type_of_list(std::string_view api_version, std::string_view kind);

/// The kind with which to decode an object; absent: the one in the object.
[[nodiscard]] std::optional<Kind> kind_to_use(std::string_view api_version, std::string_view kind,
                                              const ObjectSink& into);

/// Adds an object or a list that is nested in `depth` lists. `bytes` are the JSON of `object`,
/// followed by `json_padding` readable bytes.
[[nodiscard]] base::Status add_object(const simdjson::dom::object& object, std::string_view bytes,
                                      const Origin& origin, const ObjectSink& into, int depth);

/// Adds `items`; `bytes` are the pieces of the JSON of an object with the field `items`.
[[nodiscard]] base::Status read_list(const simdjson::dom::array& items,
                                     std::initializer_list<std::string_view> bytes,
                                     const ListOpening& opening, const std::string& file,
                                     const ObjectSink& into, int depth);

/// The error for an object or a list whose keys are written as in Python: `api_version`, without
/// `apiVersion`. The client's `to_dict()` renames keys so.
[[nodiscard]] base::Error snake_case_keys(const Origin& origin);

/// Reports whether `type` is that of a watch event, which has an `object`.
[[nodiscard]] bool is_watch_type(std::string_view type);

/// Reports whether an object without items is a list of one of our kinds, or of any kinds.
[[nodiscard]] bool is_list_of_ours(std::string_view api_version, std::string_view kind);
/// The error for a list without `items`, or with items that are not an array. Null items are an
/// empty list, which Go's encoder writes, unless the metadata announces more items.
[[nodiscard]] base::Error no_array_of_items(const std::string& place, std::string_view kind);

/// The warning about a manifest that is too large for ManifestFields.
[[nodiscard]] model::Warning fields_not_checked(const std::string& file);

/// Lists can contain lists: kubectl flattens them, and files written by hand have them.
inline constexpr int max_list_depth = 8;
[[nodiscard]] base::Error nested_too_deep(const std::string& place);

/// Reads the objects and the head of a Snapshot.
[[nodiscard]] base::Status read_snapshot(const simdjson::dom::object& object,
                                         std::string_view bytes, const std::string& file,
                                         const ObjectSink& into);

/// The message for an error of simdjson that other parsers may accept. Throws bad_alloc if memory
/// was exhausted.
[[nodiscard]] std::string_view refusal_of(simdjson::error_code error);

}  // namespace dsdoctor::decode
