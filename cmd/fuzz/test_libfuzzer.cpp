// SPDX-License-Identifier: Apache-2.0

// The functions that libFuzzer calls; --target=NAME selects the target.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "fuzz/test_fuzz.h"
#include "fuzz/test_json_mutator.h"

// libFuzzer's own mutations.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const dsdoctor::fuzz::FuzzTarget* chosen =
    nullptr;  // global, because libFuzzer's callbacks take no context

std::string_view view(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Writes the JSON after the target's own bytes. Returns the new size, 0 without JSON.
std::size_t put(std::uint8_t* data, const std::optional<std::string>& json) {
  if (!json) return 0;
  std::copy(json->begin(), json->end(), data + chosen->own_bytes);
  return chosen->own_bytes + json->size();
}

/// Reports whether inputs of this size may be mutated as JSON.
bool is_json(std::size_t size, std::size_t most) {
  return chosen->takes_json && size > chosen->own_bytes && most >= size;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  constexpr std::string_view flag = "--target=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view word = (*arguments)[i];
    if (word.starts_with(flag)) chosen = dsdoctor::fuzz::target_named(word.substr(flag.size()));
  }
  if (chosen != nullptr) return 0;
  std::cerr << "--target= takes one of:";
  for (const auto& target : dsdoctor::fuzz::targets()) std::cerr << " " << target.name;
  std::cerr << "\n";
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run(view(data, size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  const std::size_t own = chosen->own_bytes;
  if (is_json(size, most) && seed % 8 != 0) {
    const auto json =
        dsdoctor::fuzz::mutated_json(view(data + own, size - own), most - own, seed / 8);
    if (const std::size_t changed = put(data, json)) return changed;
  }
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second,
                                                 std::size_t second_size, std::uint8_t* out,
                                                 std::size_t most, unsigned int seed) {
  const std::size_t own = chosen->own_bytes;
  if (is_json(first_size, most) && second_size > own) {
    std::copy_n(first, own, out);
    const auto json =
        dsdoctor::fuzz::crossed_json(view(first + own, first_size - own),
                                     view(second + own, second_size - own), most - own, seed);
    if (const std::size_t crossed = put(out, json)) return crossed;
  }
  const std::size_t size = std::min(first_size, most);
  std::copy_n(first, size, out);
  return LLVMFuzzerMutate(out, size, most);
}
