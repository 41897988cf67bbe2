// SPDX-License-Identifier: Apache-2.0
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

TEST_CASE("a printed command is split into the same words", "[base][command]") {
  const Command command{{"kubectl", "-p=a b", "it's", "", "key=", "ds/$x", "=zsh", "a=b"}};
  CHECK(to_string(command) == R"(kubectl -p='a b' 'it'\''s' '' key="" 'ds/$x' '=zsh' a=b)");
  const Command plain{{"kubectl", "-p=a b", "", "key=", "ds/$x", "=zsh", "a=b"}};
  CHECK(split_words(to_string(plain)) == plain.words);
}

TEST_CASE("the API's rules decide whether a text is a name", "[base][command]") {
  using enum NameKind;
  const std::string long_label(63, 'a');
  for (const NameKind kind : {Label, Subdomain, Key, Value}) {
    for (const std::string& name : {std::string("a"), std::string("agent-1"), long_label}) {
      CAPTURE(name);
      CHECK(is_name(kind, name));
    }
    for (const char* text : {"-a",     "a-",      "--server=https://evil.example",
                             "a b",    "a\nb",    "it's",
                             "$(id)",  "a;b",     "a,b",
                             "a=b",    "=a",      "~",
                             ".",      "..",      "a/",
                             "/a",     "a/b/c",   "\x1b[31m",
                             "\u009b", "\u202ea", "a:b",
                             "\u00e4", "a@b",     "a%b",
                             "*"}) {
      CAPTURE(text);
      CHECK_FALSE(is_name(kind, text));
    }
    CHECK_FALSE(is_name(kind, std::string_view("a\0b", 3)));
    CHECK_FALSE(is_name(kind, std::string(254, 'a')));
    CHECK(is_name(kind, "") == (kind == Value));
  }
  CHECK_FALSE(is_name(Label, "a.b"));
  CHECK_FALSE(is_name(Label, long_label + "a"));
  CHECK_FALSE(is_name(Label, "A"));
  CHECK(is_name(Subdomain, "ip-10-0-1-2.eu-west-1.compute.internal"));
  CHECK(is_name(Subdomain, long_label + "a"));
  CHECK_FALSE(is_name(Subdomain, "a..b"));
  CHECK_FALSE(is_name(Subdomain, "a/b"));
  CHECK_FALSE(is_name(Subdomain, "a_b"));
  CHECK(is_name(Key, "node.kubernetes.io/out-of-service"));
  CHECK(is_name(Key, "ToBeDeletedByClusterAutoscaler"));
  CHECK_FALSE(is_name(Key, "Example.com/a"));
  CHECK_FALSE(is_name(Key, "a.b/" + long_label + "a"));
  CHECK(is_name(Value, "NoSchedule"));
  CHECK(is_name(Value, "v1.2_3"));
  CHECK_FALSE(is_name(Value, "a/b"));
}

TEST_CASE("a command with an invalid name is not made", "[base][command]") {
  const auto draft = [](std::string_view ns) {
    return CommandDraft{"kubectl", "-n"}.add(NameKind::Label, ns).add("get").take();
  };
  CHECK(draft("mon") == Command{{"kubectl", "-n", "mon", "get"}});
  CHECK_FALSE(draft("--kubeconfig=/tmp/x"));
  CHECK_FALSE(draft(""));
}
