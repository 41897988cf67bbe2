#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsdoctor::base {
namespace {

/// Bytes that are given up for a whole word.
std::size_t spare(std::size_t limit) { return std::max<std::size_t>(24, limit / 3); }

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// The first `limit` bytes or less. REQUIRES: there are more.
std::string_view head_of(std::string_view text, std::size_t limit) {
  const std::size_t blank = text.rfind(' ', limit);
  if (blank != text.npos && blank > 0 && limit - blank <= spare(limit))
    return text.substr(0, blank);
  while (limit > 0 && continues_character(text[limit])) --limit;
  return text.substr(0, limit);
}

/// The last `limit` bytes or less. REQUIRES: there are more.
std::string_view tail_of(std::string_view text, std::size_t limit) {
  std::size_t begin = text.size() - limit;
  const std::size_t blank = text.find(' ', begin - 1);
  if (blank != text.npos && blank + 1 < text.size() && blank - begin + 1 <= spare(limit)) {
    return text.substr(blank + 1);
  }
  while (begin < text.size() && continues_character(text[begin])) ++begin;
  return text.substr(begin);
}

/// A quotation mark that no backslash precedes.
bool is_quote(std::string_view text, std::size_t at) {
  return text[at] == '"' && (at == 0 || text[at - 1] != '\\');
}

bool is_open_quotation(std::string_view part) {
  bool open = false;
  for (std::size_t i = 0; i < part.size(); ++i) open = open != is_quote(part, i);
  return open;
}

/// Where a bracket opens that is not closed; npos where there is none.
std::size_t unclosed_bracket(std::string_view part) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '(') open.push_back(i);
    if (part[i] == ')' && !open.empty()) open.pop_back();
  }
  return open.empty() ? std::string_view::npos : open.front();
}

/// Where the last bracket closes that was not opened; npos where there is none.
std::size_t unopened_bracket(std::string_view part) {
  std::size_t open = 0;
  std::size_t result = std::string_view::npos;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '(') ++open;
    if (part[i] != ')') continue;
    if (open == 0) result = i;
    if (open != 0) --open;
  }
  return result;
}

constexpr std::string_view joints = " ,;:";

/// Without an open bracket at its end, where more than half of it remains.
std::string_view without_unclosed(std::string_view head) {
  const std::size_t at = unclosed_bracket(head);
  if (at == head.npos || at < head.size() / 2) return head;
  return head.substr(0, head.find_last_not_of(joints, at == 0 ? 0 : at - 1) + 1);
}

/// Without the end of a bracket at its beginning, where more than half of it remains.
std::string_view without_unopened(std::string_view tail) {
  const std::size_t at = unopened_bracket(tail);
  if (at == tail.npos || at + 1 > tail.size() / 2) return tail;
  return tail.substr(std::min(tail.find_first_not_of(joints, at + 1), tail.size()));
}

}  // namespace

std::string without_middle(std::string_view text, std::size_t limit) {
  constexpr std::string_view gap = " ... ";
  if (text.size() <= limit) return std::string(text);
  const std::size_t room = limit - std::min(limit, gap.size());
  const std::string_view head = without_unclosed(head_of(text, room / 2));
  const std::size_t rest = room - room / 2;
  std::string_view tail = without_unopened(tail_of(text, rest));
  const auto loses_quote = [&] {
    return is_open_quotation(text.substr(head.size(), text.size() - head.size() - tail.size()));
  };
  if (!loses_quote()) return fmt::format("{}{}{}", head, gap, tail);
  // Room for a quotation mark.
  tail = without_unopened(tail_of(text, rest - std::min<std::size_t>(rest, 1)));
  if (!loses_quote()) return fmt::format("{}{}{}", head, gap, tail);
  return is_open_quotation(head) ? fmt::format("{} ...\" {}", head, tail)
                                 : fmt::format("{} ... \"{}", head, tail);
}

std::string without_end(std::string_view text, std::size_t limit) {
  constexpr std::string_view gap = " ...";
  if (text.size() <= limit) return std::string(text);
  std::string_view head = head_of(text, limit - std::min(limit, gap.size()));
  if (is_open_quotation(head)) {
    std::size_t quote = head.size();
    while (quote > 0 && !is_quote(head, quote - 1)) --quote;
    if (quote - 1 > head.size() / 2) head = head.substr(0, quote - 1);
  }
  head = without_unclosed(head);
  return std::string(head.substr(0, head.find_last_not_of(joints) + 1)).append(gap);
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
