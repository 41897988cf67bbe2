// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_place.h"

#include <fmt/format.h>

#include <utility>

#include "decode/yaml/yaml_events.h"

namespace dsdoctor::decode {
namespace {

/// Walks the events of one document, and keeps the mark of the last step of the path that exists.
class Walker {
 public:
  explicit Walker(const std::vector<std::string>& path) : path_(path) {}

  [[nodiscard]] const yaml_mark_t& mark() const { return mark_; }

  void add(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        (void)begin(event.start_mark, text_of(event.data.scalar.value));
        break;
      case YAML_ALIAS_EVENT: (void)begin(event.start_mark, {}); break;
      case YAML_SEQUENCE_START_EVENT:
      case YAML_MAPPING_START_EVENT: {
        const bool on_path = begin(event.start_mark, {});
        levels_.push_back({event.type == YAML_MAPPING_START_EVENT, on_path});
        break;
      }
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: levels_.pop_back(); break;
      case YAML_DOCUMENT_START_EVENT: mark_ = event.start_mark; break;
      case YAML_NO_EVENT:
      case YAML_STREAM_START_EVENT:
      case YAML_STREAM_END_EVENT:
      case YAML_DOCUMENT_END_EVENT: break;
    }
  }

 private:
  struct Level {
    bool is_map = false;
    bool on_path = false;  // this list or mapping is a step of the path
    bool at_value = false;
    bool step = false;  // the next node is the next step of the path
    std::size_t index = 0;
  };

  /// Handles the start of a node. Returns true if it is a step of the path.
  bool begin(const yaml_mark_t& mark, std::string_view word) {
    if (levels_.empty()) {
      mark_ = mark;
      return true;
    }
    Level& parent = levels_.back();
    const std::size_t depth = levels_.size() - 1;
    const bool wanted = parent.on_path && depth < path_.size();
    if (!parent.is_map) {
      const bool found = wanted && path_[depth] == std::to_string(parent.index++);
      if (found) mark_ = mark;
      return found;
    }
    parent.at_value = !parent.at_value;
    if (!parent.at_value) return std::exchange(parent.step, false);
    parent.step = wanted && path_[depth] == word;
    if (parent.step) mark_ = mark;
    return false;
  }

  const std::vector<std::string>& path_;
  std::vector<Level> levels_;
  yaml_mark_t mark_{};
};

}  // namespace

std::string yaml_place(const std::string& text, std::string_view file,
                       const std::vector<std::string>& path) {
  Walker walker(path);
  try {
    YamlEvents events(text);
    for (bool ended = false; !ended;) {
      const yaml_event_t& event = events.next();
      walker.add(event);
      ended = event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT;
    }
  } catch (const YamlStop&) {  // impossible: the text was parsed before
    return std::string(file);
  }
  return fmt::format("{}:{}:{}", file, walker.mark().line + 1, walker.mark().column + 1);
}

}  // namespace dsdoctor::decode
