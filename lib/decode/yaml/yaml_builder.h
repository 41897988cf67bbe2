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

/// Ends the parse from within an event; caught where the parser is called.
struct YamlStop : std::exception {
  YamlStop(YAML::Mark where, std::string text) : mark(where), what_text(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_text.c_str(); }
  YAML::Mark mark;
  std::string what_text;
};

/// Where `mark` is in `text`, in bytes.
[[nodiscard]] std::size_t offset_of(std::string_view text, const YAML::Mark& mark);

/// Builds a value out of the parser's events.
class YamlBuilder final : public YAML::EventHandler {
 public:
  /// Receives JSON piece by piece.
  using Write = std::function<void(std::string_view)>;

  /// What a value and those with anchors may take of memory: an object of the API takes a tenth.
  static constexpr std::size_t most_held = std::size_t{20} << 20U;

  struct Input {
    std::string_view text;  // what the parser reads
    std::string_view file;
    YamlSource& source;  // from which it does
  };

  /// What `input` refers to must outlive the builder. With `write`, a list's items go there as
  /// soon as each is read: of a document that is a list, or of its field `items`. Without it
  /// `most_held` is for the file.
  YamlBuilder(const Input& input, std::vector<model::Warning>& warnings, Write write = nullptr)
      : text_(input.text),
        file_(input.file),
        source_(input.source),
        warnings_(warnings),
        write_(std::move(write)),
        anchors_(input.text.size()) {}

  /// Where the last scalar began that may be in quotes.
  [[nodiscard]] const std::optional<YAML::Mark>& last_quoted() const { return last_quoted_; }
  /// The document that was read; of one that `wrote_items` the fields that stand behind them.
  [[nodiscard]] std::optional<nlohmann::json> take() {
    if (write_) held_ = 0;
    return std::exchange(document_, std::nullopt);
  }
  /// The last document is a list: an object of JSON up to the end of its field `items` was written.
  [[nodiscard]] bool wrote_items() const { return streaming_ == Streaming::Done; }
  /// What stands before the items. Null: the document is a list without anything around it.
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
    std::optional<std::string> key = {};  // of a mapping, whose value comes next
    int key_at = -1;                      // where the last key begins
    bool block = false;                   // a mapping without brackets
    bool merges = false;                  // that key is `<<`
    std::set<std::string> merged = {};    // keys that came with `<<`: to replace them is no mistake
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
  std::optional<int> document_start_;  // offset of the document that was begun last
  YamlAnchors anchors_;
  std::vector<Open> open_;
  std::optional<nlohmann::json> document_;
  std::optional<YAML::Mark> last_quoted_;

  Streaming streaming_ = Streaming::No;
  nlohmann::json before_;           // the fields that stand before the items
  std::size_t written_items_ = 0;   // of this document
  std::size_t held_ = 0;            // bytes that the values take, roughly
  std::size_t held_around_ = 0;     // of them what stands around the items
  std::size_t parts_ = 0;           // lists, mappings and entries of lists
  std::size_t duplicate_keys_ = 0;  // that were said
};

}  // namespace dsdoctor::decode
