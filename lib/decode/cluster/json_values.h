#pragma once

#include <simdjson.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "decode/cluster/cluster_builder.h"

/// Values of JSON that were parsed as a whole: an object, a list, lists in a list.
namespace dsdoctor::decode {

/// Where objects of one text go, and what is known of them beforehand.
struct ObjectSink {
  ClusterBuilder& builder;
  std::optional<Kind> untyped;  // the kind of an object that names none
  std::string_view ns;          // that a list is of; empty: it does not say
  std::size_t*
      passed_over;  // counts values without a kind, which are ignored; null: they are errors

  /// True: `kind` is none, which is skipped.
  [[nodiscard]] bool passes_over(std::string_view kind = {}) const {
    if (passed_over == nullptr || untyped || !kind.empty()) return false;
    ++*passed_over;
    return true;
  }
};

/// What a list says of its items.
struct ListType {
  std::optional<Kind> of;      // absent: each item names its own kind
  bool foreign = false;        // of no interest
  std::string_view more = {};  // where the next page is
};

/// Of `v1 NodeList`; kubectl's List and a list without kind are mixed.
[[nodiscard]] ListType type_of_list(std::string_view api_version, std::string_view kind);

/// The kind to decode an object as; absent: as the one that it names.
[[nodiscard]] std::optional<Kind> kind_to_use(std::string_view api_version, std::string_view kind,
                                              const ObjectSink& into);

/// Adds an object or a list, which is `depth` lists deep. `bytes` are those of `object`, with
/// `json_padding` readable ones behind them.
[[nodiscard]] base::Status add_object(const simdjson::dom::object& object, std::string_view bytes,
                                      const Origin& origin, const ObjectSink& into, int depth);

/// Adds `items`, which stand in `bytes`: in pieces, of an object with the field `items`.
[[nodiscard]] base::Status read_list(const simdjson::dom::array& items,
                                     std::initializer_list<std::string_view> bytes,
                                     const ListType& type, const std::string& file,
                                     const ObjectSink& into, int depth);

/// A list may hold lists: kubectl flattens them, and so do files that were put together by hand.
inline constexpr int max_list_depth = 8;
[[nodiscard]] base::Error nested_too_deep(const std::string& place);

/// The objects of a Snapshot, and what it says of them.
[[nodiscard]] base::Status read_snapshot(const simdjson::dom::object& object,
                                         std::string_view bytes, const std::string& file,
                                         const ObjectSink& into);

/// What simdjson refuses and a stricter look may not. Throws bad_alloc where memory was short.
[[nodiscard]] std::string_view refusal_of(simdjson::error_code error);

}  // namespace dsdoctor::decode
