// Replays the transcripts of testdata/scenarios in-process. A scenario is a folder with the files
// that its commands read and any number of *.transcript files:
//
//   $ kubectl dsdoctor explain x -f cluster.yaml
//   exact output; what went to stderr stands behind "stderr: "
//   [exit 0]
//
// DSDOCTOR_REWRITE=1 in the environment writes what the commands print now: the diff is the review.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "commands/commands.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view prompt = "$ kubectl dsdoctor ";

/// Words as a shell would split them; single quotes are all that scenarios need.
std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool started = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      started = true;
    } else if (c == ' ' && !quoted) {
      if (started) words.push_back(std::exchange(word, {}));
      started = false;
    } else {
      word += c;
      started = true;
    }
  }
  if (started) words.push_back(word);
  return words;
}

std::string marked(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result += "stderr: " + line + "\n";
  return result;
}

std::string transcript_of(const std::string& command) {
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream in;
  cmd::Context ctx{
      .out = out,
      .err = err,
      .in = in,
      .environment = {.variables = {{"LANG", "C.UTF-8"}}, .working_directory = {}},
      .now = [] { return model::Time(std::chrono::sys_days{std::chrono::year{2026} / 11 / 21}); }};
  const cmd::ExitCode code = cmd::run(split_words(command), ctx);
  return std::string(prompt) + command + "\n" + out.str() + marked(err.str()) + "[exit " +
         std::to_string(static_cast<int>(code)) + "]\n";
}

std::string replay(const std::string& transcript) {
  std::string result;
  std::istringstream lines(transcript);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(prompt)) continue;
    if (!result.empty()) result += "\n";
    result += transcript_of(line.substr(prompt.size()));
  }
  return result;
}

std::vector<fs::path> transcripts() {
  std::vector<fs::path> result;
  for (const auto& entry : fs::recursive_directory_iterator(DSDOCTOR_TESTDATA "/scenarios")) {
    if (entry.path().extension() == ".transcript") result.push_back(entry.path());
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace

TEST_CASE("scenarios print what their transcripts say", "[golden]") {
  const fs::path home = fs::current_path();
  const auto files = transcripts();
  CHECK(files.size() >= 8);
  for (const fs::path& file : files) {
    CAPTURE(file.string());
    const std::string expected = testing::read_file(file.string());
    fs::current_path(file.parent_path());
    const std::string printed = replay(expected);
    fs::current_path(home);
    CHECK(!printed.empty());
    if (std::getenv("DSDOCTOR_REWRITE") != nullptr) {
      std::ofstream(file) << printed;
    } else {
      CHECK(printed == expected);
    }
  }
}

TEST_CASE("the README shows what the demo prints", "[golden]") {
  const std::string transcript = transcript_of("explain datadog-agent -n datadog --demo");
  const std::string shown = transcript.substr(0, transcript.find("[exit"));
  CHECK(testing::read_file(DSDOCTOR_ROOT "/README.md").find("```\n" + shown + "```") !=
        std::string::npos);
}
