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

/// Adds pieces to `content` until it has more than `most` bytes; true at the end of the stream.
base::Result<bool> fill(std::string& content, std::size_t most, const StreamedFile& file) {
  const auto too_large = [&] {
    return base::Error{base::ErrorKind::Malformed,
                       file.name,
                       fmt::format("is larger than {} MiB, the limit for one packed file",
                                   file.most_in_memory >> 20U),
                       {"unpack it first, and read the unpacked file"}};
  };
  if (most > file.most_in_memory && file.size > file.most_in_memory) return too_large();
  content.reserve(std::min(file.size, most) + json_padding);
  while (content.size() <= most) {
    auto piece = file.bytes.next();
    if (!piece) return piece.error();
    if (piece->empty()) return true;
    content += *piece;
    if (content.size() > file.most_in_memory) return too_large();
  }
  return false;
}

constexpr std::size_t all = std::string::npos - json_padding;

/// By its first bytes; YAML in flow style may begin like it.
bool opens_object_of_json(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == text.npos || text[start] != '{') return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", start + 1);
  return next != text.npos && (text[next] == '"' || text[next] == '}');
}

}  // namespace

base::Result<std::string> content_of(const StreamedFile& file) {
  std::string content;
  const auto filled = fill(content, all, file);
  if (!filled) return filled.error();
  return content;
}

base::Status read_document_stream(const StreamedFile& file, ClusterBuilder& builder,
                                  std::vector<model::Warning>& warnings, const Expected& expected) {
  std::string content;
  auto ended = fill(content, file.held, file);
  if (!ended) return ended.error();
  std::string_view opening = content;
  if (opening.starts_with(byte_order_mark)) opening.remove_prefix(byte_order_mark.size());
  if (!*ended && !opens_object_of_json(opening)) {
    ended = fill(content, all, file);
    if (!ended) return ended.error();
  }
  if (*ended) return read_documents(std::move(content), file.name, builder, warnings, expected);

  if (file.in_pieces != nullptr) *file.in_pieces = true;
  const Target into{builder, expected.kind, expected.ns, expected.passed_over};
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
  // Lines are counted from there.
  return read_documents(std::move(other), file.name + " (behind the last list)", builder, warnings,
                        expected);
}

}  // namespace dsdoctor::decode
