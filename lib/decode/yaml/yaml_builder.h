// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/yaml/yaml_anchors.h"
#include "decode/yaml/yaml_source.h"
#include "model/cluster.h"

namespace dsdoctor::decode {

inline constexpr std::size_t max_yaml_depth = 500;
inline constexpr const char* yaml_too_deep = "values are nested more than 500 levels deep";

/// Thrown by an event handler to stop the parser; caught by the parser's caller.
struct YamlStop : std::exception {
  YamlStop(YAML::Mark where, std::string text) : mark(where), what_text(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_text.c_str(); }
  YAML::Mark mark;
  std::string what_text;
};

/// The offset of `mark` in `text`, in bytes.
[[nodiscard]] std::size_t offset_of(std::string_view text, const YAML::Mark& mark);

/// Builds a value from the parser's events.
class YamlBuilder final : public YAML::EventHandler {
 public:
  /// Receives JSON piece by piece.
  using Write = std::function<void(std::string_view)>;

  /// Maximum memory in bytes of one value and all values with anchors: ten times a large API
  /// object.
  static constexpr std::size_t most_held = std::size_t{20} << 20U;

  struct Input {
    std::string_view text;  // the parser's input
    std::string_view file;
    YamlSource& source;  // supplies the text to the parser
  };

  /// The data that `input` refers to must outlive the builder. With `write`, each item of a list is
  /// written there as soon as it is read, if the document is a list or has one in `items`. Without
  /// `write`, `most_held` limits the whole file.
  YamlBuilder(const Input& input, std::vector<model::Warning>& warnings, Write write = nullptr)
      : text_(input.text),
        file_(input.file),
        source_(input.source),
        warnings_(warnings),
        write_(std::move(write)),
        anchors_(input.text.size()) {}

  /// The start of the last scalar that may be in quotes.
  [[nodiscard]] const std::optional<YAML::Mark>& last_quoted() const { return last_quoted_; }
  /// The document that was read; if `wrote_items`, only the fields after the items.
  [[nodiscard]] std::optional<nlohmann::json> take() {
    if (write_) held_ = 0;
    return std::exchange(document_, std::nullopt);
  }
  /// Reports whether the last document is a list, and was written as a JSON object up to the end of
  /// its field `items`.
  [[nodiscard]] bool wrote_items() const { return streaming_ == Streaming::Done; }
  /// The fields before the items. Null if the document itself is the list.
  [[nodiscard]] const nlohmann::json& before_items() const { return before_; }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

 private:
  enum class Streaming { No, Items, Done };

  struct Open {
    nlohmann::json value;
    YAML::anchor_t anchor = 0;
    YAML::Mark mark;
    std::optional<std::string> key = {};  // of a mapping; its value comes next
    int key_at = -1;                      // offset of the last key
    bool block = false;                   // a mapping without brackets
    bool merges = false;                  // the key is `<<`
    std::set<std::string> merged = {};    // keys from `<<`: replacing them is legitimate
  };

  [[nodiscard]] bool key_is_next() const {
    return !open_.empty() && open_.back().value.is_object() && !open_.back().key;
  }
  [[nodiscard]] bool begins_stream(YAML::anchor_t anchor) const;
  [[nodiscard]] bool is_item_next() const;
  void count_part(const YAML::Mark& mark);
  void begin_stream(const YAML::Mark& mark);
  void hold(const YAML::Mark& mark, std::size_t bytes);
  void open(const YAML::Mark& mark, YAML::anchor_t anchor, nlohmann::json value);
  void close();
  void finish(const YAML::Mark& mark, YAML::anchor_t anchor, nlohmann::json value);
  void keep(const YAML::Mark& mark, YAML::anchor_t anchor, const nlohmann::json& value);
  void add(Open& parent, const YAML::Mark& mark, nlohmann::json value);
  void merge(Open& parent, const YAML::Mark& mark, const nlohmann::json& value);
  void warn(const YAML::Mark& mark, const std::string& key);

  std::string_view text_;
  std::string_view file_;
  YamlSource& source_;
  std::vector<model::Warning>& warnings_;
  Write write_;
  std::optional<int> document_start_;  // offset of the last document
  YamlAnchors anchors_;
  std::vector<Open> open_;
  std::optional<nlohmann::json> document_;
  std::optional<YAML::Mark> last_quoted_;

  Streaming streaming_ = Streaming::No;
  nlohmann::json before_;           // the fields before the items
  std::size_t written_items_ = 0;   // in this document
  std::size_t held_ = 0;            // bytes of the values, approximately
  std::size_t held_around_ = 0;     // the part for the fields around the items
  std::size_t parts_ = 0;           // lists, mappings and entries of lists
  std::size_t duplicate_keys_ = 0;  // warnings about them so far
};

}  // namespace dsdoctor::decode
