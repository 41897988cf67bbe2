// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_place.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

namespace dsdoctor::decode {
namespace {

/// Walks the events of one document, and keeps the mark of the last step of the path that exists.
class Walker final : public YAML::EventHandler {
 public:
  explicit Walker(const std::vector<std::string>& path) : path_(path) {}

  [[nodiscard]] const YAML::Mark& mark() const { return mark_; }

  void OnDocumentStart(const YAML::Mark& mark) override { mark_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { scalar(mark, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { scalar(mark, ""); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    scalar(mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, true);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    bool is_map = false;
    bool on_path = false;  // this list or mapping is a step of the path
    bool at_value = false;
    bool step = false;  // the next node is the next step of the path
    std::size_t index = 0;
  };

  /// Handles the start of a node. Returns true if it is a step of the path.
  bool begin(const YAML::Mark& mark, const std::string& word) {
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
  void scalar(const YAML::Mark& mark, const std::string& word) { (void)begin(mark, word); }
  void open(const YAML::Mark& mark, bool is_map) {
    const bool on_path = begin(mark, "");
    levels_.push_back({is_map, on_path});
  }
  void close() { levels_.pop_back(); }

  const std::vector<std::string>& path_;
  std::vector<Level> levels_;
  YAML::Mark mark_;
};

}  // namespace

std::string yaml_place(const std::string& text, std::string_view file,
                       const std::vector<std::string>& path) {
  std::istringstream stream(text);
  Walker walker(path);
  try {
    YAML::Parser(stream).HandleNextDocument(walker);
  } catch (const YAML::Exception&) {  // impossible: the text was parsed before
    return std::string(file);
  }
  return fmt::format("{}:{}:{}", file, walker.mark().line + 1, walker.mark().column + 1);
}

}  // namespace dsdoctor::decode
