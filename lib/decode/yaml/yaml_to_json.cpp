// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_to_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "decode/bytes/sniff.h"
#include "decode/yaml/yaml_events.h"
#include "decode/yaml/yaml_writer.h"

namespace dsdoctor::decode {
namespace {

constexpr std::size_t max_bytes = std::size_t{256} << 20U;

/// Rejects many %TAG directives, because libyaml compares each with all others.
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
  YamlWriter::Write write;  // see YamlWriter
  std::function<base::Status(YamlWriter&)> take;
};

/// Thrown if the output is so large that only aliases can be the reason.
struct TooLong {};

base::Status parse(std::string_view text, const Run& run) {
  YamlEvents events(text);
  YamlWriter writer({text, run.file}, run.warnings, run.write);
  for (;;) {
    const yaml_event_t& event = events.next();
    if (event.type == YAML_STREAM_END_EVENT) return std::monostate{};
    if (event.type == YAML_DOCUMENT_START_EVENT) writer.begin_document();
    writer.add(event);
    if (event.type != YAML_DOCUMENT_END_EVENT) continue;
    if (auto taken = run.take(writer); !taken) return taken;
  }
}

base::Status read(std::string_view content, const Run& run) {
  if (content.size() > max_bytes) {
    return base::Error{base::ErrorKind::Malformed, std::string(run.file),
                       "YAML of more than 256 MiB is not supported; use JSON: kubectl get -o json"};
  }
  std::string copy;
  const std::string_view text = without_byte_order_marks(content, copy);
  if (auto error = many_directives(text, run.file)) return *error;
  try {
    return parse(text, run);
  } catch (const YamlStop& stop) {
    return error_at(text, run.file, stop);
  }
}

}  // namespace

base::Result<std::vector<std::string>> yaml_documents(std::string_view content,
                                                      std::string_view file,
                                                      std::vector<model::Warning>& warnings) {
  std::vector<std::string> result;
  const auto take = [&](YamlWriter& writer) -> base::Status {
    std::string document = writer.take();
    if (document != "null") result.push_back(std::move(document));
    return std::monostate{};
  };
  if (auto status = read(content, {file, warnings, nullptr, take}); !status) return status.error();
  return result;
}

base::Result<std::vector<nlohmann::json>> yaml_to_json(std::string_view content,
                                                       std::string_view file,
                                                       std::vector<model::Warning>& warnings) {
  const auto documents = yaml_documents(content, file, warnings);
  if (!documents) return documents.error();
  std::vector<nlohmann::json> result;
  result.reserve(documents->size());
  for (const std::string& document : *documents) {
    result.push_back(nlohmann::json::parse(document));
  }
  return result;
}

base::Result<YamlText> yaml_to_text(std::string_view content, std::string_view file,
                                    std::vector<model::Warning>& warnings) {
  const std::size_t most = (std::size_t{12} << 20U) + 4 * content.size();
  YamlText result;
  std::size_t written = 0;
  std::size_t number = 0;
  const YamlWriter::Write write = [&](std::string_view piece) {
    written += piece.size();
    if (written > most) throw TooLong{};
    auto& pieces = result.pieces;
    if (pieces.empty() || pieces.back().size() + piece.size() > YamlText::piece_bytes) {
      pieces.emplace_back().reserve(std::max(piece.size(), YamlText::piece_bytes));
    }
    pieces.back() += piece;
  };
  const auto take = [&](YamlWriter& writer) -> base::Status {
    const std::string document = writer.take();
    if (writer.lacks_end()) {
      return base::Error{base::ErrorKind::Malformed, std::string(file), yaml_list_without_kind};
    }
    if (document == "null") return std::monostate{};
    ++number;
    if (writer.wrote_items() || document.starts_with('{')) {
      write(document);
      write("\n");
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
