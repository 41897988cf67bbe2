#include "diagnosis/evidence/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace dsdoctor::diagnosis::wording {
namespace {

constexpr std::size_t longest_quote = 300;  // bytes
constexpr std::size_t longest_list = 5;

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::string cut(std::string_view text) {
  const bool whole = text.size() <= longest_quote;
  if (!whole) {
    std::size_t end = longest_quote;
    while (end > 0 && continues_character(text[end])) --end;
    text = text.substr(0, end);
  }
  std::string result(text);
  std::ranges::replace_if(
      result, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  while (result.ends_with(' ')) result.pop_back();
  return whole ? result : result + "...";
}

std::string span(model::Time::duration duration) {
  using namespace std::chrono;
  const std::int64_t s = std::max<std::int64_t>(0, floor<seconds>(duration).count());
  if (s < 120) return fmt::format("{} s", s);
  if (s < 7200) return fmt::format("{} min", s / 60);
  if (s < 172800) return fmt::format("{} h", s / 3600);
  return fmt::format("{} d", s / 86400);
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& names) {
  return listed(names.size(), [&](std::size_t i) { return names[i]; });
}

std::string listed(std::size_t count, const std::function<std::string(std::size_t)>& name) {
  const std::size_t shown = std::min(longest_list, count);
  std::string result;
  for (std::size_t i = 0; i < shown; ++i) result.append(i == 0 ? "" : ", ").append(name(i));
  if (count > shown) result += fmt::format(" and {} more", count - shown);
  return result;
}

std::string taint(const model::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key.view(), taint.value.empty() ? "" : "=",
                     taint.value.view(), taint.effect.view());
}

}  // namespace dsdoctor::diagnosis::wording
