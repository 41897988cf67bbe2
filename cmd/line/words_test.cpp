// SPDX-License-Identifier: Apache-2.0
#include "line/words.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;

namespace {

using Strings = std::vector<std::string>;

/// The result of reading a whole line.
struct Read {
  explicit Read(const Strings& words) : words_(words) {}

  Strings words_;
  std::string ns;
  std::string output = "table";
  std::string selector;
  bool all_namespaces = false;
  bool all_nodes = false;
  int v = 0;
  int chunk_size = 500;
  Strings nodes;

  cmd::Flags flags;
  CLI::App& app = declared();
  cmd::WordReader reader{words_};
  Strings arguments;
  base::Status status = reader.read_rest(flags, arguments);

 private:
  CLI::App& declared() {
    CLI::App& result = flags.add_app();
    cmd::add_value(result, "-n,--namespace", ns, "");
    cmd::add_switch(result, "-A,--all-namespaces", all_namespaces, "");
    cmd::add_value(result, "-o,--output", output, "");
    cmd::add_value(result, "-l,--selector", selector, "");
    cmd::add_value(result, "-v,--v", v, "");
    cmd::add_switch(result, "--all-nodes", all_nodes, "");
    cmd::add_value(result, "--chunk-size", chunk_size, "");
    cmd::add_value(result, "--node", nodes, "");
    return result;
  }
};

}  // namespace

TEST_CASE("words are read like by pflag", "[cmd]") {
  using Row = std::tuple<Strings, Strings, Strings>;
  const auto [words, flags, arguments] = GENERATE(values<Row>({
      {{"-n", "x", "a"}, {"--namespace=x"}, {"a"}},
      {{"-nx"}, {"--namespace=x"}, {}},
      {{"-n=x"}, {"--namespace=x"}, {}},
      {{"--namespace=x"}, {"--namespace=x"}, {}},
      {{"--namespace", "x"}, {"--namespace=x"}, {}},
      {{"-n", "-x"}, {"--namespace=-x"}, {}},
      {{"--namespace=", "x"}, {"--namespace="}, {"x"}},
      {{"-Av6"}, {"--all-namespaces", "--v=6"}, {}},
      {{"-An", "ns"}, {"--all-namespaces", "--namespace=ns"}, {}},
      {{"-A=false"}, {"--all-namespaces=false"}, {}},
      {{"--all_namespaces", "false"}, {"--all-namespaces"}, {"false"}},
      {{"-ojson"}, {"--output=json"}, {}},
      {{"-o=json"}, {"--output=json"}, {}},
      {{"a", "--", "-n", "x"}, {}, {"a", "-n", "x"}},
      {{"-"}, {}, {"-"}},
      {{"-n", "a", "-n", "b"}, {"--namespace=a", "--namespace=b"}, {}},
      {{"-n", "a=b=c"}, {"--namespace=a=b=c"}, {}},
  }));
  CAPTURE(words);
  const Read read(words);
  REQUIRE(read.status);
  Strings given;
  for (const cmd::GivenFlag& flag : read.reader.given()) given.push_back(flag.word);
  CHECK(given == flags);
  CHECK(read.arguments == arguments);
}

TEST_CASE("a value after an equals sign does not include it", "[cmd]") {
  CHECK(Read({"-o=json"}).output == "json");
  CHECK(Read({"-o", "=json"}).output == "=json");
  CHECK(Read({"--output=json"}).output == "json");
}

TEST_CASE("an empty value is a value and the next word is not taken", "[cmd]") {
  for (const Strings& words : std::vector<Strings>{
           {"--output=", "x"}, {"-o=", "x"}, {"--output", "", "x"}, {"-o", "", "x"}}) {
    CAPTURE(words);
    const Read read(words);
    CHECK(read.status);
    CHECK(read.output.empty());
    CHECK(read.arguments == Strings{"x"});
  }
  CHECK(Read({"--node=", "--node", ""}).nodes == Strings{"", ""});
}

TEST_CASE("a list takes one value each time", "[cmd]") {
  const Read read({"--node", "a", "b", "--node=c", "d"});
  CHECK(read.nodes == Strings{"a", "c"});
  CHECK(read.arguments == Strings{"b", "d"});
}

TEST_CASE("the last of repeated values wins", "[cmd]") {
  CHECK(Read({"-n", "a", "--namespace=b", "-nc"}).ns == "c");
  CHECK(Read({"-n", "a", "-n="}).ns.empty());
  CHECK_FALSE(Read({"-A", "-A=false"}).all_namespaces);
  CHECK(Read({"--all-nodes=f", "--all-nodes"}).all_nodes);
  CHECK(Read({"-v6", "--v", "7"}).v == 7);
}

TEST_CASE("values are not split", "[cmd]") {
  const Strings values = {"[a,b]", "[]", "{}", "a,b", "%%", "\"a b\"", "'a'", " a "};
  Strings words;
  for (const std::string& value : values) words.insert(words.end(), {"--node", value});
  CHECK(Read(words).nodes == values);
  for (const std::string& value : values) CHECK(Read({"-l", value}).selector == value);
}

TEST_CASE("a value may look like a flag", "[cmd]") {
  CHECK(Read({"-l", "-x"}).selector == "-x");
  CHECK(Read({"-l", "--namespace=x"}).selector == "--namespace=x");
  CHECK(Read({"-l", "!a"}).selector == "!a");
  CHECK(Read({"-l", "--"}).selector == "--");
}

TEST_CASE("numbers are read like by Go", "[cmd]") {
  CHECK(Read({}).chunk_size == 500);
  CHECK(Read({"--chunk-size=-1"}).chunk_size == -1);
  CHECK(Read({"--chunk-size", "+7"}).chunk_size == 7);
  CHECK(Read({"--chunk-size", "2147483647"}).chunk_size == 2147483647);
  CHECK(Read({"-v", "010"}).v == 8);
}

TEST_CASE("reading continues after an error", "[cmd]") {
  const Strings words = {"--bogus", "-An", "x", "--v=y", "a", "-o"};
  std::string ns;
  std::string output;
  int v = 0;
  cmd::Flags flags;
  CLI::App& app = flags.add_app();
  cmd::add_value(app, "-n,--namespace", ns, "");
  cmd::add_value(app, "-o,--output", output, "");
  cmd::add_value(app, "-v,--v", v, "");
  cmd::WordReader reader(words);
  CHECK_FALSE(reader.next_argument(flags));  // --bogus
  CHECK_FALSE(reader.next_argument(flags));  // -A
  const auto x = reader.next_argument(flags);
  REQUIRE(x);
  CHECK(**x == "x");
  CHECK_FALSE(reader.next_argument(flags));  // --v=y
  CHECK(v == 0);
  const auto a = reader.next_argument(flags);
  REQUIRE(a);
  CHECK(**a == "a");
  CHECK(reader.awaiting().empty());
  CHECK_FALSE(reader.next_argument(flags));  // -o
  CHECK(reader.awaiting() == "output");
  const auto end = reader.next_argument(flags);
  REQUIRE(end);
  CHECK(*end == nullptr);
}

TEST_CASE("flags that the command does not have are found later", "[cmd]") {
  Read read({"-A", "--output=x", "a"});
  CHECK(read.reader.check(read.flags));
  read.app.remove_option(read.flags.find("--all-namespaces"));
  CHECK(read.reader.check(read.flags).error().what == "unknown shorthand flag: 'A' in -A");
  Read of_output({"--output=x"});
  of_output.app.remove_option(of_output.flags.find("--output"));
  CHECK(of_output.reader.check(of_output.flags).error().what == "unknown flag: --output");
}

TEST_CASE("errors on the command line are in kubectl's words", "[cmd]") {
  using Row = std::tuple<Strings, std::string>;
  const auto [words, message] = GENERATE(values<Row>({
      {{"--x"}, "unknown flag: --x"},
      {{"-zA"}, "unknown shorthand flag: 'z' in -zA"},
      {{"--namespace"}, "flag needs an argument: --namespace"},
      {{"-An"}, "flag needs an argument: 'n' in -An"},
      {{"---x"}, "bad flag syntax: ---x"},
      {{"--=v"}, "bad flag syntax: --=v"},
      {{"-z"}, "unknown shorthand flag: 'z' in -z"},
      {{"--v=abc"},
       "invalid argument \"abc\" for \"-v, --v\" flag: strconv.ParseInt: parsing \"abc\": invalid "
       "syntax"},
      {{"-v", ""},
       "invalid argument \"\" for \"-v, --v\" flag: strconv.ParseInt: parsing \"\": invalid "
       "syntax"},
      {{"--chunk-size", "99999999999"},
       "invalid argument \"99999999999\" for \"--chunk-size\" flag: strconv.ParseInt: parsing "
       "\"99999999999\": value out of range"},
      {{"-v=08"},
       "invalid argument \"08\" for \"-v, --v\" flag: strconv.ParseInt: parsing \"08\": invalid "
       "syntax"},
      {{"--all-nodes=2"},
       "invalid argument \"2\" for \"--all-nodes\" flag: a boolean is true or false"},
      {{"-A=maybe"},
       "invalid argument \"maybe\" for \"-A, --all-namespaces\" flag: a boolean is true or false"},
  }));
  CAPTURE(words);
  const base::Status status = Read(words).status;
  REQUIRE_FALSE(status);
  CHECK(status.error().kind == base::ErrorKind::Usage);
  CHECK(status.error().what == message);
}

TEST_CASE("flags of kubectl itself are unknown and have a hint", "[cmd]") {
  for (const char* flag : {"--username", "--password=x", "--vmodule=a", "--profile-output",
                           "--profile", "--match_server_version", "--log-flush-frequency=5s"}) {
    CAPTURE(flag);
    const base::Status status = Read({flag}).status;
    REQUIRE_FALSE(status);
    CHECK(status.error().what.starts_with("unknown flag: --"));
    CHECK(status.error().hints == Strings{"a flag of kubectl itself; remove it"});
  }
  CHECK(Read({"--bogus"}).status.error().hints.empty());
}
