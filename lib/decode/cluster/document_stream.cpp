// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/document_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "decode/bytes/read_ahead.h"
#include "decode/bytes/sniff.h"
#include "decode/cluster/json_stream.h"
#include "decode/json/json_padding.h"

namespace dsdoctor::decode {
namespace {

base::Error too_large(const StreamedFile& file, std::uint64_t limit) {
  base::Error error{base::ErrorKind::Malformed, file.name, ""};
  if (limit == file.most_in_memory) {
    error.what = fmt::format("is larger than {} MiB, the limit for one packed file", limit >> 20U);
    error.hints = {"unpack it first, and read the unpacked file"};
  } else {
    error.what =
        fmt::format("is larger than {} MiB, the limit for what is no list of JSON", limit >> 20U);
  }
  return error;
}

/// Adds pieces to `content` until it has more than `most` bytes. Returns true at the end of the
/// stream. Errors: those of the stream; Malformed beyond `limit`.
base::Result<bool> fill(std::string& content, std::size_t most, std::uint64_t limit,
                        const StreamedFile& file) {
  if (most > limit && file.size > limit) return too_large(file, limit);
  content.reserve(std::min(file.size, most) + json_padding);
  while (content.size() <= most) {
    auto piece = file.bytes.next();
    if (!piece) return piece.error();
    if (piece->empty()) return true;
    content += *piece;
    if (content.size() > limit) return too_large(file, limit);
  }
  return false;
}

constexpr std::size_t all = std::string::npos - json_padding;

/// Reports whether the text begins like a JSON object; YAML in flow style can begin the same way.
bool opens_object_of_json(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == text.npos || text[start] != '{') return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", start + 1);
  return next != text.npos && (text[next] == '"' || text[next] == '}');
}

}  // namespace

base::Result<std::string> content_of(const StreamedFile& file) {
  std::string content;
  const auto filled = fill(content, all, file.most_in_memory, file);
  if (!filled) return filled.error();
  return content;
}

base::Status read_document_stream(const StreamedFile& file, ClusterBuilder& builder,
                                  std::vector<model::Warning>& warnings, const Expected& expected) {
  std::string content;
  auto ended = fill(content, file.held, file.most_in_memory, file);
  if (!ended) return ended.error();
  std::string_view opening = content;
  if (opening.starts_with(byte_order_mark)) opening.remove_prefix(byte_order_mark.size());
  if (!*ended && !opens_object_of_json(opening)) {
    if (auto known = check_content(content, file.name); !known) return known;
    ended = fill(content, all, std::min(file.most_in_memory, file.most_at_once), file);
    if (!ended) return ended.error();
  }
  if (*ended) return read_documents(std::move(content), file.name, builder, warnings, expected);

  if (file.in_pieces != nullptr) *file.in_pieces = true;
  if (expected.fields != nullptr) warnings.push_back(fields_not_checked(file.name));
  const ObjectSink into{builder, expected.kind, expected.ns, expected.passed_over, expected.fields};
  JsonStream values(file.name, into);
  if (auto fed = values.feed(opening); !fed) return fed;
  content = {};
  ReadAhead bytes(file.bytes);
  for (;;) {
    const auto piece = bytes.next();
    if (!piece) return piece.error();
    if (piece->empty()) break;
    if (auto fed = values.feed(*piece); !fed) return fed;
  }
  if (auto finished = values.finish(); !finished) return finished;
  std::string other = values.take_other();
  if (other.empty()) return std::monostate{};
  // Line numbers start there.
  return read_documents(std::move(other), file.name + " (behind the last list)", builder, warnings,
                        expected);
}

}  // namespace dsdoctor::decode
