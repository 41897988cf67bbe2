// SPDX-License-Identifier: Apache-2.0

// Hostile texts of a cluster, in each format that the program prints.

#include <yaml-cpp/yaml.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "test_program.h"
#include "test_readers.h"
#include "testing/rounds.h"

namespace dsdoctor::cmd {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

const std::set<std::string> junit_elements = {"testsuites", "testsuite", "testcase",
                                              "failure",    "error",     "system-out"};

/// Occurs in every hostile text and nowhere else: a command that contains it contains such a text.
constexpr std::string_view mark = "ZQ";

bool equals(const YAML::Node& yaml, const Json& json) {
  if (json.is_object()) {
    if (!yaml.IsMap() || yaml.size() != json.size()) return false;
    std::map<std::string, YAML::Node> members;
    for (const auto& member : yaml) members[member.first.as<std::string>()] = member.second;
    for (const auto& [key, value] : json.items()) {
      if (!members.contains(key) || !equals(members[key], value)) return false;
    }
    return true;
  }
  if (json.is_array()) {
    if (!yaml.IsSequence() || yaml.size() != json.size()) return false;
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (!equals(yaml[i], json[i])) return false;
    }
    return true;
  }
  if (json.is_null()) return yaml.IsNull();
  return yaml.IsScalar() &&
         yaml.Scalar() == (json.is_string() ? json.get<std::string>() : json.dump());
}

/// Adds every command in a JSON document.
void add_commands(const Json& value, std::vector<std::string>& commands) {
  for (const auto& [key, member] : value.items()) {
    if (member.is_string() && (key == "command" || key == "undo")) commands.push_back(member);
    if (member.is_structured()) add_commands(member, commands);
  }
}

/// Adds every command that a text shows for copying: after blanks, a comment mark and a label.
void add_shown_commands(const std::string& text, std::vector<std::string>& commands) {
  for (std::string_view line : base::split(text, "\n")) {
    while (!line.empty() && (line.front() == ' ' || line.front() == '#')) line.remove_prefix(1);
    for (const std::string_view label : {"try: ", "do: ", "undo: ", "then: ", "fix: ", "Next: "}) {
      if (line.starts_with(label)) line.remove_prefix(label.size());
    }
    if (line.starts_with("kubectl ") || line.starts_with("oc ")) commands.emplace_back(line);
  }
}

std::size_t checked_commands = 0;

void check_commands(const std::vector<std::string>& commands) {
  checked_commands += commands.size();
  for (const std::string& command : commands) {
    CAPTURE(command);
    CHECK(command.find(mark) == command.npos);
  }
}

void check_errors(const std::string& err) {
  constexpr std::size_t longest = 4'500;
  CHECK(hidden_in(err).empty());
  for (const std::string_view line : base::split(err, "\n")) {
    CHECK(line.size() < longest);
    CHECK_FALSE(line.starts_with("warning: forged"));
    CHECK_FALSE(line.starts_with("error: forged"));
  }
}

/// Removes an element and returns it without its end.
std::string take_element(std::string& page, std::size_t at, std::string_view end) {
  const std::size_t size = page.find(end, at) - at;
  std::string result = page.substr(at, size);
  page.erase(at, size + end.size());
  return result;
}

/// The checks for each format.
void check_output(const std::string& format, const Ran& ran, const Ran& json) {
  std::vector<std::string> commands;
  CHECK(hidden_in(ran.out) == "");
  if (format == "json") {
    const Json document = Json::parse(ran.out, nullptr, false);
    REQUIRE_FALSE(document.is_discarded());
    add_commands(document, commands);
  } else if (format == "yaml") {
    const YAML::Node document = YAML::Load(ran.out);
    CHECK(equals(document, Json::parse(json.out)));
  } else if (format == "html") {
    std::string page = ran.out;
    take_element(page, page.find("<style>"), "</style>");
    take_element(page, page.rfind("<script>"), "</script>");
    if (const std::size_t at = page.find("<script type"); at != page.npos) {
      const std::string data = take_element(page, at, "</script>");
      CHECK_FALSE(Json::parse(data.substr(data.find('>') + 1), nullptr, false).is_discarded());
      CHECK(data.find('<', 1) == data.npos);
    }
    CHECK(fault_of_markup(page, page_elements(), {"meta", "link", "col"}) == "");
  } else if (format == "junit") {
    CHECK(fault_of_markup(ran.out, junit_elements) == "");
  } else if (format == "markdown") {
    const MarkdownReader reader(ran.out);
    CHECK(reader.fault() == "");
    for (const std::string& code : reader.code()) add_shown_commands(code, commands);
  } else {
    add_shown_commands(ran.out, commands);
  }
  check_commands(commands);
}

std::string fixture(const std::string& name) {
  return DSDOCTOR_TESTDATA "/hostile/" + name + ".json";
}

void check_everything(const Words& source, const std::string& input) {
  const std::map<std::string, Words> formats = {
      {"explain", {"json", "yaml", "table", "wide", "markdown", "html", "name"}},
      {"check", {"json", "yaml", "table", "wide", "markdown", "html", "junit", "prometheus"}},
      {"suggest", {"json", "yaml", "kubectl", "markdown", "html", "name"}},
      {"diff-nodes", {"json", "yaml", "table", "markdown", "html"}},
      {"taints", {"json", "yaml", "table", "markdown", "html"}}};
  for (const auto& [command, of_command] : formats) {
    Ran json;
    for (const std::string& format : of_command) {
      CAPTURE(command, format);
      Words words = {command, "-A", "-o", format};
      words.insert(words.end(), source.begin(), source.end());
      const Ran ran = run_program(words, {}, {}, input);
      check_errors(ran.err);
      if (ran.out.empty()) break;  // an error, which the other formats report as well
      if (format == "json") json = ran;
      check_output(format, ran, json);
    }
  }
}

const std::vector<std::string> troublemakers = {"\x1b[31m",
                                                "\x1b]0;title\x07",
                                                "\u0085",
                                                "\u009b31m",
                                                "\u202e",
                                                "\u2066",
                                                "\u200b",
                                                "\u200d",
                                                "\u200e",
                                                "\u2028image: x",
                                                "\u2029",
                                                "\ufeff",
                                                "\ufffe",
                                                "\uffff",
                                                "\x7f",
                                                std::string("\0", 1),
                                                "\n",
                                                "\r",
                                                "\t",
                                                "\nwarning: forged",
                                                "\nerror: forged",
                                                "'",
                                                "\"",
                                                "`",
                                                "```",
                                                "$(touch x)",
                                                "; touch y;",
                                                "&& z",
                                                "| w |",
                                                "<script>",
                                                "</td>",
                                                "<img src=x onerror=y>",
                                                "]]>",
                                                "-->",
                                                "{{x}}",
                                                "https://e.example/<script src=//x>",
                                                "www.e.example",
                                                "\\",
                                                "\\`",
                                                "# ",
                                                "- ",
                                                "%PATH%",
                                                "!!",
                                                "\u201d; calc; #",
                                                "--server=https://evil.example",
                                                "-x",
                                                "\U000E0041",
                                                "\U0001F469\u200d\U0001F4BB",
                                                "{",
                                                "}",
                                                "[x](javascript:y)",
                                                "*",
                                                "~",
                                                "=ls",
                                                ": ",
                                                "key: value",
                                                "\n---\n",
                                                "/../",
                                                "&amp;",
                                                "&#60;script&#62;",
                                                "\n# x",
                                                "\n    x",
                                                "\n|x|",
                                                "<!--",
                                                "\u2026"};

/// Replaces texts with hostile ones: equal texts with equal ones.
class Poisoner {
 public:
  /// One text in `rarity` becomes hostile.
  Poisoner(unsigned seed, unsigned rarity) : random_(seed), rarity_(rarity) {}

  void poison(Json& value, const std::string& key = {}) {
    if (value.is_object()) {
      poison_members(value, key);
    } else if (value.is_array()) {
      for (Json& item : value) poison(item, key);
    } else if (value.is_string() && !kept.contains(key)) {
      value = replaced(value.get<std::string>());
    }
  }

 private:
  void poison_members(Json& object, const std::string& key) {
    const bool has_keys_of_users =
        key == "labels" || key == "annotations" || key == "nodeSelector" || key == "matchLabels";
    Json result = Json::object();
    for (auto& [name, member] : object.items()) {
      poison(member, name);
      result[has_keys_of_users ? replaced(name) : name] = std::move(member);
    }
    object = std::move(result);
  }

  std::string replaced(const std::string& text) {
    const auto known = replaced_.find(text);
    if (known != replaced_.end()) return known->second;
    std::string result = text;
    if (random_() % rarity_ == 0) {
      const auto piece = [&] { return troublemakers[random_() % troublemakers.size()]; };
      if (random_() % 2 == 0) result.clear();
      result = piece() + result + std::string(mark) + piece();
      if (random_() % 2 == 0) result = std::string(mark) + result;
      if (random_() % 50 == 0) result += std::string(20'000, 'x');
    }
    return replaced_[text] = result;
  }

  // Fields that identify an object's kind.
  inline static const std::set<std::string> kept = {"apiVersion", "kind", "formatVersion"};
  std::mt19937 random_;
  unsigned rarity_;
  std::map<std::string, std::string> replaced_;
};

/// The clusters of all scenarios, as snapshots in JSON.
std::vector<Json> stories() {
  std::vector<Json> result;
  const auto file = std::filesystem::temp_directory_path() /
                    ("dsdoctor-hostile-" + std::to_string(std::random_device()()) + ".json");
  std::set<std::string> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(DSDOCTOR_TESTDATA "/scenarios")) {
    if (entry.path().extension() == ".yaml") paths.insert(entry.path().string());
  }
  for (const std::string& path : paths) {
    if (run_program({"snapshot", file.string(), "--force", "-f", path}).code != 0) continue;
    std::ifstream stream(file);
    Json document = Json::parse(stream, nullptr, false);
    if (!document.is_discarded()) result.push_back(std::move(document));
  }
  std::filesystem::remove(file);
  return result;
}

}  // namespace

TEST_CASE("hostile texts of a cluster remain text in every format", "[cmd][hostile]") {
  unsigned seed = 1;
  const std::vector<Json> clusters = stories();
  REQUIRE(clusters.size() > 100);
  // With few hostile texts most findings and fixes remain.
  for (const unsigned rarity : {3U, 40U}) {
    for (Json document : clusters) {
      CAPTURE(++seed, rarity);
      if (seed % 4 >= testing::rounds(4)) continue;
      Poisoner(seed, rarity).poison(document);
      check_everything({"-f", "-"}, document.dump(-1, ' ', true));
    }
  }
  CHECK(checked_commands > 250 * testing::rounds(4));  // not all commands are omitted
}

TEST_CASE("recorded attacks remain text in every format", "[cmd][hostile]") {
  for (const char* name :
       {"zsh-comment", "helm-u2028", "arg-injection", "markdown-html", "markdown-escape",
        "yaml-control", "c1-bidi-command", "powershell-quotes", "completion"}) {
    CAPTURE(name);
    check_everything({"-f", fixture(name)}, {});
  }
}

TEST_CASE("a Helm release's name stays in one line of a comment", "[cmd][hostile]") {
  const Ran ran =
      run_program({"suggest", "agent", "-n", "mon", "-o", "helm", "-f", fixture("helm-u2028")});
  CHECK(ran.code == 0);
  CHECK(hidden_in(ran.out) == "");
  const YAML::Node values = YAML::Load(ran.out);
  CHECK(values.size() == 1);
  CHECK(values["tolerations"].size() == 1);
}

TEST_CASE("a cluster cannot add an option to a command", "[cmd][hostile]") {
  const Ran ran = run_program({"explain", "agent", "-n", "mon", "-f", fixture("arg-injection")});
  CHECK(ran.out.find("describe quota") == ran.out.npos);
  CHECK(ran.out.find("exceeded quota --server=") != ran.out.npos);  // it is shown as text
}

TEST_CASE("PowerShell gets no word that contains a quote", "[cmd][hostile]") {
  const Ran ran = run_program({"suggest", "agent", "-n", "mon", "--shell", "powershell", "-f",
                               fixture("powershell-quotes")});
  for (const std::string_view line : base::split(ran.out, "\n")) {
    CHECK((line.empty() || line.starts_with("# ")));
    CHECK(line.find("patch daemonset") == line.npos);
  }
  CHECK(ran.out.find("no command: ") != ran.out.npos);
}

TEST_CASE("a name that a shell would execute is not completed", "[cmd][hostile]") {
  const Ran ran = run_program({"__complete", "explain", "-f", fixture("completion"), ""});
  CHECK(ran.out.find("touch") == ran.out.npos);
}

TEST_CASE("errors are short for any input", "[cmd][hostile]") {
  const std::string many(10'000'000, '[');
  const std::string word(1'000'000, 'x');
  const std::string object = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")";
  for (
      const std::string& input :
      {many, std::string(1'000'000, '{'), "\"" + word, word, "a: " + word + ": b", "- " + many,
       "{\"" + word + "\": }", object + word,
       object + "n\"},\"spec\":{\"taints\":\"" + word + "\"}}",
       R"({"apiVersion":"v1","kind":")" + word + "\"}", "apiVersion: v1\nkind: " + word + "\n",
       R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":")" +
           word + "\"}}}",
       "&" + word + " x", "*" + word, "!" + word + " x", std::string(100'000, '&') + "\n"}) {
    CAPTURE(input.substr(0, 60));
    const Ran ran = run_program({"check", "-A", "-f", "-"}, {}, {}, input);
    CHECK(ran.err.size() < 20'000);
    check_errors(ran.err);
    const Ran json = run_program({"check", "-A", "-o", "json", "-f", "-"}, {}, {}, input);
    CHECK(json.out.size() < 100'000);
  }
}

TEST_CASE("errors about the command line are short", "[cmd][hostile]") {
  const std::string word = "\nwarning: forged \x1b[31m\u202e" + std::string(100'000, 'x');
  for (const Words& words : std::vector<Words>{{"explain", word},
                                               {word},
                                               {"explain", "--" + word},
                                               {"explain", "-o", word},
                                               {"check", "-A", "--demo", "-l", word},
                                               {"check", "-A", "--demo", "-l", "a in (" + word},
                                               {"explain", "-f", word},
                                               {"explain", "--context", word},
                                               {"explain", "-n", word},
                                               {"explain", "--now", word, "--demo"},
                                               {"check", "--severity", word, "--demo"},
                                               {"explain", "-A", "--demo", "--tolerate", word},
                                               {"explain", "-A", "--demo", "--taint", word},
                                               {"explain", "-A", "--demo", "--label", word},
                                               {"explain", "--node", word, "--demo"},
                                               {"suggest", "--shell", word, "--demo"},
                                               {"suggest", "--id", word, "--demo", "-A"},
                                               {"findings", word},
                                               {"taints", word, "--demo"},
                                               {"diff-nodes", word, "--demo"},
                                               {"explain", "--kubeconfig", word},
                                               {"explain", "-s", word},
                                               {"explain", "--limit", word}}) {
    CAPTURE(words.front(), words.back().substr(0, 30));
    const Ran ran = run_program(words);
    CHECK(ran.code != 0);
    CHECK(ran.err.size() < 20'000);
    check_errors(ran.err);
  }
}

}  // namespace dsdoctor::cmd
