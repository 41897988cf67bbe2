// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/documents.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "decode/bytes/log_section.h"
#include "decode/bytes/sniff.h"
#include "decode/cluster/json_stream.h"
#include "decode/cluster/json_values.h"
#include "decode/cluster/open_list.h"
#include "decode/json/json_syntax.h"
#include "decode/yaml/yaml_to_json.h"

namespace dsdoctor::decode {
namespace {

constexpr std::string_view spaces = " \t\r\n";
constexpr int max_json_depth = 1000;

/// The position after the closing quote; `at` is after the opening one.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (;;) {
    const std::size_t quote = text.find('"', at);
    if (quote == text.npos) return text.size();
    std::size_t backslashes = 0;
    while (quote - backslashes > at && text[quote - backslashes - 1] == '\\') ++backslashes;
    at = quote + 1;
    if (backslashes % 2 == 0) return at;
  }
}

/// The end of the JSON value that begins at `start`, by its brackets; the end of the text if they
/// do not balance. Sets `deepest` to the maximum nesting depth.
std::size_t value_end(std::string_view text, std::size_t start, int& deepest) {
  int depth = 0;
  std::size_t at = start;
  while (at < text.size()) {
    const char c = text[at++];
    if (c == '"') {
      at = string_end(text, at);
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && --depth <= 0) {
      return at;
    }
  }
  return at;
}

/// Reports whether a value is an array of items without a list object, or null for an empty one.
bool is_bare_list(bool is_array, bool is_null, const ObjectSink& into) {
  if (into.untyped && (is_array || is_null)) into.builder.mark_seen(*into.untyped);
  return is_array || (is_null && into.untyped);
}

base::Error document_is_not_an_object(const std::string& file, std::size_t document) {
  return {base::ErrorKind::Malformed, fmt::format("{} document {}", file, document),
          "expected an object or a List, as kubectl get -o yaml prints it"};
}

/// Adds a value that was parsed as a whole; `text` is its JSON, followed by `json_padding` readable
/// bytes. False if it is neither an object nor a list of objects.
base::Result<bool> add_parsed(const simdjson::dom::element& value, std::string_view text,
                              const std::string& file, const ObjectSink& into) {
  base::Status added = std::monostate{};
  simdjson::dom::object object;
  simdjson::dom::array array;
  if (value.get_object().get(object) == simdjson::SUCCESS) {
    added = add_object(object, text, {file}, into, 0);
  } else if (!is_bare_list(value.is_array(), value.is_null(), into)) {
    return into.passes_over();
  } else if (value.get_array().get(array) == simdjson::SUCCESS) {
    added = read_list(array, {R"({"items":)", text, "}"}, {}, file, into, 1);
  } else {
    OpenList(into.builder).finish(into.untyped, into.ns, {}, file);
  }
  if (!added) return added.error();
  return true;
}

/// Reports whether an object is a list that was cut off: kind and metadata come after the items.
/// Lists of Go programs have no kind, but metadata.
bool lacks_end(const simdjson::dom::element& value) {
  const auto items = value["items"];
  if (!items.is_array() && !items.is_null()) return false;
  if (value["metadata"].error() == simdjson::SUCCESS) return false;
  std::string_view kind;
  return value["kind"].get_string().get(kind) != simdjson::SUCCESS || kind.empty();
}

/// Checks the fields of a YAML text, if it is a manifest. `duplicate_keys` are those that the
/// parser found; the check reports them as fields.
void check_yaml_fields(std::string_view text, const std::string& file, const ObjectSink& into,
                       std::vector<model::Warning>& duplicate_keys,
                       std::vector<model::Warning>& warnings) {
  if (into.fields == nullptr || into.fields->check_yaml(text, file)) return;
  warnings.push_back(fields_not_checked(file));
  std::ranges::move(duplicate_keys, std::back_inserter(warnings));
}

base::Status read_yaml(std::string_view text, const std::string& file, const ObjectSink& into,
                       std::vector<model::Warning>& warnings) {
  std::vector<model::Warning> duplicate_keys;
  auto documents = yaml_documents(text, file, into.fields == nullptr ? warnings : duplicate_keys);
  if (!documents) return documents.error();
  check_yaml_fields(text, file, into, duplicate_keys, warnings);
  simdjson::dom::parser parser;
  for (std::size_t number = 0; number < documents->size(); ++number) {
    std::string& document = (*documents)[number];
    const std::size_t size = document.size();
    document.append(json_padding, ' ');
    simdjson::dom::element value;
    if (const auto error = parser.parse(document.data(), size, false).get(value);
        error != simdjson::SUCCESS) {
      return base::Error{base::ErrorKind::Malformed, file, std::string(refusal_of(error))};
    }
    if (lacks_end(value))
      return base::Error{base::ErrorKind::Malformed, file, yaml_list_without_kind};
    const auto added = add_parsed(value, std::string_view(document).substr(0, size), file, into);
    if (!added) return added.error();
    if (!*added) return document_is_not_an_object(file, number + 1);
  }
  return std::monostate{};
}

/// Size from which YAML could need much memory as values; its lists are read item by item.
constexpr std::size_t large_yaml = std::size_t{256} << 10U;

base::Status read_large_yaml(std::string content, const std::string& file, const ObjectSink& into,
                             std::vector<model::Warning>& warnings) {
  std::vector<model::Warning> duplicate_keys;
  auto text = yaml_to_text(content, file, into.fields == nullptr ? warnings : duplicate_keys);
  if (!text) return text.error();
  check_yaml_fields(content, file, into, duplicate_keys, warnings);
  std::string().swap(content);
  if (text->other && !into.passes_over()) return document_is_not_an_object(file, *text->other);
  JsonStream values(file, into);
  while (!text->pieces.empty()) {
    if (auto fed = values.feed(text->pieces.front()); !fed) return fed;
    text->pieces.pop_front();
  }
  return values.finish();
}

/// Reports whether a JSON value begins at `start`. Text that begins with { can be YAML in flow
/// style: in JSON, a quote or } follows.
bool looks_like_json(std::string_view text, std::size_t start) {
  if (text.substr(start, 4) == "null")
    return text.find_first_not_of(spaces, start + 4) == text.npos;
  if (text[start] == '[') return true;
  if (text[start] != '{') return false;
  const std::size_t next = text.find_first_not_of(spaces, start + 1);
  return next == text.npos || text[next] == '"' || text[next] == '}';
}

/// The start of the next value. Skips byte order marks, which concatenated files contain, lines of
/// ---, which kubectl also accepts between JSON values, and logs of containers. Errors: Malformed
/// if a log does not end.
base::Result<std::size_t> next_value(std::string_view text, std::size_t from,
                                     const std::string& file) {
  for (;;) {
    const std::size_t at = text.find_first_not_of(spaces, from);
    if (at == std::string_view::npos) return at;
    const std::string_view rest = text.substr(at);
    const bool line_start = at > 0 && text[at - 1] == '\n';
    if (rest.starts_with(byte_order_mark)) {
      from = at + byte_order_mark.size();
    } else if (line_start && rest.starts_with("---")) {
      from = at + 3;
    } else if (line_start && LogSection::opens(rest)) {
      LogSection log;
      std::string_view behind = log.skip(rest);
      if (!log.is_over() && behind.empty()) behind = log.skip("\n");
      if (!log.is_over()) return log.cut_off(file);
      from = text.size() - behind.size();
    } else {
      return at;
    }
  }
}

/// Reads an object or an array in pieces; parsing it as a whole takes many times its size.
base::Status read_large_value(std::string_view value, const std::string& file,
                              const ObjectSink& into) {
  const bool bare = value.starts_with('[');
  JsonStream stream(file, into);
  for (const std::string_view piece :
       {bare ? std::string_view(R"({"items":)") : "", value, bare ? std::string_view("}") : ""}) {
    if (auto fed = stream.feed(piece); !fed) return fed;
  }
  return stream.finish();
}

/// Reads the YAML that begins at `start`, behind JSON and a line of ---.
base::Status read_yaml_rest(std::string_view text, std::size_t start, const std::string& file,
                            const ObjectSink& into, std::vector<model::Warning>& warnings) {
  std::string rest(place_of(text, start).line - 1, '\n');  // keeps the line numbers
  rest.append(text.substr(start));
  if (rest.size() > large_yaml) return read_large_yaml(std::move(rest), file, into, warnings);
  return read_yaml(rest, file, into, warnings);
}

/// The line of a position in a text. Positions must not decrease.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  std::size_t line_of(std::size_t at) {
    const std::string_view more = text_.substr(counted_, at - counted_);
    line_ += static_cast<std::size_t>(std::ranges::count(more, '\n'));
    counted_ = at;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t line_ = 1;
  std::size_t counted_ = 0;
};

base::Error no_object(const std::string& place) {
  return {base::ErrorKind::Malformed, place,
          "expected an object or a List, as kubectl get -o json prints it"};
}

/// Reads a value that is too large to be parsed as a whole.
base::Status read_unparsed(std::string_view value, const std::string& file, const ObjectSink& into,
                           std::vector<model::Warning>& warnings) {
  if (into.fields != nullptr) warnings.push_back(fields_not_checked(file));
  return read_large_value(value, file, into);
}

/// REQUIRES: `json_padding` readable bytes after `text`.
base::Status read_json(std::string_view text, std::size_t start, const std::string& file,
                       const ObjectSink& into, std::vector<model::Warning>& warnings) {
  simdjson::dom::parser parser;
  LineCounter lines(text);
  for (;;) {
    const auto next = next_value(text, start, file);
    if (!next) return next.error();
    start = *next;
    if (start == text.npos) break;
    const std::size_t before = text.substr(0, start).find_last_of("-}]");
    if (before != text.npos && text[before] == '-' && !looks_like_json(text, start)) {
      return read_yaml_rest(text, start, file, into, warnings);
    }
    int deepest = 0;
    const std::size_t end = value_end(text, start, deepest);
    if (end - start > JsonStream::most_parsed && deepest <= max_json_depth) {
      const auto fed = read_unparsed(text.substr(start, end - start), file, into, warnings);
      if (!fed) return fed.error();
      start = end;
      continue;
    }
    simdjson::dom::element value;
    const auto error = parser.parse(text.data() + start, end - start, false).get(value);
    if (error != simdjson::SUCCESS) {
      return json_syntax_error(text, start, end, file, refusal_of(error));
    }
    const std::string_view whole = text.substr(start, end - start);
    if (into.fields != nullptr && !into.fields->check_json(whole, file, lines.line_of(start))) {
      warnings.push_back(fields_not_checked(file));
    }
    const auto added = add_parsed(value, whole, file, into);
    if (!added) return added.error();
    if (!*added) return no_object(to_string(file, place_of(text, start)));
    start = end;
  }
  return std::monostate{};
}

}  // namespace

base::Status check_content(std::string_view content, const std::string& file) {
  constexpr std::size_t opening = 512;
  const auto foreign = foreign_content(content.substr(0, opening));
  if (!foreign) return std::monostate{};
  return base::Error{base::ErrorKind::Malformed, file,
                     fmt::format("this is {}, not JSON or YAML{}{}", foreign->what,
                                 foreign->advice.empty() ? "" : "; ", foreign->advice)};
}

base::Status read_documents(std::string content, const std::string& file, ClusterBuilder& builder,
                            std::vector<model::Warning>& warnings, const Expected& expected) {
  const ObjectSink into{builder, expected.kind, expected.ns, expected.passed_over, expected.fields};
  if (auto known = check_content(content, file); !known) return known;
  const std::size_t text_start = content.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  const std::size_t start = content.find_first_not_of(spaces, text_start);
  if (start == content.npos) {
    return base::Error{base::ErrorKind::Malformed, file,
                       "the file is empty; expected JSON or YAML"};
  }
  if (const auto bad = invalid_utf8(content)) {
    return base::Error{base::ErrorKind::Malformed, to_string(file, place_of(content, *bad)),
                       "the text is not valid UTF-8"};
  }
  if (looks_like_json(content, start)) {
    const std::size_t size = content.size();
    content.append(json_padding, ' ');
    return read_json(std::string_view(content).substr(0, size), start, file, into, warnings);
  }
  if (content.size() > large_yaml) {
    return read_large_yaml(std::move(content), file, into, warnings);
  }
  return read_yaml(std::string_view(content).substr(text_start), file, into, warnings);
}

}  // namespace dsdoctor::decode
