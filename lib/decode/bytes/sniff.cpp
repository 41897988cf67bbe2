// SPDX-License-Identifier: Apache-2.0
#include "decode/bytes/sniff.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace dsdoctor::decode {
namespace {

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view advice;
};

using std::string_view_literals::operator""sv;  // NOLINT(misc-unused-using-decls): used below

constexpr std::string_view decompress = "decompress it first";
constexpr std::string_view unpack = "unpack it first, and read the folder";
constexpr std::string_view utf16 =
    "save it as UTF-8; Windows PowerShell does with: | Out-File -Encoding utf8";
constexpr std::array<Magic, 13> magics = {{
    {"\x1f\x8b"sv, "gzip-compressed data", decompress},
    {"\x28\xb5\x2f\xfd"sv, "zstd-compressed data", decompress},
    {"\xfd"
     "7zXZ"sv,
     "xz-compressed data", decompress},
    {"BZh"sv, "bzip2-compressed data", decompress},
    {"\x04\x22\x4d\x18"sv, "lz4-compressed data", decompress},
    {"\x02\x21\x4c\x18"sv, "lz4-compressed data in the legacy format", decompress},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", unpack},
    {"Rar!\x1a\x07"sv, "a RAR archive", unpack},
    {"PK\x03\x04"sv, "a zip archive", unpack},
    {"k8s\0"sv, "a Kubernetes protobuf message", "ask for JSON instead: kubectl get ... -o json"},
    {"\x7f"
     "ELF"sv,
     "an executable", ""},
    {"\xff\xfe"sv, "UTF-16 text", utf16},
    {"\xfe\xff"sv, "UTF-16 text", utf16},
}};

constexpr std::string_view as_json = "save the objects instead: kubectl get ... -o json";

bool is_header(std::string_view word) {
  return word.size() > 1 && std::ranges::all_of(word, [](char c) {
           return base::is_upper(c) || base::is_digit(c) || c == '-' || c == '_';
         });
}

/// The output of kubectl for people; absent if the text does not look like it.
std::optional<Foreign> text_of_kubectl(std::string_view text) {
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  if (line.starts_with("No resources found")) {
    return Foreign{"the output of kubectl get that found nothing", std::string(as_json)};
  }
  if (line.starts_with("NAME ") || line.starts_with("NAMESPACE ")) {
    const std::size_t gap = line.find("  ");
    const std::size_t second = line.find_first_not_of(' ', line.find(' '));
    const auto word = line.substr(std::min(second, line.size()));
    if (gap != line.npos && is_header(word.substr(0, word.find(' ')))) {
      return Foreign{"a table that kubectl get printed", std::string(as_json)};
    }
  }
  const std::size_t next = text.find('\n');
  const auto second = next == text.npos ? std::string_view() : text.substr(next + 1);
  const std::string_view key = second.substr(0, second.find(':'));
  if (line.starts_with("Name:  ") && !key.empty() && base::is_upper(key.front())) {
    return Foreign{"the output of kubectl describe", std::string(as_json)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Foreign> foreign_content(std::string_view opening) {
  for (const Magic& magic : magics) {
    if (opening.starts_with(magic.bytes)) {
      return Foreign{std::string(magic.what), std::string(magic.advice)};
    }
  }
  if (opening.size() > 262 && opening.substr(257, 5) == "ustar") {
    return Foreign{"a tar archive", std::string(unpack)};
  }
  if (opening.find('\0') != std::string_view::npos) return Foreign{"binary data", ""};
  const std::size_t first = opening.find_first_not_of(" \t\r\n");
  const std::string_view text = first == std::string_view::npos ? "" : opening.substr(first);
  if (base::same_ignoring_case(text.substr(0, std::string_view("<!doctype html").size()),
                               "<!doctype html") ||
      base::same_ignoring_case(text.substr(0, std::string_view("<html").size()), "<html")) {
    return Foreign{"an HTML page", "a proxy or a login page answered instead of the API server"};
  }
  if (base::same_ignoring_case(text.substr(0, std::string_view("<?xml").size()), "<?xml"))
    return Foreign{"an XML document", ""};
  return text_of_kubectl(text);
}

bool opens_objects(std::string_view opening) {
  constexpr std::string_view spaces = " \t\r\n";
  if (opening.starts_with(byte_order_mark)) opening.remove_prefix(byte_order_mark.size());
  const auto skip_spaces = [&] {
    opening.remove_prefix(std::min(opening.find_first_not_of(spaces), opening.size()));
  };
  skip_spaces();
  if (opening.starts_with("---")) {
    opening.remove_prefix(3);
    skip_spaces();
  }
  if (opening.starts_with('[')) {
    opening.remove_prefix(1);
    skip_spaces();
  }
  if (opening.starts_with('{')) {
    opening.remove_prefix(1);
    skip_spaces();
    return opening.starts_with('"');
  }
  return opening.starts_with("apiVersion:") || opening.starts_with("kind:") ||
         opening.starts_with("items:");
}

Place place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto is_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return {
      1 + static_cast<std::size_t>(std::ranges::count(before, '\n')),
      1 + static_cast<std::size_t>(std::ranges::count_if(before.substr(line_start), is_character))};
}

std::string to_string(std::string_view file, Place place) {
  return fmt::format("{}:{}:{}", file, place.line, place.column);
}

std::optional<std::size_t> invalid_utf8(std::string_view text) {
  if (simdjson::validate_utf8(text)) return std::nullopt;
  // Halving is sound only between characters; a line feed is never inside one.
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t line_end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string_view line = text.substr(start, line_end - start);
    if (!simdjson::validate_utf8(line)) {
      std::size_t good = 0;  // the longest valid start of the line
      for (std::size_t n = 1; n <= line.size() && n <= good + 4; ++n) {
        if (simdjson::validate_utf8(line.substr(good, n - good))) good = n;
      }
      return start + good;
    }
    start = line_end;
  }
  return text.size();
}

std::string quoted_opening(std::string_view text, std::size_t at_most) {
  std::string shown;
  for (const char c : text.substr(0, at_most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || byte >= 0x80) {
      if (c == '\n') break;
      shown += '?';
    } else {
      shown += c;
    }
  }
  return fmt::format("\"{}{}\"", shown, shown.size() < text.size() ? "..." : "");
}

}  // namespace dsdoctor::decode
