// SPDX-License-Identifier: Apache-2.0
#include "decode/cluster/kept_annotations.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "model/annotations.h"

namespace dsdoctor::decode {

void keep_read(model::Labels& annotations) {
  std::vector<model::Labels::Entry> read;
  std::ranges::copy_if(annotations, std::back_inserter(read),
                       [](const auto& entry) { return model::is_read_annotation(entry.first); });
  if (read.size() < annotations.size()) annotations = model::Labels(std::move(read));
}

std::string take(model::Labels& annotations, std::string_view key) {
  const model::Text* text = annotations.find(key);
  if (text == nullptr) return {};
  std::string result = text->str();
  std::vector<model::Labels::Entry> others;
  std::ranges::copy_if(annotations, std::back_inserter(others),
                       [&](const auto& entry) { return entry.first != key; });
  annotations = model::Labels(std::move(others));
  return result;
}

std::uint64_t take_fingerprint(model::Labels& annotations) {
  const std::string text = take(annotations, model::template_fingerprint_annotation);
  constexpr int hexadecimal = 16;
  std::uint64_t fingerprint = 0;
  std::from_chars(text.data(), text.data() + text.size(), fingerprint, hexadecimal);
  return fingerprint;
}

}  // namespace dsdoctor::decode
