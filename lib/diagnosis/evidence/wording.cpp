#include "diagnosis/evidence/wording.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsdoctor::diagnosis::wording {
namespace {

constexpr std::size_t longest_quote = 300;  // bytes

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

std::string taint(const model::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key.view(), taint.value.empty() ? "" : "=",
                     taint.value.view(), taint.effect.view());
}

}  // namespace dsdoctor::diagnosis::wording
