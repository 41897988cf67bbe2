#include "decode/documents.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "decode/list_decoder.h"
#include "decode/sniff.h"
#include "decode/yaml_to_json.h"

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

constexpr std::string_view spaces = " \t\r\n";

/// The end of the JSON value that begins at `start`, by its brackets; the end of the text where
/// they do not balance.
std::size_t value_end(std::string_view text, std::size_t start) {
  int depth = 0;
  for (std::size_t at = start; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
      }
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth <= 0) {
      return at + 1;
    }
  }
  return text.size();
}

/// nlohmann says where and what; simdjson only that something is wrong.
base::Error syntax_error(std::string_view text, std::size_t start, std::size_t end,
                         const std::string& file) {
  try {
    const auto ignored = json::parse(text.substr(start, end - start));
  } catch (const json::parse_error& error) {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while ..."
    if (const std::size_t colon = what.find(": "); colon != what.npos) what.erase(0, colon + 2);
    const std::size_t offset = start + (error.byte > 0 ? error.byte - 1 : 0);
    const bool cut = what.find("unexpected end of input") != what.npos ||
                     what.find("missing closing quote") != what.npos;
    return {base::ErrorKind::Malformed, to_string(file, place_of(text, offset)),
            what + (cut ? " (is the file cut off?)" : "")};
  } catch (const json::exception& error) {
    return {base::ErrorKind::Malformed, file, error.what()};
  }
  return {base::ErrorKind::Malformed, to_string(file, place_of(text, start)),
          "the JSON is not valid"};
}

/// The kind of the items of a list kind; absent for List, whose items name their own, and for
/// kinds that are not ours.
std::optional<Kind> item_kind(std::string_view list_kind) {
  if (list_kind == "NodeList") return Kind::Node;
  if (list_kind == "PodList") return Kind::Pod;
  if (list_kind == "DaemonSetList") return Kind::DaemonSet;
  if (list_kind == "ControllerRevisionList") return Kind::ControllerRevision;
  return std::nullopt;
}

base::Status read_list(std::string_view text, std::string_view kind, const std::string& file,
                       ClusterBuilder& into) {
  const auto of = item_kind(kind);
  const bool foreign = !of && kind != "List" && !kind.empty();
  if (foreign) return std::monostate{};
  ListDecoder decoder(into, of, {file});
  if (auto fed = decoder.feed(text); !fed) return fed;
  const auto head = decoder.finish();
  if (!head) return head.error();
  return std::monostate{};
}

/// REQUIRES: `json_padding` readable bytes behind `text`.
base::Status read_json(std::string_view text, std::size_t start, const std::string& file,
                       ClusterBuilder& into) {
  simdjson::dom::parser parser;
  while ((start = text.find_first_not_of(spaces, start)) != std::string_view::npos) {
    const std::size_t end = value_end(text, start);
    simdjson::dom::element value;
    if (parser.parse(text.data() + start, end - start, false).get(value) != simdjson::SUCCESS) {
      return syntax_error(text, start, end, file);
    }
    simdjson::dom::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) {
      return base::Error{base::ErrorKind::Malformed, to_string(file, place_of(text, start)),
                         "an object or a List is expected here, as kubectl get -o json prints it"};
    }
    std::string_view kind;
    if (object["kind"].get_string().get(kind) != simdjson::SUCCESS) kind = {};
    simdjson::dom::element items;
    const bool is_list = object["items"].get(items) == simdjson::SUCCESS;
    const std::string_view whole = text.substr(start, end - start);
    const auto status =
        is_list ? read_list(whole, kind, file, into) : into.add_json(whole, std::nullopt, {file});
    if (!status) return status;
    start = end;
  }
  return std::monostate{};
}

base::Status add_value(const json& value, std::optional<Kind> kind, const Origin& origin,
                       ClusterBuilder& into) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::size_t size = text.size();
  text.append(json_padding, ' ');
  return into.add_json(std::string_view(text).substr(0, size), kind, origin);
}

base::Status read_yaml(std::string_view text, const std::string& file, ClusterBuilder& into,
                       std::vector<model::Warning>& warnings) {
  const auto documents = yaml_to_json(text, file, warnings);
  if (!documents) return documents.error();
  for (std::size_t number = 0; number < documents->size(); ++number) {
    const json& document = (*documents)[number];
    if (!document.is_object()) {
      return base::Error{base::ErrorKind::Malformed,
                         fmt::format("{} document {}", file, number + 1),
                         "an object or a List is expected here, as kubectl get -o yaml prints it"};
    }
    const auto items = document.find("items");
    if (items == document.end() || !items->is_array()) {
      if (auto added = add_value(document, std::nullopt, {file}, into); !added) return added;
      continue;
    }
    const std::string kind = document.value("kind", json("List")).is_string()
                                 ? document.value("kind", std::string("List"))
                                 : std::string("List");
    const auto of = item_kind(kind);
    if (!of && kind != "List") continue;
    if (of) into.mark_seen(*of);
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (auto added = add_value((*items)[i], of, {file, i}, into); !added) return added;
    }
  }
  return std::monostate{};
}

}  // namespace

base::Status read_documents(std::string content, const std::string& file, ClusterBuilder& into,
                            std::vector<model::Warning>& warnings) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  constexpr std::size_t opening = 512;
  const std::size_t text_start = content.starts_with(mark) ? mark.size() : 0;
  const auto malformed = [&](std::string what) {
    return base::Error{base::ErrorKind::Malformed, file, std::move(what)};
  };
  if (const auto foreign = foreign_content(std::string_view(content).substr(0, opening))) {
    return malformed(fmt::format("this is {}, not JSON or YAML{}{}", foreign->what,
                                 foreign->advice.empty() ? "" : "; ", foreign->advice));
  }
  const std::size_t start = content.find_first_not_of(spaces, text_start);
  if (start == content.npos) return malformed("the file is empty; JSON or YAML is expected");
  if (const auto bad = invalid_utf8(content)) {
    return base::Error{base::ErrorKind::Malformed, to_string(file, place_of(content, *bad)),
                       "the text is not valid UTF-8 here"};
  }
  if (content[start] == '{' || content[start] == '[') {
    const std::size_t size = content.size();
    content.append(json_padding, ' ');
    return read_json(std::string_view(content).substr(0, size), start, file, into);
  }
  return read_yaml(std::string_view(content).substr(text_start), file, into, warnings);
}

}  // namespace dsdoctor::decode
