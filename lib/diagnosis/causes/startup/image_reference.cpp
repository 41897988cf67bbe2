// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/image_reference.h"

#include <algorithm>

namespace dsdoctor::diagnosis {
namespace {

constexpr std::size_t searched = 4096;
constexpr std::string_view separators = " \t\r\n\"'\\";

/// "docker.io/library/nginx:latest" for "nginx".
std::string normalized(std::string_view reference) {
  const std::string_view path = reference.substr(0, reference.find('@'));
  const std::size_t slash = path.find('/');
  const std::string_view first = path.substr(0, slash);
  const bool has_registry =
      slash != std::string_view::npos &&
      (first.find_first_of(".:") != std::string_view::npos || first == "localhost");
  std::string_view rest = has_registry ? reference.substr(slash + 1) : reference;
  std::string result(has_registry && first != "index.docker.io" ? first : "docker.io");
  result += '/';
  if (result == "docker.io/" && rest.substr(0, rest.find('@')).find('/') == std::string_view::npos)
    result += "library/";
  result += rest;
  const std::size_t last = path.rfind('/');
  const bool has_tag =
      path.substr(last == std::string_view::npos ? 0 : last).find(':') != std::string_view::npos;
  if (!has_tag && path.size() == reference.size()) result += ":latest";
  return result;
}

/// True for a reference, a digest or an address: a word with a slash, or with an inner colon or at
/// sign.
bool is_reference(std::string_view word) {
  if (word.starts_with("i/o")) return false;
  if (word.find('/') != std::string_view::npos) return true;
  const std::size_t inside = word.find_first_of(":@");
  return inside != std::string_view::npos && inside > 0 && inside + 1 < word.size();
}

}  // namespace

bool is_same_image(std::string_view a, std::string_view b) {
  return a == b || normalized(a) == normalized(b);
}

std::optional<std::string_view> quoted_image(std::string_view text) {
  constexpr std::string_view before = "mage \"";  // matches "Image" and "image"
  const std::size_t at = text.substr(0, searched).find(before);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find('"'));
}

std::string without_references(std::string_view text, std::string_view image) {
  text = text.substr(0, searched);
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    const std::string_view word = text.substr(0, end);
    if (word != image && !is_reference(word)) result += word;
    if (end < text.size()) result += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
