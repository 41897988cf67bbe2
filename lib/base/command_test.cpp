#include "base/command.h"

#include <catch2/catch.hpp>

using namespace dsdoctor::base;
using Words = std::vector<std::string>;

TEST_CASE("a command line is split as a shell splits it", "[base][command]") {
  CHECK(split_words("kubectl  get pods ") == Words{"kubectl", "get", "pods"});
  CHECK(split_words(R"(-p='[{"op": "a"}]' '' b"c d")") == Words{R"(-p=[{"op": "a"}])", "", "bc d"});
  CHECK(split_words(R"("it's" 'a "b"')") == Words{"it's", R"(a "b")"});
  CHECK(split_words("").empty());
}

TEST_CASE("what a command prints is split into the same words", "[base][command]") {
  const Command command{{"kubectl", "-p=a b", "it's", "", "key=", "ds/$x", "=zsh", "a=b"}};
  CHECK(to_string(command) == R"(kubectl -p='a b' 'it'\''s' '' key="" 'ds/$x' '=zsh' a=b)");
  const Command plain{{"kubectl", "-p=a b", "", "key=", "ds/$x", "=zsh", "a=b"}};
  CHECK(split_words(to_string(plain)) == plain.words);
}
