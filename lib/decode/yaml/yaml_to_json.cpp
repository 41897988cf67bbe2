#include "decode/yaml/yaml_to_json.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "decode/bytes/sniff.h"
#include "decode/yaml/yaml_anchors.h"
#include "decode/yaml/yaml_scalar.h"

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

constexpr std::size_t max_depth = 500;
constexpr const char* too_deep = "values are nested more than 500 levels deep";
constexpr std::size_t max_bytes = std::size_t{256} << 20U;

/// Whether YAML lets the words of a scalar decide what it is.
bool is_typed_by_content(std::string_view tag) {
  constexpr std::string_view core = "tag:yaml.org,2002:";
  if (tag == "?") return true;
  if (!tag.starts_with(core)) return false;
  tag.remove_prefix(core.size());
  return tag == "int" || tag == "float" || tag == "bool" || tag == "null";
}

/// Ends the parse from within an event; caught where the parser is called.
struct Stop : std::exception {
  Stop(YAML::Mark where, std::string text) : mark(where), what_text(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_text.c_str(); }
  YAML::Mark mark;
  std::string what_text;
};

std::size_t offset_of(std::string_view text, const YAML::Mark& mark) {
  return std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text.size());
}

/// Whether a further document may begin here: at `---`, or behind `...` and comments.
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

/// Builds a value out of the parser's events.
class Builder final : public YAML::EventHandler {
 public:
  /// `text` is what the parser reads; it must outlive the builder.
  Builder(std::string_view text, std::string_view file, std::vector<model::Warning>& warnings)
      : text_(text), file_(file), warnings_(warnings), anchors_(text.size()) {}

  /// Where the last scalar began that may be in quotes.
  [[nodiscard]] const std::optional<YAML::Mark>& last_quoted() const { return last_quoted_; }
  [[nodiscard]] std::optional<json> take() { return std::exchange(document_, std::nullopt); }

  /// yaml-cpp begins a document at whatever is left over, and for some characters does so without
  /// end, as it takes none of them.
  void OnDocumentStart(const YAML::Mark& mark) override {
    const bool stuck = document_start_ == mark.pos;
    if (document_start_ && (stuck || !may_open_document(text_, mark))) {
      throw Stop(mark,
                 "unexpected text after the value: a line is not indented like the others, or a "
                 "document does not begin with ---");
    }
    document_start_ = mark.pos;
    anchors_.forget();
    open_.clear();
    document_.reset();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (key_is_next()) throw Stop(mark, "a key is missing; null is not a key");
    if (!open_.empty() && open_.back().block && open_.back().key_at == mark.pos) {
      throw Stop(mark, "the colon after this key is missing; is the file cut off?");
    }
    finish(mark, anchor, nullptr);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool typed = is_typed_by_content(tag);
    if (tag != "?") last_quoted_ = mark;
    if (!key_is_next()) return finish(mark, anchor, typed ? plain_scalar(value) : json(value));
    Open& parent = open_.back();
    parent.key = typed ? plain_key(value) : value;
    if (!parent.key) throw Stop(mark, "a key is missing; null is not a key");
    parent.key_at = mark.pos;
    parent.merges = typed && value == "<<";
    if (anchor != 0) keep(mark, anchor, *parent.key);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const json* found = anchors_.find(anchor);
    if (found == nullptr) throw Stop(mark, "an alias refers to a value that contains it");
    if (key_is_next()) {
      if (!found->is_string()) throw Stop(mark, "an alias of a key is not a string");
      open_.back().key = found->get<std::string>();
      return;
    }
    std::size_t depth = 0;
    if (auto wrong = anchors_.count_alias(*found, depth)) throw Stop(mark, *std::move(wrong));
    if (open_.size() + depth > max_depth) throw Stop(mark, too_deep);
    finish(mark, 0, json(*found));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, anchor, json::array());
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(mark, anchor, json::object());
    open_.back().block = style == YAML::EmitterStyle::Block;
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    json value;
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

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, json value) {
    if (key_is_next()) {
      const std::size_t at = offset_of(text_, mark);
      const bool placeholder = at > 0 && text_.substr(at - 1, 2) == "{{";
      throw Stop(mark, fmt::format("a mapping or list is used as a key; {}",
                                   placeholder ? "is this a template that was not rendered?"
                                               : "is a bracket not closed, or the file cut off?"));
    }
    if (open_.size() == max_depth) throw Stop(mark, too_deep);
    open_.push_back({std::move(value), anchor, mark});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    finish(done.mark, done.anchor, std::move(done.value));
  }

  void finish(const YAML::Mark& mark, YAML::anchor_t anchor, json value) {
    if (anchor != 0) keep(mark, anchor, value);
    if (open_.empty()) {
      document_ = std::move(value);
    } else if (open_.back().value.is_array()) {
      open_.back().value.push_back(std::move(value));
    } else {
      add(open_.back(), mark, std::move(value));
    }
  }

  void keep(const YAML::Mark& mark, YAML::anchor_t anchor, const json& value) {
    if (auto wrong = anchors_.keep(anchor, value)) throw Stop(mark, *std::move(wrong));
  }

  void add(Open& parent, const YAML::Mark& mark, json value) {
    const std::string key = *std::exchange(parent.key, std::nullopt);
    if (std::exchange(parent.merges, false)) return merge(parent, mark, value);
    if (parent.value.contains(key) && !parent.merged.contains(key)) {
      warnings_.push_back({fmt::format("{}:{}", file_, mark.line + 1),
                           fmt::format("duplicate key \"{}\" in one mapping; the last one "
                                       "counts",
                                       key)});
    }
    parent.merged.erase(key);
    parent.value[key] = std::move(value);
  }

  /// As kubectl's reader does it: what is merged replaces what stands before it, and of several
  /// mappings the first one wins.
  static void merge(Open& parent, const YAML::Mark& mark, const json& value) {
    const json sources = value.is_array() ? value : json::array({value});
    for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
      if (!source->is_object()) throw Stop(mark, "<< supports mappings only");
      for (const auto& [key, element] : source->items()) {
        parent.value[key] = element;
        parent.merged.insert(key);
      }
    }
  }

  std::string_view text_;
  std::string_view file_;
  std::vector<model::Warning>& warnings_;
  std::optional<int> document_start_;  // offset of the document that was begun last
  YamlAnchors anchors_;
  std::vector<Open> open_;
  std::optional<json> document_;
  std::optional<YAML::Mark> last_quoted_;
};

/// yaml-cpp 0.7 takes the end of the file for a closing quote, so that a file cut off inside a text
/// would pass for a whole one. Only the last text can be open.
bool is_open_quote(std::string_view text, const YAML::Mark& mark) {
  std::size_t at = offset_of(text, mark);
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {  // an anchor or a tag
    at = std::min(text.find_first_of(" \t\r\n", at), text.size());
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
  }
  if (at == text.size() || (text[at] != '"' && text[at] != '\'')) return false;
  const char quote = text[at++];
  for (; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || text.substr(at + 1, 1) != "'") return false;
      ++at;  // '' is a quote within
    }
  }
  return true;
}

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

base::Error error_at(std::string_view text, std::string_view file, const YAML::Mark& mark,
                     std::string what) {
  if (mark.line < 0 || mark.column < 0) {
    return {base::ErrorKind::Malformed, std::string(file), std::move(what)};
  }
  const auto bytes = static_cast<std::size_t>(mark.column);
  const std::string_view line = line_at(text, mark.line).substr(0, bytes);
  const auto column = place_of(line, line.size()).column + bytes - line.size();
  const Place place{static_cast<std::size_t>(mark.line) + 1, column};
  return {base::ErrorKind::Malformed, to_string(file, place), std::move(what)};
}

/// yaml-cpp names the rule of its grammar that failed; people want to know what to fix.
std::string in_our_words(std::string_view complaint) {
  struct Wording {
    std::string_view complaint;
    std::string_view ours;
  };
  constexpr Wording wordings[] = {
      {"illegal map value",
       "unexpected value: check the indentation, and quote a "
       "string that contains \": \""},
      {"illegal map key", "unexpected key: check the indentation"},
      {"illegal block entry", "unexpected list entry: check the indentation"},
      {"end of map not found",
       "unexpected end of the mapping: a line is not indented like the "
       "others, or its key has no colon"},
      {"end of sequence not found",
       "unexpected end of the list: an entry is not indented like "
       "the others, or has no \"- \""},
      {"end of map flow not found", "a mapping opened with { is not closed"},
      {"end of sequence flow not found", "a list opened with [ is not closed"},
      {"illegal flow end", "a closing bracket without an opening one"},
      {"illegal EOF in scalar", "a quoted string is not closed"},
      {"illegal document indicator in scalar", "a quoted string is not closed before ---"},
      {"the referenced anchor is not defined", "an alias refers to an anchor that is not defined"},
      {"unknown token", "a value cannot begin with this character: quote it"},
      {"cannot assign multiple", "a value has two tags, anchors or aliases"},
  };
  for (const Wording& wording : wordings) {
    if (complaint.starts_with(wording.complaint)) return std::string(wording.ours);
  }
  return fmt::format("invalid YAML: {}", complaint);
}

/// yaml-cpp's complaint in words that say what to do.
base::Error explained(std::string_view text, std::string_view file,
                      const YAML::ParserException& error) {
  for (const int line : {error.mark.line, error.mark.line - 1}) {
    if (line < 0 || !indented_by_tab(line_at(text, line))) continue;
    const std::size_t column = line_at(text, line).find('\t');
    return {base::ErrorKind::Malformed, fmt::format("{}:{}:{}", file, line + 1, column + 1),
            "a tab is used for indentation; YAML allows only spaces"};
  }
  if (dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr) {
    return error_at(text, file, error.mark, too_deep);
  }
  return error_at(text, file, error.mark, in_our_words(error.msg));
}

/// Windows' tools begin every file with a byte order mark; joined files have it on any line.
std::string without_marks(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  std::string result;
  result.reserve(text.size());
  for (;;) {
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
    const std::size_t next = text.find("\n\xEF\xBB\xBF");
    if (next == std::string_view::npos) return result.append(text);
    result.append(text.substr(0, next + 1));
    text.remove_prefix(next + 1);
  }
}

std::optional<base::Error> control_character(std::string_view text, std::string_view file) {
  const auto found = std::ranges::find_if(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0x7f || (byte < 0x20 && c != '\n' && c != '\r' && c != '\t');
  });
  if (found == text.end()) return std::nullopt;
  const auto offset = static_cast<std::size_t>(found - text.begin());
  return base::Error{base::ErrorKind::Malformed, to_string(file, place_of(text, offset)),
                     fmt::format("unexpected control character (U+{:04X}); YAML allows it only "
                                 "as an escape in double quotes",
                                 static_cast<unsigned>(static_cast<unsigned char>(*found)))};
}

}  // namespace

base::Result<std::vector<nlohmann::json>> yaml_to_json(std::string_view content,
                                                       std::string_view file,
                                                       std::vector<model::Warning>& warnings) {
  std::vector<json> result;
  if (content.size() > max_bytes) {
    return base::Error{base::ErrorKind::Malformed, std::string(file),
                       "YAML of more than 256 MiB is not supported; use JSON: kubectl get -o json"};
  }
  const std::string text = without_marks(content);
  if (auto error = control_character(text, file)) return *error;
  std::istringstream stream(text);
  Builder builder(text, file, warnings);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
      auto document = builder.take();
      if (document && !document->is_null()) result.push_back(std::move(*document));
    }
  } catch (const Stop& stop) {
    return error_at(text, file, stop.mark, stop.what_text);
  } catch (const YAML::ParserException& error) {
    return explained(text, file, error);
  } catch (const YAML::Exception& error) {
    return error_at(text, file, error.mark, in_our_words(error.msg));
  }
  if (const auto& mark = builder.last_quoted(); mark && is_open_quote(text, *mark)) {
    return error_at(text, file, *mark, "the quoted string that begins here is not closed");
  }
  return result;
}

}  // namespace dsdoctor::decode
