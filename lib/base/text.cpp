#include "base/text.h"

#include <fmt/format.h>

namespace dsdoctor::base {

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
