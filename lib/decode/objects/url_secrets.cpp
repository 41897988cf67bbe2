// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/url_secrets.h"

#include <array>

#include "base/text.h"

namespace dsdoctor::decode {
namespace {

constexpr std::string_view instead = "xxxxx";  // as in Go's URL.Redacted
constexpr std::string_view ends_of_word = " \t\r\n\"'`<>\\";

/// Reports whether a parameter of the API server, webhooks or registries contains no secret.
bool is_open_parameter(std::string_view name) {
  constexpr std::array<std::string_view, 13> open = {
      "allowWatchBookmarks", "dryRun", "fieldManager", "fieldSelector",
      "labelSelector",       "limit",  "ns",           "pretty",
      "resourceVersion",     "scope",  "service",      "timeout",
      "timeoutSeconds"};
  return std::ranges::find(open, name) != open.end();
}

/// Reports whether the text after a host is a port, ":5000", or empty.
bool is_port(std::string_view text) { return text.empty() || base::is_number(text.substr(1)); }

/// The position of the "@" that ends the userinfo starting at `from`, or npos. A password may
/// contain an unescaped "/": then the text after the ":" is not a port. `last` is the position of
/// the last "@" in the word.
std::size_t end_of_userinfo(std::string_view word, std::size_t from, std::size_t last) {
  if (last == word.npos || last < from) return word.npos;
  const std::size_t end = std::min(word.find_first_of("/?#,", from), word.size());
  const std::size_t at = word.substr(from, end - from).rfind('@');
  if (at != word.npos) return from + at;
  const std::size_t colon = word.substr(0, end).find(':', from);
  if (colon >= end || is_port(word.substr(colon, end - colon))) return word.npos;
  return word.find('@', end);
}

std::string without_userinfo(std::string_view word) {
  std::string result;
  const std::size_t last = word.rfind('@');
  std::size_t done = 0;
  std::size_t from = 0;  // start of the text still to be searched
  for (std::size_t at = word.find("://"); at != word.npos; at = word.find("://", from)) {
    from = at + 3;
    const std::size_t end = end_of_userinfo(word, from, last);
    if (end == word.npos || end == from) continue;
    result.append(word.substr(done, from - done)).append(instead);
    done = from = end;
  }
  return result.append(word.substr(done));
}

/// Hides the userinfo in "user:password@host/path" without a scheme, but not in "app:1@sha256:..."
/// or "oidc:jane@corp.example".
std::string without_bare_userinfo(std::string_view word) {
  const std::size_t at = word.find('@');
  const std::size_t from = word.find_first_not_of("([{=,;");
  if (at == word.npos || word.find("://") != word.npos) return std::string(word);
  const std::string_view front = word.substr(from, at - from);
  const std::size_t colon = front.find(':');
  const bool is_userinfo = colon != front.npos && colon > 0 && colon + 1 < front.size() &&
                           front.find('/') == front.npos && word.find('/', at) != word.npos;
  if (!is_userinfo) return std::string(word);
  return std::string(word.substr(0, from)).append(instead).append(word.substr(at));
}

/// "a=xxxxx" for "a=b". In a URL, text without "=" is a value.
void append_parameter(std::string& into, std::string_view parameter, bool of_url) {
  const std::size_t equals = parameter.find('=');
  const std::size_t start = equals == parameter.npos ? 0 : equals + 1;
  const std::size_t last = parameter.find_last_not_of(".,:)]}");
  const std::size_t end = last == parameter.npos ? 0 : last + 1;
  const bool hidden =
      equals == parameter.npos ? of_url : !is_open_parameter(parameter.substr(0, equals));
  if (!hidden || start >= end) {
    into += parameter;
    return;
  }
  into.append(parameter.substr(0, start)).append(instead).append(parameter.substr(end));
}

std::string without_query(std::string_view word) {
  std::size_t at = word.find_first_of("?#");
  if (at == word.npos) return std::string(word);
  const bool of_url = word.substr(0, at).find("://") != word.npos;
  std::string result(word.substr(0, at));
  while (at < word.size()) {
    result += word[at++];
    const std::size_t end = std::min(word.find_first_of("?#&;", at), word.size());
    append_parameter(result, word.substr(at, end - at), of_url);
    at = end;
  }
  return result;
}

/// "https://h/" for "https:\/\/h\/", an escape that some JSON writers use, even if escaped
/// repeatedly.
std::string without_escaped_slashes(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of('\\', at), text.size());
    const bool is_escape = end < text.size() && text[end] == '/';
    if (!is_escape) result += text.substr(at, end - at);
    if (end < text.size()) result += text[end];
    at = end + 1;
  }
  return result;
}

std::string without_secrets(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find_first_of(ends_of_word, at), text.size());
    if (end == at) {
      result += text[at++];
      continue;
    }
    const std::string_view word = text.substr(at, end - at);
    const bool may_hold = word.find_first_of("?@#") != word.npos;
    result +=
        may_hold ? without_query(without_bare_userinfo(without_userinfo(word))) : std::string(word);
    at = end;
  }
  return result;
}

}  // namespace

std::optional<std::string> without_url_secrets(std::string_view text) {
  if (text.find_first_of("?@#") == text.npos) return std::nullopt;
  std::string plain;
  if (text.find(R"(\/)") != text.npos) text = plain = without_escaped_slashes(text);
  std::string result = without_secrets(text);
  if (result == text) return std::nullopt;
  return result;
}

}  // namespace dsdoctor::decode
