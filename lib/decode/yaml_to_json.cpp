#include "decode/yaml_to_json.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "decode/yaml_scalar.h"

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

constexpr std::size_t max_depth = 500;
constexpr std::size_t max_values = 10'000'000;
constexpr std::string_view plain_tag = "?";
constexpr std::string_view string_tag = "tag:yaml.org,2002:str";

/// Ends the parse from within an event; caught where the parser is called.
struct Stop : std::exception {
  Stop(YAML::Mark where, std::string text) : mark(where), what_text(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_text.c_str(); }
  YAML::Mark mark;
  std::string what_text;
};

std::size_t count_values(const json& value) {
  std::size_t count = 1;
  if (value.is_structured()) {
    for (const auto& element : value) count += count_values(element);
  }
  return count;
}

/// Builds a value out of the parser's events.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::string_view file, std::vector<model::Warning>& warnings)
      : file_(file), warnings_(warnings) {}

  [[nodiscard]] std::optional<json> take() { return std::exchange(document_, std::nullopt); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {
    anchors_.clear();
    open_.clear();
    document_.reset();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(mark, anchor, nullptr, "");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool plain = tag == plain_tag || (tag != "!" && tag != string_tag && !tag.empty());
    finish(mark, anchor, plain ? plain_scalar(value) : json(value), value);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Stop(mark, "an alias refers to a value that contains it");
    values_ += count_values(found->second);
    finish(mark, 0, json(found->second), "");
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, json::array());
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, json::object());
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    json value;
    YAML::anchor_t anchor = 0;
    YAML::Mark mark;
    std::optional<std::string> key;  // of a mapping, whose value comes next
    std::vector<json> merged;        // values of `<<`
  };

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, json value) {
    const bool as_key = !open_.empty() && open_.back().value.is_object() && !open_.back().key;
    if (as_key) {
      throw Stop(mark,
                 "a mapping or list stands where a key is expected; is this a template that was "
                 "not rendered?");
    }
    if (open_.size() == max_depth) throw Stop(mark, "values are nested more than 500 levels deep");
    open_.push_back({std::move(value), anchor, mark, {}, {}});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    for (const json& source : done.merged) {
      for (const auto& [key, value] : source.items()) {
        if (!done.value.contains(key)) done.value[key] = value;  // own keys win
      }
    }
    finish(done.mark, done.anchor, std::move(done.value), "");
  }

  void finish(const YAML::Mark& mark, YAML::anchor_t anchor, json value, const std::string& text) {
    if (++values_ > max_values) throw Stop(mark, "more than 10 million values; is this a bomb?");
    if (anchor != 0) anchors_[anchor] = value;
    if (open_.empty()) {
      document_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.is_array()) {
      parent.value.push_back(std::move(value));
    } else if (!parent.key) {
      parent.key = value.is_string() ? value.get<std::string>() : text;
    } else {
      add(parent, mark, std::move(value));
    }
  }

  void add(Open& parent, const YAML::Mark& mark, json value) {
    const std::string key = *std::exchange(parent.key, std::nullopt);
    if (key == "<<") return merge(parent, mark, std::move(value));
    if (parent.value.contains(key)) {
      warnings_.push_back({fmt::format("{}:{}", file_, mark.line + 1),
                           fmt::format("the key \"{}\" stands twice in one mapping; the last one "
                                       "counts",
                                       key)});
    }
    parent.value[key] = std::move(value);
  }

  static void merge(Open& parent, const YAML::Mark& mark, json value) {
    if (value.is_object()) {
      parent.merged.push_back(std::move(value));
      return;
    }
    const bool objects =
        value.is_array() &&
        std::all_of(value.begin(), value.end(), [](const json& v) { return v.is_object(); });
    if (!objects) throw Stop(mark, "<< merges mappings only");
    for (json& element : value) parent.merged.push_back(std::move(element));
  }

  std::string_view file_;
  std::vector<model::Warning>& warnings_;
  std::map<YAML::anchor_t, json> anchors_;
  std::vector<Open> open_;
  std::optional<json> document_;
  std::size_t values_ = 0;
};

std::string_view line_at(std::string_view text, int number) {
  for (int line = 0; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

bool indented_by_tab(std::string_view line) {
  const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
  return indent.find('\t') != std::string_view::npos;
}

base::Error error_at(std::string_view file, const YAML::Mark& mark, std::string what) {
  const bool known = mark.line >= 0 && mark.column >= 0;
  return {base::ErrorKind::Malformed,
          known ? fmt::format("{}:{}:{}", file, mark.line + 1, mark.column + 1) : std::string(file),
          std::move(what)};
}

/// yaml-cpp's complaint in words that say what to do.
base::Error explained(std::string_view text, std::string_view file,
                      const YAML::ParserException& error) {
  for (const int line : {error.mark.line, error.mark.line - 1}) {
    if (line < 0 || !indented_by_tab(line_at(text, line))) continue;
    const std::size_t column = line_at(text, line).find('\t');
    return {base::ErrorKind::Malformed, fmt::format("{}:{}:{}", file, line + 1, column + 1),
            "a tab is used for indentation; YAML allows only blanks there"};
  }
  if (dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr) {
    return error_at(file, error.mark, "values are nested more than 500 levels deep");
  }
  return error_at(file, error.mark, fmt::format("this is no valid YAML: {}", error.msg));
}

}  // namespace

base::Result<std::vector<nlohmann::json>> yaml_to_json(std::string_view text, std::string_view file,
                                                       std::vector<model::Warning>& warnings) {
  std::vector<json> result;
  std::istringstream stream{std::string(text)};
  Builder builder(file, warnings);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
      auto document = builder.take();
      if (document && !document->is_null()) result.push_back(std::move(*document));
    }
  } catch (const Stop& stop) {
    return error_at(file, stop.mark, stop.what_text);
  } catch (const YAML::ParserException& error) {
    return explained(text, file, error);
  } catch (const YAML::Exception& error) {
    return error_at(file, error.mark, fmt::format("this is no valid YAML: {}", error.msg));
  }
  return result;
}

}  // namespace dsdoctor::decode
