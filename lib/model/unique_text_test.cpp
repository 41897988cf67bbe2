// SPDX-License-Identifier: Apache-2.0
#include "model/unique_text.h"

#include <catch2/catch.hpp>
#include <vector>

namespace dsdoctor::model {
namespace {

const std::vector<std::string> texts = {
    "",
    "1",
    "7919",
    "123456789012345",                       // the longest that is stored inside
    "1234567890123456",                      // one byte longer
    "0b5c5b0a-9b0e-4d5e-8f3a-7d2b1c0e9f8a",  // as in the API
    "00000000-0000-4000-8000-000000000000",
    "ffffffff-ffff-ffff-bfff-ffffffffffff",
    "0B5C5B0A-9B0E-4D5E-8F3A-7D2B1C0E9F8A",  // in upper case
    "0b5c5b0a-9b0e-4d5e-cf3a-7d2b1c0e9f8a",  // another variant
    "0b5c5b0a-9b0e-4d5e-0f3a-7d2b1c0e9f8a",
    "0b5c5b0a09b0e-4d5e-8f3a-7d2b1c0e9f8a",
    "0b5c5b0a-9b0e-4d5e-8f3a-7d2b1c0e9f8g",
    "0b5c5b0a-9b0e-4d5e-8f3a-7d2b1c0e9f8",
    "d41d8cd98f00b204e9800998ecf8427e",  // the UID of a static pod
    std::string("a\0b", 3),
    "\xff\xfe",
    std::string(15, '\xff'),
    std::string(5000, 'x'),
};

}  // namespace

TEST_CASE("a unique text equals the text from which it was made", "[unique-text]") {
  for (const std::string& text : texts) {
    CAPTURE(text);
    const UniqueText made(text);
    CHECK(made.str() == text);
    CHECK(made == text);
    CHECK(made == Text(text));
    CHECK(made.empty() == text.empty());
    UniqueText copy = made;
    const UniqueText moved = std::move(copy);
    CHECK(moved == made);
  }
  CHECK(UniqueText() == UniqueText(""));
  CHECK(sizeof(UniqueText) == 16);
}

TEST_CASE("unique texts are equal if their texts are equal", "[unique-text]") {
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      CAPTURE(a, b);
      CHECK((UniqueText(a) == UniqueText(b)) == (a == b));
      CHECK((UniqueText(a) == b) == (a == b));
      UniqueText assigned(a);
      const UniqueText other(b);
      assigned = other;
      CHECK(assigned.str() == b);
      assigned = UniqueText(a);
      CHECK(assigned.str() == a);
    }
  }
}

}  // namespace dsdoctor::model
