// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/json_stream.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "decode/bulk/item_batches.h"
#include "decode/cluster/open_list.h"
#include "decode/json/held_items.h"
#include "decode/json/item_head.h"
#include "decode/json/item_splitter.h"
#include "decode/json/json_text.h"
#include "decode/json/object_limit.h"

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

/// Maximum size of other content after JSON values, such as YAML documents, which is kept in
/// memory.
constexpr std::size_t most_other = std::size_t{256} << 20U;

/// Items from this size on are decoded in place, and not copied into a batch.
constexpr std::size_t large_item = std::size_t{256} << 10U;

}  // namespace

/// Decodes an object or a list.
class JsonStream::Value {
 public:
  Value(const std::string& file, const ObjectSink& into)
      : file_(file),
        into_(into),
        splitter_(
            file,
            [this](std::string_view one, std::size_t index) {
              if (index == 0) {
                if (auto begun = begin_list(); !begun) return begun;
              }
              return add_item(one, {file_, index});
            },
            ItemSplitter::Extent::OneOfSeveral),
        batches_(into.builder.decoder(),
                 [this](ItemBatches::Decoded decoded, Kind kind, std::size_t index) {
                   return into_.builder.add_decoded(std::move(decoded), kind, {file_, index});
                 }) {}

  base::Status feed(std::string_view chunk) { return splitter_.feed(chunk); }
  [[nodiscard]] bool closed() const { return splitter_.closed(); }
  [[nodiscard]] std::string_view rest() const { return splitter_.rest(); }

  base::Status finish() {
    auto envelope = splitter_.finish();
    if (!envelope) return envelope.error();
    if (auto added = batches_.flush(); !added) return added;
    if (splitter_.items() == 0) return add_whole(std::move(*envelope));
    if (form_ == Form::Snapshot) {
      if (!splitter_.odd_item().empty()) return odd_item();
      auto head = read_snapshot_head(*envelope, file_);
      if (!head) return head.error();
      into_.builder.end_snapshot(std::move(*head));
      return std::monostate{};
    }
    const json list = json::parse(*envelope, nullptr, false);  // valid: the splitter checked it
    if (!list_) return std::monostate{};
    if (form_ == Form::NotKnown) {
      if (is_snapshot(text_in(list, "apiVersion"), text_in(list, "kind")))
        return snapshot_too_late();
      type_ = type_of_list(text_in(list, "apiVersion"), text_in(list, "kind"));
      if (auto added = add_untold(); !added) return added;
      if (type_.foreign) return std::monostate{};
    }
    if (!splitter_.odd_item().empty() && !type_.foreign) return odd_item();
    if (type_.foreign) return std::monostate{};
    const auto page = page_of(*envelope, file_);
    if (!page) return page.error();
    list_->finish(type_.of ? type_.of : into_.untyped, into_.ns, *page, file_);
    return std::monostate{};
  }

 private:
  enum class Form {
    NotKnown,  // the kind follows the items
    List,
    Snapshot,
    Other,  // skipped
  };

  /// Sets the form from the fields before the items.
  base::Status begin_list() {
    const json before = json::parse(splitter_.envelope_so_far() + "]}", nullptr, false);
    const std::string kind = before.is_object() ? text_in(before, "kind") : "";
    const std::string api_version = before.is_object() ? text_in(before, "apiVersion") : "";
    if (api_version.empty() && before.contains("api_version")) return snake_case_keys({file_});
    // If the fields are sorted by name, the kind comes later; the group has no other kind.
    if (is_snapshot(api_version, kind.empty() ? snapshot_kind : kind)) {
      return begin_snapshot(before, api_version);
    }
    if (!kind.empty() && !kind.ends_with("List")) {  // an object with a field `items`
      form_ = Form::Other;
      into_.builder.skip(1);
      return std::monostate{};
    }
    list_ = std::make_unique<OpenList>(into_.builder);
    if (kind.empty()) return std::monostate{};
    // The group may come after the items; until then the type of the list is unknown.
    awaits_group_ = kind_of_items(kind) && !before.contains("apiVersion");
    if (awaits_group_) return std::monostate{};
    type_ = type_of_list(api_version, kind);
    form_ = Form::List;
    if (type_.of) into_.builder.mark_seen(*type_.of);
    return std::monostate{};
  }

  [[nodiscard]] base::Status odd_item() const {
    return base::Error{base::ErrorKind::Malformed, file_, splitter_.odd_item()};
  }

  [[nodiscard]] base::Status snapshot_too_late() const {
    return base::Error{base::ErrorKind::Malformed, file_,
                       "apiVersion of the Snapshot comes after its items; expected before them, as "
                       "kubectl dsdoctor snapshot writes it"};
  }

  base::Status begin_snapshot(const json& before, const std::string& api_version) {
    form_ = Form::Snapshot;
    const auto format = before.find("formatVersion");
    const bool numbered = format != before.end() && format->is_number_integer();
    auto status = check_snapshot_version(
        api_version, numbered ? std::optional(format->get<std::int64_t>()) : std::nullopt, file_);
    return status ? into_.builder.begin_snapshot({file_}) : status;
  }

  base::Status add_item(std::string_view one, const Origin& origin) {
    if (form_ == Form::Other) return std::monostate{};
    if (awaits_group_) return hold(one, origin);
    if (type_.foreign) {
      into_.builder.skip(1);
      return std::monostate{};
    }
    if (type_.of) return add_of_kind(one, *type_.of, origin);
    const auto head = item_head(one);
    if (form_ == Form::Snapshot) {
      const auto kind = head ? kind_of(head->api_version, head->kind) : std::nullopt;
      if (kind) return add_of_kind(one, *kind, origin);
      if (one.size() > most_parsed) return too_large(origin);
      return after_batches([&] { return into_.builder.add_json(one, std::nullopt, origin); });
    }
    if (!is_plain(head)) return after_batches([&] { return add_odd_item(one, origin); });
    if (const auto kind = kind_of(head->api_version, head->kind)) {
      return add_of_kind(one, *kind, origin);
    }
    into_.builder.skip(1);
    return std::monostate{};
  }

  /// Reports whether this is an object whose kind is known before it is parsed.
  static bool is_plain(const std::optional<ItemHead>& head) {
    return head && !head->kind.empty() && !head->kind.ends_with("List") &&
           !head->api_version.empty() && !is_snapshot(head->api_version, head->kind);
  }

  static base::Error too_large(const Origin& origin) {
    const std::string index = origin.item ? fmt::format(" items[{}]", *origin.item) : "";
    return {base::ErrorKind::Malformed, origin.name + index,
            fmt::format("an object of more than {} MiB, the limit; an API server takes no more",
                        most_parsed >> 20U)};
  }

  base::Status add_of_kind(std::string_view one, Kind kind, const Origin& origin) {
    if (one.size() > most_parsed) return too_large(origin);
    if (ItemBatches::takes(kind) && one.size() < large_item)
      return batches_.add(one, kind, origin.item.value_or(0));
    return after_batches([&] { return into_.builder.add_json(one, kind, origin); });
  }

  /// Calls `add` after the batches, so that the first error in the list is reported.
  template <typename Add>
  base::Status after_batches(const Add& add) {
    if (auto added = batches_.flush(); !added) return added;
    return add();
  }

  /// Adds a list in the list, or an object that does not begin with its kind, or has none.
  base::Status add_odd_item(std::string_view one, const Origin& origin) {
    if (one.size() > most_parsed) return too_large(origin);
    simdjson::dom::object object;
    if (const auto error = parser_.parse(one.data(), one.size(), false).get(object);
        error != simdjson::SUCCESS) {
      return base::Error{base::ErrorKind::Malformed,
                         fmt::format("{} items[{}]", file_, origin.item.value_or(0)),
                         std::string(refusal_of(error))};
    }
    if (form_ == Form::NotKnown && object["kind"].error() != simdjson::SUCCESS) {
      return hold(one, origin);
    }
    return add_object(object, one, origin, into_, 1);
  }

  base::Status hold(std::string_view one, const Origin& origin) {
    if (one.size() > most_parsed) return too_large(origin);
    untold_.add(one, origin.item.value_or(0));
    return untold_count_.count(file_);
  }

  /// Adds the items before the field that determines their kind.
  base::Status add_untold() {
    if (type_.foreign) {
      into_.builder.skip(untold_.items());
      return std::monostate{};
    }
    if (type_.of) into_.builder.mark_seen(*type_.of);
    return untold_.take([&](std::string_view one, std::size_t index) -> base::Status {
      const Origin origin{file_, index};
      if (type_.of) return into_.builder.add_json(one, type_.of, origin);
      simdjson::dom::object object;
      if (parser_.parse(one.data(), one.size(), false).get(object) != simdjson::SUCCESS) {
        return std::monostate{};
      }
      return add_object(object, one, origin, into_, 1);
    });
  }

  /// Adds a list without items, or another object.
  base::Status add_whole(std::string text) {
    const std::size_t size = text.size();
    text.append(json_padding, ' ');
    const auto one = std::string_view(text).substr(0, size);
    const auto head = item_head(one);
    if (size > most_parsed && is_plain(head) && !kind_of(head->api_version, head->kind)) {
      into_.builder.skip(1);
      return std::monostate{};
    }
    if (size > most_parsed) return too_large({file_});
    if (head && !head->kind.ends_with("List")) {
      if (const auto kind = kind_of(head->api_version, head->kind)) {
        return into_.builder.add_json(one, kind, {file_});
      }
    }
    simdjson::dom::object object;
    if (const auto error = parser_.parse(text.data(), size, false).get(object);
        error != simdjson::SUCCESS) {
      return base::Error{base::ErrorKind::Malformed, file_, std::string(refusal_of(error))};
    }
    return add_object(object, one, {file_}, into_, 0);
  }

  std::string file_;
  const ObjectSink& into_;
  ItemSplitter splitter_;
  Form form_ = Form::NotKnown;
  bool awaits_group_ = false;  // the kind is known, but the apiVersion is not
  ListType type_;
  std::unique_ptr<OpenList> list_;
  HeldItems untold_;
  ObjectLimit untold_count_;
  simdjson::dom::parser parser_;
  ItemBatches batches_;  // of pods and nodes
};

JsonStream::JsonStream(std::string file, const ObjectSink& into)
    : file_(std::move(file)), into_(into) {}
JsonStream::~JsonStream() = default;

base::Status JsonStream::feed(std::string_view chunk) {
  while (!chunk.empty()) {
    if (!other_.empty()) return add_other(chunk);
    if (log_) {
      chunk = log_->skip(chunk);
      if (log_->is_over()) log_.reset();
      continue;
    }
    if (!value_) {
      const std::size_t start = chunk.find_first_not_of(" \t\r\n");
      if (start == chunk.npos) break;
      chunk.remove_prefix(start);
      if (LogSection::opens(chunk)) {
        log_.emplace();
        continue;
      }
      if (chunk.front() != '{') {
        other_ = chunk;
        break;
      }
      value_ = std::make_unique<Value>(file_, into_);
    }
    if (auto fed = value_->feed(chunk); !fed) return fed;
    if (!value_->closed()) break;
    chunk = value_->rest();
    if (auto added = std::exchange(value_, nullptr)->finish(); !added) return added;
  }
  return std::monostate{};
}

base::Status JsonStream::add_other(std::string_view chunk) {
  other_ += chunk;
  if (other_.size() <= most_other) return std::monostate{};
  return base::Error{
      base::ErrorKind::Malformed, file_,
      fmt::format("more than {} MiB behind the last object of JSON, which is the limit",
                  most_other >> 20U)};
}

base::Status JsonStream::finish() {
  if (log_) {
    (void)log_->skip("\n");  // the last line may have no end
    if (!log_->is_over()) return log_->cut_off(file_);
  }
  return value_ ? std::exchange(value_, nullptr)->finish() : base::Status(std::monostate{});
}

std::string JsonStream::take_other() { return std::exchange(other_, {}); }

}  // namespace dsdoctor::decode
