// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decode/yaml/yaml_anchors.h"
#include "decode/yaml/yaml_events.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

inline constexpr std::size_t max_yaml_depth = 500;
inline constexpr const char* yaml_too_deep = "values are nested more than 500 levels deep";

/// Writes documents as JSON text, event by event.
class YamlWriter {
 public:
  /// Receives JSON piece by piece.
  using Write = std::function<void(std::string_view)>;

  /// Maximum memory in bytes of one value and all values with anchors: ten times a large API
  /// object.
  static constexpr std::size_t most_held = std::size_t{20} << 20U;

  struct Input {
    std::string_view text;  // the text that the events are of
    std::string_view file;
  };

  /// The data that `input` refers to must outlive the writer. With `write`, each item of a list is
  /// written there as soon as it is read, if the document is a list or has one in `items`; of the
  /// items that are not objects, only the first one, which is an error for every reader. Without
  /// `write`, `most_held` limits the whole file.
  YamlWriter(const Input& input, std::vector<model::Warning>& warnings, Write write = nullptr)
      : input_(input),
        warnings_(warnings),
        write_(std::move(write)),
        offsets_(input.text),
        anchors_(input.text.size()) {}

  void begin_document();
  /// Call for each event in a document. Throws YamlStop.
  void add(const yaml_event_t& event);

  /// The document that was read; if `wrote_items`, only the text from the end of the items.
  [[nodiscard]] std::string take() {
    if (write_) held_ = 0;
    return std::exchange(json_, {});
  }
  /// Reports whether the last document is a list, and was written as a JSON object up to the last
  /// item.
  [[nodiscard]] bool wrote_items() const { return streaming_ == Streaming::Done; }
  /// Reports whether the last document is an object with `items`, but with neither kind nor
  /// metadata, which come after them.
  [[nodiscard]] bool lacks_end() const {
    return wrote_items() && !bare_ && !has_kind_ && !has_metadata_;
  }

 private:
  enum class Streaming { No, Items, Done };

  /// A list or mapping that is not closed.
  struct Open {
    bool is_map = false;
    std::string anchor = {};
    yaml_mark_t mark = {};
    std::size_t begin = 0;         // offset of the bracket
    std::size_t first_entry = 0;   // of a mapping
    std::size_t bytes_before = 0;  // value_bytes_ before it
    std::size_t depth = 0;         // of the deepest value in it
    bool has_values = false;       // a comma is needed
    bool has_key = false;          // of a mapping; its value comes next
    bool merges = false;           // the key is `<<`
    bool has_replaced = false;     // some entries do not count
    std::unique_ptr<std::unordered_map<std::string, std::size_t>> keys = {};  // if many: the entry
  };

  /// An entry of an open mapping in the JSON text.
  struct Entry {
    std::size_t begin = 0;
    std::size_t key_size = 0;  // with quotes
    std::size_t end = 0;
    bool merged = false;    // by `<<`: replacing it is legitimate
    bool replaced = false;  // by a later entry
  };

  [[nodiscard]] bool key_is_next() const {
    return !open_.empty() && open_.back().is_map && !open_.back().has_key;
  }
  [[nodiscard]] bool begins_stream(std::string_view anchor) const;
  [[nodiscard]] bool is_item_next() const;
  void begin_stream(const yaml_mark_t& mark);
  void hold(const yaml_mark_t& mark, std::size_t bytes);
  void hold_value(const yaml_mark_t& mark, std::size_t bytes);
  void add_scalar(const yaml_event_t& event);
  void add_alias(const yaml_event_t& event);
  void add_key(std::string_view quoted);
  std::size_t begin_value();
  void open(const yaml_event_t& event);
  void close();
  void end_stream();
  void drop_replaced(const Open& mapping);
  void finish(const yaml_mark_t& mark, std::string_view anchor, std::size_t begin,
              std::size_t bytes, std::size_t depth);
  void keep(const yaml_mark_t& mark, std::string_view anchor, YamlAnchors::Value value);
  [[nodiscard]] std::string_view key_of(const Entry& entry) const {
    return std::string_view(json_).substr(entry.begin, entry.key_size);
  }
  Entry* replaced_by_last(Open& mapping);
  void end_last(const yaml_mark_t& mark);
  void add_entry(Open& mapping, const yaml_mark_t& mark);
  void merge(Open& mapping, const yaml_mark_t& mark, std::size_t begin);
  void warn(const yaml_mark_t& mark, std::string_view quoted);

  Input input_;
  std::vector<model::Warning>& warnings_;
  Write write_;
  YamlOffsets offsets_;
  YamlAnchors anchors_;
  std::string json_;  // of this document, without what was written
  std::vector<Open> open_;
  std::vector<Entry> entries_;  // of all open mappings

  Streaming streaming_ = Streaming::No;
  bool bare_ = false;      // the document itself is the list
  bool has_kind_ = false;  // the document is a mapping with a kind
  bool has_metadata_ = false;
  std::set<std::string> before_{};  // the keys before the items, in quotes
  bool wrote_item_ = false;
  bool has_odd_item_ = false;       // an item is not an object
  std::size_t value_bytes_ = 0;     // of all values of the file, approximately
  std::size_t held_ = 0;            // bytes of the values in memory, approximately
  std::size_t held_around_ = 0;     // the part for the fields around the items
  std::size_t duplicate_keys_ = 0;  // warnings about them so far
};

}  // namespace dsdoctor::decode
