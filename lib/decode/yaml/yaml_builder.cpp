// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "decode/yaml/yaml_scalar.h"

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

// Bytes that a value takes besides its content: an allocation of its own, and for an entry of a
// mapping the tree node with the key.
constexpr std::size_t of_value = 64;
constexpr std::size_t of_entry = 112;
constexpr std::size_t of_anchor = 200;  // yaml-cpp keeps its name

// A text is written as JSON, where a character can take six bytes.
constexpr std::size_t of_character = 4;

// Bytes for a list, a mapping or a plain entry of a list, which yaml-cpp keeps until the end of the
// file.
constexpr std::size_t of_part = 56;
constexpr std::size_t most_of_parts = std::size_t{20} << 20U;
constexpr std::size_t most_of_parts_per_byte = 2;

constexpr std::size_t most_warnings = 1000;

/// Reports whether the text of a scalar with this tag determines its type.
bool is_typed_by_content(std::string_view tag) {
  constexpr std::string_view core = "tag:yaml.org,2002:";
  if (tag == "?") return true;
  if (!tag.starts_with(core)) return false;
  tag.remove_prefix(core.size());
  return tag == "int" || tag == "float" || tag == "bool" || tag == "null";
}

/// Reports whether another document may begin here: at `---`, or after `...` and comments.
bool may_open_document(std::string_view text, const YAML::Mark& mark) {
  const std::size_t at = offset_of(text, mark);
  if (text.substr(at, 3) == "---") return true;
  std::string_view before = text.substr(0, text.rfind('\n', at) + 1);  // npos + 1 is 0
  while (!before.empty()) {
    before.remove_suffix(1);  // the line feed
    const std::size_t line_start = before.rfind('\n') + 1;
    const std::string_view line = before.substr(line_start);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return line.starts_with("...");
    before = before.substr(0, line_start);
  }
  return false;
}

/// Bytes of a copy of the value. The recursion is bounded, because no value is nested deeper than
/// the limit.
std::size_t bytes_of(const json& value) {
  std::size_t bytes = of_value;
  if (value.is_string()) bytes += value.get_ref<const std::string&>().size();
  if (!value.is_structured()) return bytes;
  for (const auto& [key, element] : value.items()) {
    bytes += bytes_of(element);
    if (value.is_object()) bytes += of_entry + key.size();
  }
  return bytes;
}

std::string as_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::size_t offset_of(std::string_view text, const YAML::Mark& mark) {
  return std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text.size());
}

/// yaml-cpp begins a document at any remaining text, and at some characters does so forever,
/// because it does not consume them.
void YamlBuilder::OnDocumentStart(const YAML::Mark& mark) {
  const bool stuck = document_start_ == mark.pos;
  if (document_start_ && (stuck || !may_open_document(text_, mark))) {
    throw YamlStop(mark,
                   "unexpected text after the value: a line is not indented like the others, or a "
                   "document does not begin with ---");
  }
  document_start_ = mark.pos;
  anchors_.forget();
  open_.clear();
  document_.reset();
  streaming_ = Streaming::No;
  before_ = nullptr;
  written_items_ = 0;
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  source_.passed(offset_of(text_, mark));
  if (key_is_next()) throw YamlStop(mark, "a key is missing; null is not a key");
  if (!open_.empty() && open_.back().block && open_.back().key_at == mark.pos) {
    throw YamlStop(mark, "the colon after this key is missing; is the file cut off?");
  }
  finish(mark, anchor, nullptr);
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  source_.passed(offset_of(text_, mark));
  const bool typed = is_typed_by_content(tag);
  if (tag != "?") last_quoted_ = mark;
  hold(mark, of_character * value.size());
  if (!key_is_next()) return finish(mark, anchor, typed ? plain_scalar(value) : json(value));
  Open& parent = open_.back();
  parent.key = typed ? plain_key(value) : value;
  if (!parent.key) throw YamlStop(mark, "a key is missing; null is not a key");
  parent.key_at = mark.pos;
  parent.merges = typed && value == "<<";
  if (anchor != 0) keep(mark, anchor, *parent.key);
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  source_.passed(offset_of(text_, mark));
  const json* found = anchors_.find(anchor);
  if (found == nullptr) throw YamlStop(mark, "an alias refers to a value that contains it");
  if (key_is_next()) {
    if (!found->is_string()) throw YamlStop(mark, "an alias of a key is not a string");
    open_.back().key = found->get<std::string>();
    return;
  }
  std::size_t depth = 0;
  if (auto wrong = anchors_.count_alias(*found, depth)) throw YamlStop(mark, *std::move(wrong));
  if (open_.size() + depth > max_yaml_depth) throw YamlStop(mark, yaml_too_deep);
  hold(mark, bytes_of(*found));
  finish(mark, 0, json(*found));
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value /*style*/) {
  const bool streams = begins_stream(anchor);
  open(mark, anchor, json::array());
  if (streams) begin_stream(mark);
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/,
                             YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  open(mark, anchor, json::object());
  open_.back().block = style == YAML::EmitterStyle::Block;
}

/// Values with an anchor are not streamed, because an alias may need them.
bool YamlBuilder::begins_stream(YAML::anchor_t anchor) const {
  if (!write_ || anchor != 0) return false;
  if (open_.empty()) return true;
  return open_.size() == 1 && open_.front().anchor == 0 && open_.front().key == "items";
}

void YamlBuilder::begin_stream(const YAML::Mark& mark) {
  if (streaming_ == Streaming::Done) throw YamlStop(mark, "items is given twice");
  streaming_ = Streaming::Items;
  if (open_.size() == 1) return write_(R"({"items":[)");
  before_ = std::exchange(open_.front().value, json::object());
  const std::string fields = as_text(before_);
  write_(std::string_view(fields).substr(0, fields.size() - 1));  // without the closing brace
  write_(before_.empty() ? R"("items":[)" : R"(,"items":[)");
  held_around_ = held_;
}

bool YamlBuilder::is_item_next() const {
  return streaming_ == Streaming::Items && open_.back().value.is_array() &&
         open_.size() == (before_.is_null() ? 1U : 2U);
}

/// Counts `bytes` that stay in memory until the value is passed on. Throws beyond the limit.
void YamlBuilder::hold(const YAML::Mark& mark, std::size_t bytes) {
  held_ += bytes;
  if (held_ <= most_held) return;
  const auto anchored = std::ranges::find_if(open_.rbegin(), open_.rend(),
                                             [](const Open& one) { return one.anchor != 0; });
  if (anchored != open_.rend() && held_ > YamlAnchors::most_anchored * text_.size()) {
    throw YamlStop(anchored->mark, YamlAnchors::too_large());
  }
  throw YamlStop(
      mark, fmt::format("one object of this YAML takes more than {} MiB of memory, the limit; an "
                        "API server accepts 3 MiB of text, and large lists are read as items",
                        most_held >> 20U));
}

void YamlBuilder::count_part(const YAML::Mark& mark) {
  const std::size_t most = (most_of_parts + most_of_parts_per_byte * text_.size()) / of_part;
  if (++parts_ <= most) return;
  throw YamlStop(mark,
                 fmt::format("more than {} lists, mappings and plain entries of lists, the limit "
                             "for YAML of this size; write it as JSON",
                             most));
}

void YamlBuilder::open(const YAML::Mark& mark, YAML::anchor_t anchor, json value) {
  count_part(mark);
  source_.passed(offset_of(text_, mark));
  if (key_is_next()) {
    const std::size_t at = offset_of(text_, mark);
    const bool placeholder = at > 0 && text_.substr(at - 1, 2) == "{{";
    throw YamlStop(mark,
                   fmt::format("a mapping or list is used as a key; {}",
                               placeholder ? "is this a template that was not rendered?"
                                           : "is a bracket not closed, or the file cut off?"));
  }
  if (open_.size() == max_yaml_depth) throw YamlStop(mark, yaml_too_deep);
  open_.push_back({std::move(value), anchor, mark});
}

void YamlBuilder::close() {
  const bool ends_stream = is_item_next();
  Open done = std::move(open_.back());
  open_.pop_back();
  if (!ends_stream) return finish(done.mark, done.anchor, std::move(done.value));
  write_("]");
  streaming_ = Streaming::Done;
  if (open_.empty()) {
    document_ = json::object();
  } else {
    open_.back().key.reset();
  }
}

void YamlBuilder::finish(const YAML::Mark& mark, YAML::anchor_t anchor, json value) {
  if (!open_.empty() && open_.back().value.is_array() && !value.is_structured()) count_part(mark);
  hold(mark, of_value);
  if (anchor != 0) keep(mark, anchor, value);
  if (open_.empty()) {
    document_ = std::move(value);
  } else if (is_item_next()) {
    if (written_items_++ > 0) write_(",");
    write_(as_text(value));
    held_ = held_around_ + anchors_.held();
  } else if (open_.back().value.is_array()) {
    open_.back().value.push_back(std::move(value));
  } else {
    add(open_.back(), mark, std::move(value));
  }
}

void YamlBuilder::keep(const YAML::Mark& mark, YAML::anchor_t anchor, const json& value) {
  const std::size_t bytes = bytes_of(value) + of_anchor;
  if (auto wrong = anchors_.keep(anchor, value, bytes)) throw YamlStop(mark, *std::move(wrong));
  hold(mark, bytes);
}

void YamlBuilder::add(Open& parent, const YAML::Mark& mark, json value) {
  const std::string key = *std::exchange(parent.key, std::nullopt);
  if (std::exchange(parent.merges, false)) return merge(parent, mark, value);
  const bool around = open_.size() == 1 && before_.is_object();
  if ((parent.value.contains(key) || (around && (before_.contains(key) || key == "items"))) &&
      !parent.merged.contains(key)) {
    if (around && key == "items") throw YamlStop(mark, "items is given twice");
    warn(mark, key);
  }
  parent.merged.erase(key);
  hold(mark, of_entry);
  parent.value[key] = std::move(value);
}

void YamlBuilder::warn(const YAML::Mark& mark, const std::string& key) {
  if (++duplicate_keys_ > most_warnings) return;
  warnings_.push_back(
      {fmt::format("{}:{}", file_, mark.line + 1),
       fmt::format("duplicate key \"{}\" in one mapping; the last one counts{}", key,
                   duplicate_keys_ == most_warnings ? "; further ones are not listed" : "")});
}

/// Merges like kubectl's parser: a merged key replaces one before the `<<`, and the first of
/// several mappings wins.
void YamlBuilder::merge(Open& parent, const YAML::Mark& mark, const json& value) {
  const json sources = value.is_array() ? value : json::array({value});
  hold(mark, 2 * bytes_of(sources));  // there are two copies of the keys
  for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
    if (!source->is_object()) throw YamlStop(mark, "<< supports mappings only");
    for (const auto& [key, element] : source->items()) {
      parent.value[key] = element;
      parent.merged.insert(key);
    }
  }
}

}  // namespace dsdoctor::decode
