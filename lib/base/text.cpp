#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsdoctor::base {
namespace {

constexpr std::size_t spare = 24;  // bytes that are given up for a whole word

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// The first `limit` bytes or less. REQUIRES: there are more.
std::string_view head_of(std::string_view text, std::size_t limit) {
  const std::size_t blank = text.rfind(' ', limit);
  if (blank != text.npos && blank > 0 && limit - blank <= spare) return text.substr(0, blank);
  while (limit > 0 && continues_character(text[limit])) --limit;
  return text.substr(0, limit);
}

/// The last `limit` bytes or less. REQUIRES: there are more.
std::string_view tail_of(std::string_view text, std::size_t limit) {
  std::size_t begin = text.size() - limit;
  const std::size_t blank = text.find(' ', begin - 1);
  if (blank != text.npos && blank + 1 < text.size() && blank - begin + 1 <= spare) {
    return text.substr(blank + 1);
  }
  while (begin < text.size() && continues_character(text[begin])) ++begin;
  return text.substr(begin);
}

}  // namespace

std::string without_middle(std::string_view text, std::size_t limit) {
  constexpr std::string_view gap = " ... ";
  if (text.size() <= limit) return std::string(text);
  const std::size_t room = limit - std::min(limit, gap.size());
  const std::string_view head = head_of(text, room / 2);
  const std::size_t rest = room - room / 2;
  std::string_view tail = tail_of(text, rest);
  const auto is_open = [&](std::string_view part) {
    return std::ranges::count(part, '"') % 2 != 0;
  };
  const auto loses_quote = [&] {
    return is_open(text.substr(head.size(), text.size() - head.size() - tail.size()));
  };
  if (!loses_quote()) return fmt::format("{}{}{}", head, gap, tail);
  tail = tail_of(text, rest - std::min<std::size_t>(rest, 1));  // room for a quote
  if (!loses_quote()) return fmt::format("{}{}{}", head, gap, tail);
  return is_open(head) ? fmt::format("{} ...\" {}", head, tail)
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
