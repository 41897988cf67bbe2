// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/json_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "decode/cluster/open_list.h"
#include "decode/json/item_splitter.h"
#include "decode/json/json_text.h"

namespace dsdoctor::decode {
namespace {

std::string_view text_field(const simdjson::dom::object& object, const char* key) {
  std::string_view text;
  return object[key].get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

}  // namespace

std::string_view refusal_of(simdjson::error_code error) {
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error == simdjson::DEPTH_ERROR) return "values are nested more than 1000 levels deep";
  if (error == simdjson::NUMBER_ERROR) return "a number is too large";
  return "the JSON is not valid";
}

ListType type_of_list(std::string_view api_version, std::string_view kind) {
  if (kind == "List" || kind.empty()) return {};
  const auto of = kind_of_items(kind);
  constexpr std::string_view suffix = "List";
  if (kind.ends_with(suffix)) {
    const std::string_view item = kind.substr(0, kind.size() - suffix.size());
    // An API server writes the kind of each item, because the kind is a CRD's.
    if (is_other_daemon_set(api_version, item) || is_node_template(api_version, item)) return {};
  }
  const bool ours = of && (api_version.empty() || kind_of(api_version, to_string(*of)) == of);
  return ours ? ListType{of, false} : ListType{std::nullopt, true};
}

bool is_list_of_ours(std::string_view api_version, std::string_view kind) {
  if (kind == "List") return api_version == "v1";
  return kind_of_items(kind) && !type_of_list(api_version, kind).foreign;
}

base::Error snake_case_keys(const Origin& origin) {
  const std::string index = origin.item ? fmt::format(" items[{}]", *origin.item) : "";
  return {base::ErrorKind::Malformed,
          origin.name + index,
          "keys are in snake_case (api_version), as to_dict() of the Python client writes them; "
          "expected keys as in the API (apiVersion)",
          {"write the objects with ApiClient().sanitize_for_serialization(objects)"}};
}

base::Error no_array_of_items(const std::string& place, std::string_view kind) {
  return {base::ErrorKind::Malformed, place,
          fmt::format("items of the {} is not an array", kind.empty() ? "List" : kind)};
}

std::optional<Kind> kind_to_use(std::string_view api_version, std::string_view kind,
                                const ObjectSink& into) {
  const bool untyped =
      kind.empty() || (api_version.empty() && into.untyped && kind == to_string(*into.untyped));
  return untyped ? into.untyped : std::nullopt;
}

model::Warning fields_not_checked(const std::string& file) {
  return {file, "is too large for a manifest: its fields are not checked"};
}

base::Error nested_too_deep(const std::string& place) {
  return {base::ErrorKind::Malformed, place, "lists are nested more than 8 levels deep"};
}

base::Status read_list(const simdjson::dom::array& items,
                       std::initializer_list<std::string_view> bytes, const ListOpening& opening,
                       const std::string& file, const ObjectSink& into, int depth) {
  if (depth > max_list_depth) return nested_too_deep(file);
  if (opening.type.foreign) {
    into.builder.skip(items.size());
    return std::monostate{};
  }
  const std::optional<Kind> of = opening.type.of;
  if (of) into.builder.mark_seen(*of);
  const auto is_one = [](const auto& item) { return item.is_object(); };
  if (!of && !std::all_of(items.begin(), items.end(), is_one) && into.passes_over()) {
    return std::monostate{};
  }
  OpenList list(into.builder);
  auto item = items.begin();
  ItemSplitter splitter(file, [&](std::string_view one, std::size_t index) -> base::Status {
    simdjson::dom::object object;
    const bool is_object = (*item).get_object().get(object) == simdjson::SUCCESS;
    ++item;
    if (of || !is_object) return into.builder.add_json(one, of, {file, index});
    return add_object(object, one, {file, index}, into, depth);
  });
  for (const std::string_view piece : bytes) {
    if (auto fed = splitter.feed(piece); !fed) return fed;
  }
  const auto envelope = splitter.finish();
  if (!envelope) return envelope.error();
  list.finish(of ? of : into.untyped, into.ns, opening.page, file);
  return std::monostate{};
}

base::Status read_snapshot(const simdjson::dom::object& object, std::string_view bytes,
                           const std::string& file, const ObjectSink& into) {
  std::int64_t format = 0;
  const bool numbered = object["formatVersion"].get_int64().get(format) == simdjson::SUCCESS;
  auto status = check_snapshot_version(text_field(object, "apiVersion"),
                                       numbered ? std::optional(format) : std::nullopt, file);
  if (!status) return status;
  if (auto begun = into.builder.begin_snapshot({file}); !begun) return begun;
  ItemSplitter splitter(file, [&](std::string_view one, std::size_t index) {
    return into.builder.add_json(one, std::nullopt, {file, index});
  });
  if (auto fed = splitter.feed(bytes); !fed) return fed;
  const auto envelope = splitter.finish();
  if (!envelope) return envelope.error();
  auto head = read_snapshot_head(*envelope, file);
  if (!head) return head.error();
  into.builder.end_snapshot(std::move(*head));
  return std::monostate{};
}

namespace {

base::Error table(const Origin& origin) {
  return {base::ErrorKind::Malformed,
          origin.name,
          "a Table, the form in which a server prints objects for people; the objects are needed",
          {"save them with: kubectl get ... -o json"}};
}

/// Adds the object of a watch event. Later events of the same object replace it.
base::Status add_watched(std::string_view type, const simdjson::dom::object& watched,
                         const Origin& origin, const ObjectSink& into, int depth) {
  if (depth > max_list_depth) return nested_too_deep(origin.name);
  if (type == "BOOKMARK") return std::monostate{};
  if (type == "DELETED") {
    std::string_view uid;
    if (watched.at_pointer("/metadata/uid").get(uid) == simdjson::SUCCESS) {
      into.builder.remove(uid);
    }
    return std::monostate{};
  }
  std::string text = simdjson::minify(watched);
  const std::size_t size = text.size();
  text.append(json_padding, ' ');
  return add_object(watched, std::string_view(text).substr(0, size), origin, into, depth + 1);
}

}  // namespace

bool is_watch_type(std::string_view type) {
  return type == "ADDED" || type == "MODIFIED" || type == "DELETED" || type == "BOOKMARK" ||
         type == "ERROR";
}

base::Status add_object(const simdjson::dom::object& object, std::string_view bytes,
                        const Origin& origin, const ObjectSink& into, int depth) {
  const std::string_view kind = text_field(object, "kind");
  const std::string_view api_version = text_field(object, "apiVersion");
  if (is_snapshot(api_version, kind)) return read_snapshot(object, bytes, origin.name, into);
  if (kind == "Status" && api_version == "v1") {
    into.builder.note_status(origin, text_field(object, "message"));
    return std::monostate{};
  }
  if (kind == "Table" && api_version.starts_with("meta.k8s.io/")) return table(origin);
  simdjson::dom::object watched;
  const std::string_view event = text_field(object, "type");
  if (kind.empty() && is_watch_type(event) && object["object"].get(watched) == simdjson::SUCCESS) {
    return add_watched(event, watched, origin, into, depth);
  }
  if (api_version.empty() && object["api_version"].error() == simdjson::SUCCESS) {
    return snake_case_keys(origin);
  }
  simdjson::dom::element items;
  const bool has_items = object["items"].get(items) == simdjson::SUCCESS;
  if (!has_items && into.passes_over(kind)) return std::monostate{};
  if (!has_items && is_list_of_ours(api_version, kind)) return no_array_of_items(origin.name, kind);
  if (!has_items || !(kind.empty() || kind.ends_with("List"))) {
    return into.builder.add_json(bytes, kind_to_use(api_version, kind, into), origin);
  }
  const ListType type = type_of_list(api_version, kind);
  base::Result<ListPage> page = ListPage{};
  if (!type.foreign) page = page_of(object, origin.name);
  if (!page) return page.error();
  simdjson::dom::array array;
  if (items.is_null() && page->is_last()) {
    if (!type.foreign) {
      OpenList(into.builder).finish(type.of ? type.of : into.untyped, into.ns, *page, origin.name);
    }
    return std::monostate{};
  }
  if (items.get_array().get(array) != simdjson::SUCCESS) {
    return no_array_of_items(origin.name, kind);
  }
  return read_list(array, {bytes}, {type, *page}, origin.name, into, depth + 1);
}

}  // namespace dsdoctor::decode
