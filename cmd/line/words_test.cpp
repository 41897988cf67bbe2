// SPDX-License-Identifier: Apache-2.0
#include "line/words.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using dsdoctor::cmd::read_words;

namespace {

const std::vector<cmd::FlagShape> shapes = {
    {"namespace", 'n', true, ""}, {"all-namespaces", 'A', false, ""},
    {"output", 'o', true, ""},    {"v", 'v', true, "", true},
    {"all-nodes", 0, false, ""},  {"chunk-size", 0, true, "", true},
};

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("words are read as pflag reads them", "[cmd]") {
  using Row = std::tuple<Strings, Strings, Strings>;
  const auto [words, flags, arguments] = GENERATE(values<Row>({
      {{"-n", "x", "a"}, {"--namespace=x"}, {"a"}},
      {{"-nx"}, {"--namespace=x"}, {}},
      {{"-n=x"}, {"--namespace=x"}, {}},
      {{"--namespace=x"}, {"--namespace=x"}, {}},
      {{"--namespace", "x"}, {"--namespace=x"}, {}},
      {{"-n", "-x"}, {"--namespace=-x"}, {}},
      {{"--namespace=", "x"}, {"--namespace", ""}, {"x"}},
      {{"-Av6"}, {"--all-namespaces=true", "--v=6"}, {}},
      {{"-An", "ns"}, {"--all-namespaces=true", "--namespace=ns"}, {}},
      {{"-A=false"}, {"--all-namespaces=false"}, {}},
      {{"--all_namespaces", "false"}, {"--all-namespaces=true"}, {"false"}},
      {{"-ojson"}, {"--output=json"}, {}},
      {{"-o=json"}, {"--output=json"}, {}},
      {{"a", "--", "-n", "x"}, {}, {"a", "-n", "x"}},
      {{"-"}, {}, {"-"}},
      {{"-n", "a", "-n", "b"}, {"--namespace=a", "--namespace=b"}, {}},
      {{"-n", "a=b=c"}, {"--namespace=a=b=c"}, {}},
  }));
  CAPTURE(words);
  const auto read = read_words(words, shapes);
  REQUIRE(read);
  CHECK(read->flags == flags);
  CHECK(read->arguments == arguments);
}

TEST_CASE("mistakes on the command line are told in kubectl's words", "[cmd]") {
  using Row = std::tuple<Strings, std::string>;
  const auto [words, message] = GENERATE(values<Row>({
      {{"--x"}, "unknown flag: --x"},
      {{"-zA"}, "unknown shorthand flag: 'z' in -zA"},
      {{"--namespace"}, "flag needs an argument: --namespace"},
      {{"-An"}, "flag needs an argument: 'n' in -An"},
      {{"---x"}, "bad flag syntax: ---x"},
      {{"--=v"}, "bad flag syntax: --=v"},
      {{"-w"}, "-w is not supported"},
      {{"--watch"}, "-w is not supported"},
      {{"--v=abc"},
       "invalid argument \"abc\" for \"-v, --v\" flag: strconv.ParseInt: parsing \"abc\": invalid "
       "syntax"},
      {{"-v", ""},
       "invalid argument \"\" for \"-v, --v\" flag: strconv.ParseInt: parsing \"\": invalid "
       "syntax"},
      {{"--chunk-size", "99999999999"},
       "invalid argument \"99999999999\" for \"--chunk-size\" flag: strconv.ParseInt: parsing "
       "\"99999999999\": value out of range"},
      {{"--all-nodes=2"},
       "invalid argument \"2\" for \"--all-nodes\" flag: a boolean is true or false"},
      {{"-A=maybe"},
       "invalid argument \"maybe\" for \"-A, --all-namespaces\" flag: a boolean is true or false"},
  }));
  CAPTURE(words);
  const auto read = read_words(words, shapes);
  REQUIRE_FALSE(read);
  CHECK(read.error().what == message);
}

TEST_CASE("flags of kubectl that mean nothing here", "[cmd]") {
  for (const char* flag : {"--username", "--password=x", "--vmodule=a", "--profile-output",
                           "--profile", "--match_server_version", "--log-flush-frequency=5s"}) {
    CAPTURE(flag);
    const auto read = read_words({flag}, shapes);
    REQUIRE_FALSE(read);
    CHECK(read.error().what.starts_with("unknown flag: --"));
    CHECK(read.error().hints == Strings{"a flag of kubectl itself; remove it"});
  }
  CHECK(read_words({"--bogus"}, shapes).error().hints.empty());
}
