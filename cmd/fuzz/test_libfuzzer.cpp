// What libFuzzer calls; --target=NAME chooses what its inputs are given to.

#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "fuzz/test_fuzz.h"

namespace {

const dsdoctor::fuzz::Target* chosen = nullptr;  // libFuzzer's own functions take no context

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
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
