// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "decode/yaml/yaml_scalar.h"

namespace dsdoctor::decode {
namespace {

// Bytes that a value takes besides its content: an allocation of its own, and for an entry of a
// mapping the tree node with the key.
constexpr std::size_t of_value = 64;
constexpr std::size_t of_entry = 112;

constexpr std::size_t of_character = 4;

// Up to this number of keys in a mapping, comparing them is faster than a table.
constexpr std::size_t few_keys = 24;

constexpr std::size_t most_warnings = 1000;

constexpr std::string_view items_key = R"("items")";
constexpr const char* items_twice = "items is given twice";

std::string parsed_key(std::string_view quoted) {
  return nlohmann::json::parse(quoted).get<std::string>();
}

}  // namespace

void YamlWriter::begin_document() {
  anchors_.forget();
  open_.clear();
  entries_.clear();
  json_.clear();
  streaming_ = Streaming::No;
  bare_ = has_kind_ = has_metadata_ = wrote_item_ = has_odd_item_ = false;
  before_.clear();
}

void YamlWriter::add(const yaml_event_t& event) {
  switch (event.type) {
    case YAML_SCALAR_EVENT: return add_scalar(event);
    case YAML_ALIAS_EVENT: return add_alias(event);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: return open(event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return close();
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_START_EVENT:
    case YAML_DOCUMENT_END_EVENT: return;
  }
}

void YamlWriter::add_scalar(const yaml_event_t& event) {
  const yaml_mark_t& mark = event.start_mark;
  const std::string_view text(reinterpret_cast<const char*>(event.data.scalar.value),
                              event.data.scalar.length);
  const std::string_view anchor = text_of(event.data.scalar.anchor);
  const bool typed = has_typed_content(event, input_.text, offsets_);
  const std::size_t bytes = of_value + of_character * text.size();
  hold_value(mark, of_character * text.size());
  if (!key_is_next()) {
    const std::size_t begin = begin_value();
    const auto write = typed ? write_plain : write_quoted;
    write(json_, text);
    return finish(mark, anchor, begin, bytes, 1);
  }
  const auto key = typed ? plain_key(text) : std::string(text);
  if (!key) throw YamlStop(mark, "a key is missing; null is not a key");
  std::string quoted;
  write_quoted(quoted, *key);
  open_.back().merges = typed && text == "<<";
  add_key(quoted);
  if (!anchor.empty()) keep(mark, anchor, {std::move(quoted), bytes, 1});
}

void YamlWriter::add_alias(const yaml_event_t& event) {
  const yaml_mark_t& mark = event.start_mark;
  const std::string_view anchor = text_of(event.data.alias.anchor);
  const YamlAnchors::Value* const found = anchors_.find(anchor);
  if (found == nullptr) {
    const bool contains = std::ranges::find(open_, anchor, &Open::anchor) != open_.end();
    throw YamlStop(mark, contains ? "an alias refers to a value that contains it"
                                  : "an alias refers to an anchor that is not defined");
  }
  if (key_is_next()) {
    if (!found->json.starts_with('"')) throw YamlStop(mark, "an alias of a key is not a string");
    return add_key(found->json);
  }
  if (auto wrong = anchors_.count_alias(*found)) throw YamlStop(mark, *std::move(wrong));
  if (open_.size() + found->depth > max_yaml_depth) {
    throw YamlStop(mark, yaml_too_deep);
  }
  hold_value(mark, found->bytes - of_value);
  const std::size_t begin = begin_value();
  json_ += found->json;
  finish(mark, {}, begin, 0, found->depth);
}

void YamlWriter::add_key(std::string_view quoted) {
  Open& mapping = open_.back();
  mapping.has_key = true;
  if (mapping.merges) return;  // its value replaces it
  if (std::exchange(mapping.has_values, true)) json_ += ',';
  entries_.push_back({json_.size(), quoted.size()});
  json_ += quoted;
  json_ += ':';
}

/// Writes what separates the next value from the one before it. Returns the offset of the value.
std::size_t YamlWriter::begin_value() {
  const bool in_list = !open_.empty() && !open_.back().is_map;
  if (in_list && std::exchange(open_.back().has_values, true) && !is_item_next()) json_ += ',';
  return json_.size();
}

/// Values with an anchor are not streamed, because an alias may need them.
bool YamlWriter::begins_stream(std::string_view anchor) const {
  if (!write_ || !anchor.empty()) return false;
  if (open_.empty()) return true;
  return open_.size() == 1 && open_.front().has_key && !open_.front().merges &&
         open_.front().anchor.empty() && key_of(entries_.back()) == items_key;
}

void YamlWriter::begin_stream(const yaml_mark_t& mark) {
  if (streaming_ == Streaming::Done) throw YamlStop(mark, items_twice);
  streaming_ = Streaming::Items;
  bare_ = open_.size() == 1;
  if (bare_) {
    json_ = R"({"items":[)";
  } else {
    Open& around = open_.front();
    entries_.back().end = json_.size();
    for (const Entry& entry : entries_) {
      if (!before_.emplace(key_of(entry)).second && key_of(entry) == items_key) {
        throw YamlStop(mark, items_twice);
      }
    }
    if (std::exchange(around.has_replaced, false)) drop_replaced(around);
    entries_.clear();
    around.keys.reset();
  }
  write_(std::exchange(json_, {}));
  held_around_ = held_;
}

bool YamlWriter::is_item_next() const {
  return streaming_ == Streaming::Items && open_.size() == (bare_ ? 1U : 2U);
}

/// Counts `bytes` that stay in memory until the value is passed on. Throws beyond the limit.
void YamlWriter::hold(const yaml_mark_t& mark, std::size_t bytes) {
  held_ += bytes;
  if (held_ <= most_held) return;
  const auto anchored = std::ranges::find_if(open_.rbegin(), open_.rend(),
                                             [](const Open& one) { return !one.anchor.empty(); });
  if (anchored != open_.rend() && held_ > YamlAnchors::most_anchored * input_.text.size()) {
    throw YamlStop(anchored->mark, YamlAnchors::too_large());
  }
  throw YamlStop(
      mark, fmt::format("one object of this YAML takes more than {} MiB of memory, the limit; an "
                        "API server accepts 3 MiB of text, and large lists are read as items",
                        most_held >> 20U));
}

void YamlWriter::hold_value(const yaml_mark_t& mark, std::size_t bytes) {
  value_bytes_ += bytes;
  hold(mark, bytes + YamlAnchors::of_anchor);
}

void YamlWriter::open(const yaml_event_t& event) {
  const yaml_mark_t& mark = event.start_mark;
  const bool is_map = event.type == YAML_MAPPING_START_EVENT;
  const std::string_view anchor =
      text_of(is_map ? event.data.mapping_start.anchor : event.data.sequence_start.anchor);
  if (key_is_next()) {
    const std::size_t at = offsets_.of(mark.index);
    const bool placeholder = at > 0 && input_.text.substr(at - 1, 2) == "{{";
    throw YamlStop(mark,
                   fmt::format("a mapping or list is used as a key; {}",
                               placeholder ? "is this a template that was not rendered?"
                                           : "is a bracket not closed, or the file cut off?"));
  }
  if (open_.size() == max_yaml_depth) throw YamlStop(mark, yaml_too_deep);
  const bool streams = !is_map && begins_stream(anchor);
  const std::size_t begin = begin_value();
  json_ += is_map ? '{' : '[';
  if (!anchor.empty()) anchors_.forget(anchor);
  open_.push_back({.is_map = is_map,
                   .anchor = std::string(anchor),
                   .mark = mark,
                   .begin = begin,
                   .first_entry = entries_.size(),
                   .bytes_before = value_bytes_});
  if (streams) begin_stream(mark);
}

void YamlWriter::close() {
  if (is_item_next()) return end_stream();
  const Open done = std::move(open_.back());
  open_.pop_back();
  if (done.is_map) {
    if (done.has_replaced) drop_replaced(done);
    entries_.resize(done.first_entry);
  }
  json_ += done.is_map ? '}' : ']';
  const bool anchored_again = anchors_.find(done.anchor) != nullptr;  // the later place counts
  finish(done.mark, anchored_again ? std::string_view() : done.anchor, done.begin,
         value_bytes_ - done.bytes_before + of_value, done.depth + 1);
}

void YamlWriter::end_stream() {
  streaming_ = Streaming::Done;
  open_.pop_back();
  json_ += ']';
  if (bare_) {
    json_ += '}';
  } else {
    open_.back().has_key = false;
  }
}

/// Removes the entries that were replaced; the last one counts.
void YamlWriter::drop_replaced(const Open& mapping) {
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(mapping.first_entry);
  std::string kept;
  for (auto entry = first; entry != entries_.end(); ++entry) {
    if (entry->replaced) continue;
    if (!kept.empty()) kept += ',';
    kept.append(json_, entry->begin, entry->end - entry->begin);
  }
  json_.replace(first->begin, json_.npos, kept);
}

/// Ends a value that begins at `begin`, takes `bytes` as a value, and contains `depth` levels.
void YamlWriter::finish(const yaml_mark_t& mark, std::string_view anchor, std::size_t begin,
                        std::size_t bytes, std::size_t depth) {
  hold_value(mark, of_value);
  if (!anchor.empty()) keep(mark, anchor, {json_.substr(begin), bytes, depth});
  if (open_.empty()) return;
  open_.back().depth = std::max(open_.back().depth, depth);
  if (is_item_next()) {
    const bool counts = json_.starts_with('{') || !std::exchange(has_odd_item_, true);
    if (counts && std::exchange(wrote_item_, true)) write_(",");
    if (counts) write_(json_);
    json_.clear();
    held_ = held_around_ + anchors_.held();
  } else if (Open& parent = open_.back(); parent.is_map) {
    parent.has_key = false;
    if (std::exchange(parent.merges, false)) return merge(parent, mark, begin);
    add_entry(parent, mark);
  }
}

void YamlWriter::keep(const yaml_mark_t& mark, std::string_view anchor, YamlAnchors::Value value) {
  const std::size_t bytes = value.bytes;
  if (auto wrong = anchors_.keep(anchor, std::move(value))) {
    throw YamlStop(mark, *std::move(wrong));
  }
  hold(mark, bytes + YamlAnchors::of_anchor);
}

/// The earlier entry with the key of the last one; null if there is none.
YamlWriter::Entry* YamlWriter::replaced_by_last(Open& mapping) {
  const std::size_t last = entries_.size() - 1;
  const std::string_view key = key_of(entries_[last]);
  if (last - mapping.first_entry < few_keys) {
    for (std::size_t i = mapping.first_entry; i < last; ++i) {
      if (!entries_[i].replaced && key_of(entries_[i]) == key) return &entries_[i];
    }
    return nullptr;
  }
  if (!mapping.keys) {
    mapping.keys = std::make_unique<std::unordered_map<std::string, std::size_t>>();
    for (std::size_t i = mapping.first_entry; i < last; ++i) {
      (*mapping.keys)[std::string(key_of(entries_[i]))] = i;
    }
  }
  const auto [found, is_new] = mapping.keys->try_emplace(std::string(key), last);
  return is_new ? nullptr : &entries_[std::exchange(found->second, last)];
}

/// Ends the last entry of the innermost mapping.
void YamlWriter::end_last(const yaml_mark_t& mark) {
  Entry& entry = entries_.back();
  entry.end = json_.size();
  const std::string_view key = key_of(entry);
  if (open_.size() > 1) return;
  if (wrote_items() && key == items_key) throw YamlStop(mark, items_twice);
  if (key == R"("metadata")") has_metadata_ = true;
  if (key != R"("kind")") return;
  const std::string_view value = std::string_view(json_).substr(entry.begin + key.size() + 1);
  has_kind_ = value.starts_with('"') && value != R"("")";
}

/// Ends the last entry, which was written with key and value, and replaces an earlier one.
void YamlWriter::add_entry(Open& mapping, const yaml_mark_t& mark) {
  end_last(mark);
  const std::string_view key = key_of(entries_.back());
  Entry* const earlier = replaced_by_last(mapping);
  if (earlier != nullptr) earlier->replaced = mapping.has_replaced = true;
  const bool repeated = earlier != nullptr && !earlier->merged;
  const bool is_around = open_.size() == 1 && wrote_items();
  if (repeated || (is_around && before_.contains(std::string(key)))) warn(mark, key);
  hold_value(mark, of_entry);
}

void YamlWriter::warn(const yaml_mark_t& mark, std::string_view quoted) {
  if (++duplicate_keys_ > most_warnings) return;
  warnings_.push_back(
      {fmt::format("{}:{}", input_.file, mark.line + 1),
       fmt::format("duplicate key \"{}\" in one mapping; the last one counts{}", parsed_key(quoted),
                   duplicate_keys_ == most_warnings ? "; further ones are not listed" : "")});
}

/// Merges like kubectl's parser: a merged key replaces one before the `<<`, and the first of
/// several mappings wins. The value of `<<` begins at `begin`; nothing was written for the key.
void YamlWriter::merge(Open& mapping, const yaml_mark_t& mark, std::size_t begin) {
  nlohmann::json sources = nlohmann::json::parse(std::string_view(json_).substr(begin));
  json_.resize(begin);
  if (!sources.is_array()) sources = nlohmann::json::array({std::move(sources)});
  for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
    if (!source->is_object()) throw YamlStop(mark, "<< supports mappings only");
    for (const auto& [key, element] : source->items()) {
      std::string quoted;
      write_quoted(quoted, key);
      add_key(quoted);
      const std::string value = element.dump();
      json_ += value;
      hold_value(mark, of_value + of_entry + of_character * (quoted.size() + value.size()));
      end_last(mark);
      entries_.back().merged = true;
      Entry* const earlier = replaced_by_last(mapping);
      if (earlier != nullptr) earlier->replaced = mapping.has_replaced = true;
    }
  }
  mapping.has_key = false;
}

}  // namespace dsdoctor::decode
