// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsdoctor::base {
namespace {

/// Maximum number of bytes of `limit` to give up for a whole word or bracket.
std::size_t spare(std::size_t limit) { return std::max<std::size_t>(24, limit / 2); }

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// At most the first `limit` bytes. REQUIRES: the text is longer.
std::string_view head_of(std::string_view text, std::size_t limit) {
  const std::size_t blank = text.rfind(' ', limit);
  if (blank != text.npos && blank > 0 && limit - blank <= spare(limit)) {
    return text.substr(0, blank);
  }
  while (limit > 0 && continues_character(text[limit])) --limit;
  return text.substr(0, limit);
}

/// At most the last `limit` bytes. REQUIRES: the text is longer.
std::string_view tail_of(std::string_view text, std::size_t limit) {
  std::size_t begin = text.size() - limit;
  const std::size_t blank = text.find(' ', begin - 1);
  if (blank != text.npos && blank + 1 < text.size() && blank - begin + 1 <= spare(limit)) {
    return text.substr(blank + 1);
  }
  while (begin < text.size() && continues_character(text[begin])) ++begin;
  return text.substr(begin);
}

/// Reports whether the character is a quotation mark without a backslash before it.
bool is_quote(std::string_view text, std::size_t at) {
  return text[at] == '"' && (at == 0 || text[at - 1] != '\\');
}

bool is_open_quotation(std::string_view part) {
  bool open = false;
  for (std::size_t i = 0; i < part.size(); ++i) open = open != is_quote(part, i);
  return open;
}

/// Places of brackets that have no partner in the same text.
struct LoneBrackets {
  std::vector<std::size_t> opening;
  std::vector<std::size_t> closing;
};

LoneBrackets lone_brackets(std::string_view text) {
  LoneBrackets result;
  for (std::size_t at = 0; (at = text.find_first_of("()", at)) != text.npos; ++at) {
    if (text[at] == '(') {
      result.opening.push_back(at);
    } else if (result.opening.empty()) {
      result.closing.push_back(at);
    } else {
      result.opening.pop_back();
    }
  }
  return result;
}

/// Drops the part in a bracket that opens or closes in the gap between the two, if the part is
/// short.
void drop_half_brackets(std::string_view& head, std::string_view& tail) {
  const std::vector<std::size_t> opening = lone_brackets(head).opening;
  const std::vector<std::size_t> closing = lone_brackets(tail).closing;
  if (opening.size() > closing.size()) {
    const std::size_t begin = opening[closing.size()];
    if (begin == 0 || head.size() - begin > spare(head.size())) return;
    head = head.substr(0, head.find_last_not_of(' ', begin - 1) + 1);
  } else if (closing.size() > opening.size()) {
    const std::size_t end = closing[closing.size() - opening.size() - 1] + 1;
    if (end > spare(tail.size())) return;
    tail.remove_prefix(std::min(tail.find_first_not_of(" ,;:.", end), tail.size()));
  }
}

}  // namespace

std::string without_middle(std::string_view text, std::size_t limit) {
  constexpr std::string_view gap = " ... ";
  if (text.size() <= limit) return std::string(text);
  const std::size_t room = limit - std::min(limit, gap.size());
  std::string_view head = head_of(text, room / 2);
  const std::size_t rest = room - room / 2;
  std::string_view tail = tail_of(text, rest);
  drop_half_brackets(head, tail);
  const auto loses_quote = [&] {
    return is_open_quotation(text.substr(head.size(), text.size() - head.size() - tail.size()));
  };
  if (!loses_quote()) return fmt::format("{}{}{}", head, gap, tail);
  tail = tail_of(text, rest - std::min<std::size_t>(rest, 1));  // room for a quote
  if (!loses_quote()) return fmt::format("{}{}{}", head, gap, tail);
  return is_open_quotation(head) ? fmt::format("{} ...\" {}", head, tail)
                                 : fmt::format("{} ... \"{}", head, tail);
}

std::vector<std::string_view> split(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(mark);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + mark.size());
  }
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string listed(const std::vector<std::string>& names, std::size_t shown) {
  return listed(
      names.size(), [&](std::size_t i) { return names[i]; }, shown);
}

std::string listed(std::size_t count, const std::function<std::string(std::size_t)>& name,
                   std::size_t shown) {
  std::string result;
  for (std::size_t i = 0; i < std::min(shown, count); ++i) {
    result.append(i == 0 ? "" : ", ").append(name(i));
  }
  if (count > shown) result += fmt::format(" and {} more", count - shown);
  return result;
}

}  // namespace dsdoctor::base
