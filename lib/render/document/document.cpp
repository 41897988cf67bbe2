// SPDX-License-Identifier: Apache-2.0
#include "render/document/document.h"

#include <type_traits>
#include <utility>

namespace dsdoctor::render {

Line plain(std::string_view text) { return {{Span::Kind::Text, std::string(text), Tone::Plain}}; }

Line code(std::string_view text) { return {{Span::Kind::Code, std::string(text), Tone::Plain}}; }

Line strong(std::string_view text, Tone tone) {
  return {{Span::Kind::Strong, std::string(text), tone}};
}

Line operator+(Line first, const Line& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Details folded(Line summary, std::vector<Block> blocks) {
  Details result{std::move(summary), {}};
  for (Block& block : blocks) {
    std::visit(
        [&](auto& each) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(each)>, Details>) {
            result.blocks.emplace_back(std::move(each));
          }
        },
        block);
  }
  return result;
}

}  // namespace dsdoctor::render
