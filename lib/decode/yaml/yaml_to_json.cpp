// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_to_json.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "decode/bytes/sniff.h"
#include "decode/yaml/yaml_builder.h"
#include "decode/yaml/yaml_source.h"

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

constexpr std::size_t max_bytes = std::size_t{256} << 20U;

/// Reports whether the quoted string at `mark` is not closed. yaml-cpp 0.7 accepts the end of the
/// file as a closing quote, so a file cut off inside a string would look complete. Only the last
/// string can be open.
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

/// yaml-cpp names the grammar rule that failed; users need to know what to fix.
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

/// yaml-cpp's error with a message about the fix.
base::Error explained(std::string_view text, std::string_view file,
                      const YAML::ParserException& error) {
  for (const int line : {error.mark.line, error.mark.line - 1}) {
    if (line < 0 || !indented_by_tab(line_at(text, line))) continue;
    const std::size_t column = line_at(text, line).find('\t');
    return {base::ErrorKind::Malformed, fmt::format("{}:{}:{}", file, line + 1, column + 1),
            "a tab is used for indentation; YAML allows only spaces"};
  }
  if (dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr) {
    return error_at(text, file, error.mark, yaml_too_deep);
  }
  return error_at(text, file, error.mark, in_our_words(error.msg));
}

constexpr std::string_view mark_on_line = "\n\xEF\xBB\xBF";

/// `text` without byte order marks. Tools of Windows begin each file with one; concatenated files
/// have them on any line. The result refers to `text` or `copy`.
std::string_view without_marks(std::string_view text, std::string& copy) {
  constexpr std::string_view mark = mark_on_line.substr(1);
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  std::size_t next = text.find(mark_on_line);
  if (next == std::string_view::npos) return text;
  copy.reserve(text.size());
  for (; next != std::string_view::npos; next = text.find(mark_on_line)) {
    copy.append(text.substr(0, next + 1));
    text.remove_prefix(next + mark_on_line.size());
  }
  return copy.append(text);
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

/// Rejects many %TAG directives, because yaml-cpp keeps a string for each.
std::optional<base::Error> many_directives(std::string_view text, std::string_view file) {
  constexpr std::size_t most = 1000;
  std::size_t count = 0;
  for (std::size_t at = text.find("%TAG"); at != text.npos; at = text.find("%TAG", at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    if (++count > most) {
      return base::Error{base::ErrorKind::Malformed, to_string(file, place_of(text, at)),
                         fmt::format("more than {} %TAG directives, the limit", most)};
    }
  }
  return std::nullopt;
}

/// Parameters of a parser's run: input, output, and a function for each document.
struct Run {
  std::string_view file;
  std::vector<model::Warning>& warnings;
  YamlBuilder::Write write;  // see YamlBuilder
  std::function<base::Status(YamlBuilder&)> take;
};

/// Thrown if the output is so large that only aliases can be the reason.
struct TooLong {};

/// `offset` is the end of the text that was parsed. The value with brackets may begin after it.
base::Error too_many_parts(std::string_view text, std::string_view file, std::size_t offset) {
  if (const auto at = text.find_first_of("[{", offset); at != text.npos) offset = at;
  return {base::ErrorKind::Malformed, to_string(file, place_of(text, offset)),
          fmt::format("a value with more than {} indicators ([ ] {{ }} , : and quotes), the limit; "
                      "write it in lines without brackets, or the whole file as JSON",
                      YamlSource::most_ahead)};
}

base::Status parse(std::string_view text, const Run& run) {
  YamlSource source(text);
  std::istream stream(&source);
  YamlBuilder builder({text, run.file, source}, run.warnings, run.write);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
      if (auto taken = run.take(builder); !taken) return taken;
    }
  } catch (const YamlStop& stop) {
    return error_at(text, run.file, stop.mark, stop.what_text);
  } catch (const YamlSource::TooFarAhead& ahead) {
    return too_many_parts(text, run.file, ahead.from);
  } catch (const YAML::ParserException& error) {
    return explained(text, run.file, error);
  } catch (const YAML::Exception& error) {
    return error_at(text, run.file, error.mark, in_our_words(error.msg));
  }
  if (const auto& mark = builder.last_quoted(); mark && is_open_quote(text, *mark)) {
    return error_at(text, run.file, *mark, "the quoted string that begins here is not closed");
  }
  return std::monostate{};
}

base::Status read(std::string_view content, const Run& run) {
  if (content.size() > max_bytes) {
    return base::Error{base::ErrorKind::Malformed, std::string(run.file),
                       "YAML of more than 256 MiB is not supported; use JSON: kubectl get -o json"};
  }
  std::string copy;
  const std::string_view text = without_marks(content, copy);
  if (auto error = control_character(text, run.file)) return *error;
  if (auto error = many_directives(text, run.file)) return *error;
  return parse(text, run);
}

bool has_kind(const json& fields) {
  const auto kind = fields.find("kind");
  return kind != fields.end() && kind->is_string() && !kind->get_ref<const std::string&>().empty();
}

/// Writes the fields after the items of a list, and its end.
base::Status end_list(const json& before, const json& behind, std::string_view file,
                      const YamlBuilder::Write& write) {
  const auto has_end = [](const json& fields) {  // kind and metadata come after items
    return has_kind(fields) || fields.contains("metadata");
  };
  if (before.is_object() && !has_end(before) && !has_end(behind)) {
    return base::Error{base::ErrorKind::Malformed, std::string(file),
                       "a list without kind; is the file cut off? kind: List comes after items"};
  }
  const std::string fields = behind.dump(-1, ' ', false, json::error_handler_t::replace);
  if (!behind.empty()) write(",");
  write(std::string_view(fields).substr(1));  // without the opening brace
  write("\n");
  return std::monostate{};
}

}  // namespace

base::Result<std::vector<nlohmann::json>> yaml_to_json(std::string_view content,
                                                       std::string_view file,
                                                       std::vector<model::Warning>& warnings) {
  std::vector<json> result;
  const auto status = read(content, {file, warnings, nullptr, [&](YamlBuilder& builder) {
                                       auto document = builder.take();
                                       if (document && !document->is_null()) {
                                         result.push_back(std::move(*document));
                                       }
                                       return base::Status(std::monostate{});
                                     }});
  if (!status) return status.error();
  return result;
}

base::Result<YamlText> yaml_to_text(std::string_view content, std::string_view file,
                                    std::vector<model::Warning>& warnings) {
  const std::size_t most = (std::size_t{12} << 20U) + 4 * content.size();
  YamlText result;
  std::size_t written = 0;
  std::size_t number = 0;
  const YamlBuilder::Write write = [&](std::string_view piece) {
    written += piece.size();
    if (written > most) throw TooLong{};
    auto& pieces = result.pieces;
    if (pieces.empty() || pieces.back().size() + piece.size() > YamlText::piece_bytes) {
      pieces.emplace_back().reserve(std::max(piece.size(), YamlText::piece_bytes));
    }
    pieces.back() += piece;
  };
  const auto take = [&](YamlBuilder& builder) -> base::Status {
    const auto document = builder.take();
    if (builder.wrote_items()) {
      ++number;
      return end_list(builder.before_items(), *document, file, write);
    }
    if (!document || document->is_null()) return std::monostate{};
    ++number;
    if (document->is_object()) {
      write(document->dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
    } else if (!result.other) {
      result.other = number;
    }
    return std::monostate{};
  };
  try {
    if (auto status = read(content, {file, warnings, write, take}); !status) return status.error();
  } catch (const TooLong&) {
    return base::Error{base::ErrorKind::Malformed, std::string(file),
                       fmt::format("the aliases of this file grow beyond {} MiB; write the values "
                                   "out",
                                   most >> 20U)};
  }
  return result;
}

}  // namespace dsdoctor::decode
