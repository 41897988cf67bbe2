// SPDX-License-Identifier: Apache-2.0
#include "render/document/document.h"

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

}  // namespace dsdoctor::render
