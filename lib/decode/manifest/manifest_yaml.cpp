// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "decode/manifest/manifest_value.h"
#include "decode/yaml/yaml_events.h"
#include "decode/yaml/yaml_scalar.h"

namespace dsdoctor::decode {
namespace {

struct TooManyValues {};

/// Builds values from the parser's events, with aliases and merge keys resolved.
class ManifestYaml {
 public:
  ManifestYaml(std::string_view text, const ManifestSink& sink)
      : text_(text), offsets_(text), sink_(sink) {}

  void add(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        anchors_.clear();
        open_.clear();
        return;
      case YAML_ALIAS_EVENT: return add_alias(event);
      case YAML_SCALAR_EVENT: return add_scalar(event);
      case YAML_SEQUENCE_START_EVENT:
        return open(event, event.data.sequence_start.anchor, ManifestValue::Kind::List);
      case YAML_MAPPING_START_EVENT:
        return open(event, event.data.mapping_start.anchor, ManifestValue::Kind::Map);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: return close();
      case YAML_NO_EVENT:
      case YAML_STREAM_START_EVENT:
      case YAML_STREAM_END_EVENT:
      case YAML_DOCUMENT_END_EVENT: return;
    }
  }

 private:
  struct Open {
    ManifestValue value;
    std::size_t start = 1;  // line
    std::string anchor;
    std::optional<std::string> key = {};  // of a map; its value comes next
    bool merges = false;                  // the key is `<<`
    std::size_t line = 0;                 // of the key
    std::vector<ManifestEntry> merged = {};
  };

  static std::size_t line_of(const yaml_event_t& event) { return event.start_mark.line + 1; }

  [[nodiscard]] bool key_is_next() const {
    return !open_.empty() && open_.back().value.kind == ManifestValue::Kind::Map &&
           !open_.back().key;
  }

  void count() {
    if (left_-- == 0) throw TooManyValues();
  }

  ManifestValue copy_of(const ManifestValue& value) {
    count();
    ManifestValue copy{value.kind, value.text, {}};
    copy.entries.reserve(value.entries.size());
    for (const ManifestEntry& entry : value.entries) {
      copy.entries.push_back({entry.key, entry.line, copy_of(entry.value)});
    }
    return copy;
  }

  void add_alias(const yaml_event_t& event) {
    const ManifestValue& value = anchors_[std::string(text_of(event.data.alias.anchor))];
    if (key_is_next()) {
      open_.back().key = value.text;
      open_.back().line = line_of(event);
    } else {
      add_value(line_of(event), {}, copy_of(value));
    }
  }

  void add_scalar(const yaml_event_t& event) {
    const std::string_view text(reinterpret_cast<const char*>(event.data.scalar.value),
                                event.data.scalar.length);
    const std::string_view anchor = text_of(event.data.scalar.anchor);
    const bool typed = has_typed_content(event, text_, offsets_);
    auto key = typed ? plain_key(text) : std::string(text);
    if (!key_is_next()) {
      const auto kind = key ? ManifestValue::Kind::Scalar : ManifestValue::Kind::Null;
      return add_value(line_of(event), anchor, {kind, std::string(text), {}});
    }
    Open& parent = open_.back();
    parent.key = std::move(key).value_or(std::string(text));
    parent.merges = typed && text == "<<";
    parent.line = line_of(event);
    if (!anchor.empty()) keep(anchor, {ManifestValue::Kind::Scalar, *parent.key, {}});
  }

  void open(const yaml_event_t& event, const yaml_char_t* anchor, ManifestValue::Kind kind) {
    open_.push_back({{kind, {}, {}}, line_of(event), std::string(text_of(anchor))});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (!done.merged.empty()) {  // written keys replace those from `<<`
      std::set<std::string> keys;
      for (const ManifestEntry& entry : done.value.entries) keys.insert(entry.key);
      for (ManifestEntry& entry : done.merged) {
        if (keys.insert(entry.key).second) done.value.entries.push_back(std::move(entry));
      }
    }
    add_value(done.start, done.anchor, std::move(done.value));
  }

  void keep(std::string_view anchor, ManifestValue value) {
    anchors_.insert_or_assign(std::string(anchor), std::move(value));
  }

  void add_value(std::size_t line, std::string_view anchor, ManifestValue value) {
    count();
    if (!anchor.empty()) keep(anchor, copy_of(value));
    if (open_.empty()) return sink_(value);
    Open& parent = open_.back();
    if (parent.value.kind == ManifestValue::Kind::List) {
      parent.value.entries.push_back({{}, line, std::move(value)});
      return;
    }
    std::string key = std::exchange(parent.key, std::nullopt).value_or("");
    if (std::exchange(parent.merges, false)) return merge(parent.merged, std::move(value));
    parent.value.entries.push_back({std::move(key), parent.line, std::move(value)});
  }

  /// `value` is a map, or a list of maps.
  static void merge(std::vector<ManifestEntry>& into, ManifestValue value) {
    if (value.kind == ManifestValue::Kind::List) {
      for (ManifestEntry& one : value.entries) merge(into, std::move(one.value));
      return;
    }
    for (ManifestEntry& entry : value.entries) into.push_back(std::move(entry));
  }

  std::string_view text_;
  YamlOffsets offsets_;
  const ManifestSink& sink_;
  std::vector<Open> open_;
  std::map<std::string, ManifestValue> anchors_;
  std::size_t left_ = most_manifest_values;
};

}  // namespace

bool read_manifest_yaml(std::string_view yaml, const ManifestSink& sink) {
  std::string copy;
  const std::string_view text = without_byte_order_marks(yaml, copy);
  YamlEvents events(text);
  ManifestYaml values(text, sink);
  try {
    for (;;) {
      const yaml_event_t& event = events.next();
      if (event.type == YAML_STREAM_END_EVENT) return true;
      values.add(event);
    }
  } catch (const TooManyValues&) {
    return false;
  } catch (const YamlStop&) {  // impossible: the text was parsed before
    return false;
  }
}

}  // namespace dsdoctor::decode
