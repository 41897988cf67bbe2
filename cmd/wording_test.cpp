// SPDX-License-Identifier: Apache-2.0

// No text for users contains a word of words_to_avoid.tsv. A complaint names file, line and the
// word to use.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "diagnosis/catalogue/catalogue.h"
#include "test_program.h"

using namespace dsdoctor;
namespace fs = std::filesystem;

namespace {

struct Word {
  std::string avoid;
  std::string say;
};

/// The rows of words_to_avoid.tsv, which `./dev lint` applies to comments and test names.
std::vector<Word> read_words() {
  std::ifstream in(fs::path(DSDOCTOR_ROOT) / "lib/testing/words_to_avoid.tsv");
  std::vector<Word> result;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    REQUIRE(tab != line.npos);
    result.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  REQUIRE_FALSE(result.empty());
  return result;
}

/// Messages of kubectl and Go, quoted verbatim.
constexpr std::string_view of_kubectl[] = {
    "arguments in resource/name form may not have more than one slash",
    "may not be '.'",
    "may not be '..'",
    "may not contain '/'",
    "may not contain '%'",
    "certificate is not valid for any names, but wanted to match",
};

bool is_in_word(char c) { return base::is_alphanumeric(c) || c == '-' || c == '_' || c == '/'; }

/// Reports whether `text`, in lower case, contains `phrase` as separate words, not within a name or
/// a path.
bool has(std::string_view text, std::string_view phrase) {
  for (std::size_t at = text.find(phrase); at != text.npos; at = text.find(phrase, at + 1)) {
    const std::string_view rest = text.substr(at + phrase.size());
    const bool begins = at == 0 || !is_in_word(text[at - 1]);
    const bool is_file = rest.size() > 1 && rest[0] == '.' && base::is_alphanumeric(rest[1]);
    if (begins && !is_file && (rest.empty() || !is_in_word(rest[0]))) return true;
  }
  return false;
}

void remove_each(std::string& text, std::string_view part) {
  for (std::size_t at; (at = text.find(part)) != text.npos;) text.erase(at, part.size());
}

using Complaints = std::vector<std::string>;

void check(const std::string& where, std::string text, Complaints& into) {
  for (const std::string_view message : of_kubectl) remove_each(text, message);
  std::ranges::transform(text, text.begin(), base::to_lower);
  static const std::vector<Word> words = read_words();
  for (const Word& word : words) {
    if (has(text, word.avoid)) {
      into.push_back(
          fmt::format(R"({}: say "{}", not "{}": {})", where, word.say, word.avoid, text));
    }
  }
}

/// The line without the parts between two of `mark`: names and paths in a document, a cluster's own
/// text in an answer.
std::string without_quoted(std::string_view line, char mark) {
  std::string result;
  bool quoted = false;
  for (const char c : line) {
    if (c == mark) quoted = !quoted;
    if (!quoted && c != mark) result += c;
  }
  return quoted ? std::string(line) : result;
}

template <typename Read>
void check_lines(const fs::path& file, Complaints& into, Read read) {
  std::ifstream in(file);
  REQUIRE(in.good());
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    check(fmt::format("{}:{}", file.lexically_relative(DSDOCTOR_ROOT).string(), number), read(line),
          into);
  }
}

std::vector<fs::path> files_below(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(DSDOCTOR_ROOT) / folder)) {
    if (entry.path().extension() == extension) result.push_back(entry.path());
  }
  std::ranges::sort(result);
  CHECK_FALSE(result.empty());
  return result;
}

/// The string literals in a line of C++ that is not a comment. One without a blank is a name.
std::string literals(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == line.npos || line.substr(first).starts_with("//") || line[first] == '#') return {};
  std::string result;
  std::string text;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (inside && text.find(' ') != text.npos) result += text + " | ";
      text.clear();
      inside = !inside;
    } else if (inside) {
      text += line[i];
      if (line[i] == '\\' && i + 1 < line.size()) text += line[++i];
    }
  }
  return result;
}

std::string printed_by(const std::vector<std::string>& line) {
  const cmd::Ran ran = cmd::run_program(line);
  CHECK(ran.code == 0);
  return ran.out;
}

}  // namespace

TEST_CASE("a complaint names file and line and the word to use", "[cmd][wording]") {
  Complaints complaints;
  const auto with = [&](const std::string& text) {
    complaints.clear();
    check("docs/x.md:3", text, complaints);
    return complaints;
  };
  CHECK(
      with("The node is not Wanted any more") ==
      Complaints{R"(docs/x.md:3: say "eligible", not "wanted": the node is not wanted any more)"});
  CHECK(with("recommended, secure, unwanted-pods, may_not, ./cures, unwanted.yaml").empty());
  CHECK(with("a pod of others: nobody may not mend it").size() == 3);
  CHECK(literals(R"(  add("is none", x, "none");  // "mend it")") == "is none | mend it | ");
  CHECK(literals("// \"mend it\"").empty());
  CHECK(without_quoted("see `cures/ x` now", '`') == "see  now");
}

TEST_CASE("the catalogue contains no word to avoid", "[cmd][wording]") {
  Complaints complaints;
  for (const auto& entry : diagnosis::listed_entries()) {
    const std::string where = "catalogue, " + std::string(entry.id);
    check(where, std::string(entry.title), complaints);
    check(where, std::string(entry.detected), complaints);
    for (const auto& step : entry.fix) {
      std::string when(step.when);
      std::ranges::replace(when, '_', ' ');
      for (const auto& text : {when, std::string(step.condition), std::string(step.text)}) {
        check(where, text, complaints);
      }
    }
  }
  CHECK(complaints == Complaints{});
}

TEST_CASE("the known taints contain no word to avoid", "[cmd][wording]") {
  Complaints complaints;
  check_lines(fs::path(DSDOCTOR_ROOT) / "lib/diagnosis/taints/known_taints.yaml", complaints,
              [](const std::string& line) {
                const bool shown = line.starts_with("  meaning:") || line.starts_with("  set_by:");
                return shown ? line : std::string();
              });
  CHECK(complaints == Complaints{});
}

TEST_CASE("the help contains no word to avoid", "[cmd][wording]") {
  Complaints complaints;
  for (const std::string command : {"explain", "diff-nodes", "suggest", "check", "findings",
                                    "taints", "snapshot", "version", "completion"}) {
    check(command + " --help", printed_by({command, "--help"}), complaints);
  }
  check("--help", printed_by({"--help"}), complaints);
  check("options", printed_by({"options"}), complaints);
  CHECK(complaints == Complaints{});
}

TEST_CASE("the answers contain no word to avoid", "[cmd][wording]") {
  Complaints complaints;
  for (const fs::path& file : files_below("testdata/scenarios", ".transcript")) {
    check_lines(file, complaints, [](const std::string& line) {
      return line.starts_with("$ ") ? std::string() : without_quoted(line, '"');
    });
  }
  CHECK(complaints == Complaints{});
}

TEST_CASE("the messages contain no word to avoid", "[cmd][wording]") {
  Complaints complaints;
  for (const char* folder : {"lib", "cmd"}) {
    for (const char* extension : {".cpp", ".h"}) {
      for (const fs::path& file : files_below(folder, extension)) {
        const std::string name = file.filename().string();
        const bool is_test = name.find("_test.") != name.npos || name.starts_with("test_");
        if (is_test || name.find("_bench.") != name.npos) continue;
        check_lines(file, complaints, literals);
      }
    }
  }
  CHECK(complaints == Complaints{});
}

TEST_CASE("the documents contain no word to avoid", "[cmd][wording]") {
  Complaints complaints;
  std::vector<fs::path> files = files_below("docs", ".md");
  for (const char* file :
       {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "krew-manifest.yaml",
        "lib/ARCHITECTURE.md", "e2e/README.md", "testdata/scenarios/README.md"}) {
    files.push_back(fs::path(DSDOCTOR_ROOT) / file);
  }
  for (const fs::path& file : files) {
    check_lines(file, complaints,
                [](const std::string& line) { return without_quoted(line, '`'); });
  }
  CHECK(complaints == Complaints{});
}

TEST_CASE("SECURITY.md names tests that exist", "[wording]") {
  std::ifstream in(fs::path(DSDOCTOR_ROOT) / "SECURITY.md");
  std::size_t promises = 0;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ") || line.find(" | ") == line.npos) continue;
    const auto parts = base::split(line, "`");
    bool proven = parts.size() < 2;
    for (std::size_t i = 1; i < parts.size(); i += 2) {  // between marks
      if (parts[i].find('/') == std::string_view::npos || parts[i].starts_with("./")) continue;
      CAPTURE(parts[i]);
      CHECK((parts[i].starts_with("~") || fs::exists(fs::path(DSDOCTOR_ROOT) / parts[i])));
      proven = true;
    }
    promises += proven ? 1 : 0;
  }
  CHECK(promises > 15);
}
