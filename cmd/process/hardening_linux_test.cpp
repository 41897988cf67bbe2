// SPDX-License-Identifier: Apache-2.0

// Checks in the built program that compiler and linker added their protection against memory
// errors. The packaged program has no symbols; e2e/krew checks it.

#include <elf.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::cmd {
namespace {

template <typename Value>
Value at(const std::string& bytes, std::size_t offset) {
  Value value{};
  REQUIRE(offset + sizeof value <= bytes.size());
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct Program {
  std::string bytes;
  Elf64_Ehdr head{};
  std::vector<Elf64_Phdr> segments;

  Program() {
    std::ifstream file(DSDOCTOR_PROGRAM, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    head = at<Elf64_Ehdr>(bytes, 0);
    for (std::size_t i = 0; i < head.e_phnum; ++i) {
      segments.push_back(at<Elf64_Phdr>(bytes, head.e_phoff + i * sizeof(Elf64_Phdr)));
    }
  }
  [[nodiscard]] std::optional<Elf64_Phdr> segment(Elf64_Word type) const {
    for (const Elf64_Phdr& found : segments) {
      if (found.p_type == type) return found;
    }
    return std::nullopt;
  }
  /// 0 if there is no such entry.
  [[nodiscard]] Elf64_Xword dynamic(Elf64_Sxword tag) const {
    const auto place = segment(PT_DYNAMIC);
    REQUIRE(place);
    for (std::size_t i = 0; i < place->p_filesz; i += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(bytes, place->p_offset + i);
      if (entry.d_tag == tag) return entry.d_un.d_val;
    }
    return 0;
  }
  [[nodiscard]] bool names(std::string_view text) const { return bytes.find(text) != bytes.npos; }
};

TEST_CASE("the program has the expected hardening", "[hardening]") {
  if (DSDOCTOR_HARDENED == 0) return;  // with a sanitizer, or without optimization
  const Program program;
  REQUIRE(program.bytes.compare(0, SELFMAG, ELFMAG) == 0);
  CHECK(program.head.e_type == ET_DYN);
  CHECK((program.dynamic(DT_FLAGS_1) & DF_1_PIE) != 0);
  CHECK((program.dynamic(DT_FLAGS_1) & DF_1_NOW) != 0);
  CHECK(program.segment(PT_GNU_RELRO));
  CHECK(program.dynamic(DT_TEXTREL) == 0);
  const auto stack = program.segment(PT_GNU_STACK);
  REQUIRE(stack);
  CHECK((stack->p_flags & PF_X) == 0);
  CHECK(std::ranges::none_of(program.segments, [](const Elf64_Phdr& segment) {
    constexpr Elf64_Word both = PF_W | PF_X;
    return segment.p_type == PT_LOAD && (segment.p_flags & both) == both;
  }));
  CHECK(program.names("__stack_chk_fail"));
  CHECK(program.names({"_chk", 5}));                          // from _FORTIFY_SOURCE
  CHECK(program.names("a check of the C++ library failed"));  // from _GLIBCXX_ASSERTIONS
#if defined(__aarch64__)
  CHECK(program.names("\x3f\x23\x03\xd5"));  // paciasp
#endif
}

}  // namespace
}  // namespace dsdoctor::cmd
