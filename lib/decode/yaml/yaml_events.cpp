// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "decode/bytes/sniff.h"
#include "decode/yaml/yaml_scalar.h"

namespace dsdoctor::decode {
namespace {

constexpr std::size_t text_piece = std::size_t{16} << 10U;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }

/// libyaml names the grammar rule that failed; users need to know what to fix.
struct Wording {
  std::string_view problem;
  std::string_view context = {};  // its beginning
  std::string_view ours;
  bool at_context = false;  // the error is where the context begins
};

constexpr std::string_view key_expected =
    "unexpected end of the mapping: a line is not indented like the others, or its key has no "
    "colon";
constexpr std::string_view text_behind =
    "unexpected text after the value: a line is not indented like the others, or a document does "
    "not begin with ---";

constexpr std::string_view no_content = "did not find expected node content";

constexpr Wording wordings[] = {
    {"mapping values are not allowed",
     {},
     "unexpected value: check the indentation, and quote a string that contains \": \""},
    {"mapping keys are not allowed", {}, "unexpected key: check the indentation"},
    {"block sequence entries are not allowed", {}, "unexpected list entry: check the indentation"},
    {"did not find expected key", {}, key_expected},
    {"did not find expected '-' indicator",
     {},
     "unexpected end of the list: an entry is not indented like the others, or has no \"- \""},
    {"did not find expected ',' or '}'", {}, "a mapping opened with { is not closed"},
    {"did not find expected ',' or ']'", {}, "a list opened with [ is not closed"},
    {"did not find expected <document start>", {}, text_behind},
    {"found unexpected end of stream", "while scanning a quoted",
     "the quoted string that begins here is not closed", true},
    {"found unexpected document indicator", {}, "a quoted string is not closed before ---"},
    {"could not find expected ':'",
     {},
     "the colon after this key is missing; is the file cut off?",
     true},
    {"found character that cannot start any token",
     {},
     "a value cannot begin with this character: quote it"},
    {"found unexpected ':'", {}, "a space is missing behind this colon"},
    {no_content, {}, "unexpected end of a document or of a value"},
};

const Wording* wording_of(std::string_view problem, std::string_view context) {
  const auto* const found = std::ranges::find_if(wordings, [&](const Wording& one) {
    return problem.starts_with(one.problem) && context.starts_with(one.context);
  });
  return found == std::end(wordings) ? nullptr : found;
}

std::string_view or_empty(const char* text) { return text == nullptr ? "" : text; }

/// Reports whether the last line that is neither empty nor a comment ends a document.
bool follows_document_end(std::string_view before) {
  while (!before.empty()) {
    before.remove_suffix(1);                                // the line feed
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    const std::string_view line = before.substr(line_start);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != line.npos && line[first] != '#') return line.starts_with("...");
    before = before.substr(0, line_start);
  }
  return false;
}

/// The offset of a tab in the indentation of the line with `offset`, or of the line before: the
/// error may be at the first key behind the tab.
std::optional<std::size_t> indenting_tab(std::string_view text, std::size_t offset) {
  std::size_t start = text.substr(0, offset).rfind('\n') + 1;  // npos + 1 is 0
  for (int lines = 0; lines < 2; ++lines) {
    const std::size_t tab = text.find_first_not_of(' ', start);
    if (tab != text.npos && text[tab] == '\t') return tab;
    if (start == 0) break;
    start = text.substr(0, start - 1).rfind('\n') + 1;
  }
  return std::nullopt;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

}  // namespace

std::size_t YamlOffsets::of(std::size_t index) {
  while (index_ < index && offset_ < text_.size()) {
    ++offset_;
    while (offset_ < text_.size() && !begins_character(text_[offset_])) ++offset_;
    ++index_;
  }
  return offset_;
}

std::string_view without_byte_order_marks(std::string_view text, std::string& copy) {
  constexpr std::string_view mark_on_line = "\n\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::size_t next = text.find(mark_on_line);
  if (next == std::string_view::npos) return text;
  copy.reserve(text.size());
  for (; next != std::string_view::npos; next = text.find(mark_on_line)) {
    copy.append(text.substr(0, next + 1));
    text.remove_prefix(next + mark_on_line.size());
  }
  return copy.append(text);
}

bool has_typed_content(const yaml_event_t& event, std::string_view text, YamlOffsets& offsets) {
  const std::string_view tag = text_of(event.data.scalar.tag);
  if (!tag.empty()) return is_typed_by_content(tag);
  if (event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return false;
  // libyaml drops the tag `!`, which means a string. With it, the event has more characters.
  if (event.end_mark.index - event.start_mark.index <= event.data.scalar.length) return true;
  std::size_t at = offsets.of(event.start_mark.index);
  if (text.substr(at, 1) == "&") {
    at = std::min(text.find_first_of(" \t\r\n", at), text.size());
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
  }
  return text.substr(at, 1) != "!";
}

base::Error error_at(std::string_view text, std::string_view file, const YamlStop& stop) {
  const std::size_t offset = YamlOffsets(text).of(stop.index);
  return {base::ErrorKind::Malformed, to_string(file, place_of(text, offset)), stop.what_text};
}

YamlEvents::YamlEvents(std::string_view text) : text_(text), offsets_(text) { begin(); }

/// Gives the parser the next piece of the text.
int YamlEvents::read(void* events, unsigned char* into, std::size_t most, std::size_t* given) {
  auto& self = *static_cast<YamlEvents*>(events);
  const std::string_view piece = self.text_.substr(self.given_, std::min(most, self.piece_));
  std::memcpy(into, piece.data(), piece.size());
  self.given_ += piece.size();
  self.piece_ = std::min(2 * self.piece_, text_piece);
  *given = piece.size();
  return 1;
}

/// The first piece is small, because many short documents may each need a new parser.
void YamlEvents::begin() {
  constexpr std::size_t first_piece = 128;
  if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
  given_ = start_offset_;
  piece_ = first_piece;
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  yaml_parser_set_input(&parser_, &YamlEvents::read, this);
}

YamlEvents::~YamlEvents() {
  yaml_event_delete(&event_);
  yaml_parser_delete(&parser_);
}

const yaml_event_t& YamlEvents::next() {
  do {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 0 && !begin_again()) stop();
  } while (event_.type == YAML_NO_EVENT ||
           (start_offset_ > 0 && event_.type == YAML_STREAM_START_EVENT));
  const bool opens =
      event_.type == YAML_SEQUENCE_START_EVENT || event_.type == YAML_MAPPING_START_EVENT;
  const bool closes =
      event_.type == YAML_SEQUENCE_END_EVENT || event_.type == YAML_MAPPING_END_EVENT;
  if (opens) ++depth_;
  if (closes) --depth_;
  for (yaml_mark_t* const mark : {&event_.start_mark, &event_.end_mark}) {
    mark->index += start_.index;
    mark->line += start_.line;
  }
  return event_;
}

/// A document may begin without --- behind the ... of another one, which libyaml rejects. Returns
/// true if that was the error, and begins there.
bool YamlEvents::begin_again() {
  if (or_empty(parser_.problem) != "did not find expected <document start>") return false;
  const yaml_mark_t at = parser_.problem_mark;
  const std::size_t line_start = offsets_.of(start_.index + at.index - at.column);
  const bool advances = line_start > start_offset_;
  if (!advances || !follows_document_end(text_.substr(0, line_start))) return false;
  start_.index += at.index - at.column;
  start_.line += at.line;
  start_offset_ = line_start;
  yaml_parser_delete(&parser_);
  begin();
  return true;
}

void YamlEvents::stop() const {
  if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
  const std::string_view problem = or_empty(parser_.problem);
  yaml_mark_t mark = parser_.problem_mark;
  mark.index += start_.index;
  if (parser_.error == YAML_READER_ERROR) {
    mark.index = characters(text_.substr(0, start_offset_ + parser_.problem_offset));
    if (!problem.starts_with("control characters")) {
      throw YamlStop(mark, "the text is not valid UTF-8");
    }
    throw YamlStop(mark, fmt::format("unexpected control character (U+{:04X}); YAML allows it only "
                                     "as an escape in double quotes",
                                     parser_.problem_value));
  }
  const std::size_t offset = YamlOffsets(text_).of(mark.index);
  if (const auto tab = indenting_tab(text_, offset)) {
    mark.index = characters(text_.substr(0, *tab));
    throw YamlStop(mark, "a tab is used for indentation; YAML allows only spaces");
  }
  const std::string_view there = text_.substr(offset, 1);
  if ((there == "]" || there == "}") && problem.starts_with("did not find expected ")) {
    throw YamlStop(mark, "a closing bracket without an opening one");
  }
  const bool ends_list = problem.starts_with("did not find expected '-'");
  if ((there == "," && problem == no_content) || (ends_list && depth_ == 1)) {
    throw YamlStop(mark, std::string(text_behind));
  }
  const Wording* const wording = wording_of(problem, or_empty(parser_.context));
  if (wording == nullptr) throw YamlStop(mark, fmt::format("invalid YAML: {}", problem));
  if (wording->at_context) mark.index = start_.index + parser_.context_mark.index;
  throw YamlStop(mark, std::string(wording->ours));
}

}  // namespace dsdoctor::decode
