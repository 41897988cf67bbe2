// SPDX-License-Identifier: Apache-2.0
#include "decode/yaml/yaml_source.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dsdoctor::decode {
namespace {

constexpr std::size_t whole = 2;  // a quote counts half: each string has two

constexpr std::array<std::uint8_t, 256> sign_weights() {
  std::array<std::uint8_t, 256> weights{};
  for (const char c : {',', '[', ']', '{', '}', ':', '?', '&', '*', '!'}) {
    weights[static_cast<unsigned char>(c)] = whole;
  }
  weights['"'] = weights['\''] = 1;
  return weights;
}

constexpr auto weights = sign_weights();

}  // namespace

YamlSource::YamlSource(std::string_view text) : text_(text) {
  at_ = std::min(text.size(), opening_.size());
  std::ranges::copy(text.substr(0, at_), opening_.begin());
  setg(opening_.data(), opening_.data(), opening_.data() + at_);
}

void YamlSource::passed(std::size_t offset) {
  passed_ = offset;
  while (!pieces_.empty() && pieces_.front().end <= offset) {
    ahead_ -= pieces_.front().signs;
    pieces_.pop_front();
  }
}

std::streamsize YamlSource::xsgetn(char* into, std::streamsize most) {
  if (ahead_ > whole * most_ahead) throw TooFarAhead{passed_};
  if (gptr() != egptr()) return std::streambuf::xsgetn(into, std::min(most, egptr() - gptr()));
  const std::string_view piece = text_.substr(at_, static_cast<std::size_t>(most));
  std::ranges::copy(piece, into);
  at_ += piece.size();
  std::size_t signs = 0;
  for (const char c : piece) signs += weights[static_cast<unsigned char>(c)];
  pieces_.push_back({at_, signs});
  ahead_ += signs;
  return static_cast<std::streamsize>(piece.size());
}

}  // namespace dsdoctor::decode
