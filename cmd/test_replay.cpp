// SPDX-License-Identifier: Apache-2.0

// Replays in-process the commands in a document, and shows how their output differs. It reads
//
// - a transcript of testdata/scenarios, in whose folder its commands run:
//
//     $ kubectl dsdoctor explain x -f cluster.yaml
//     exact output; stderr follows "stderr: "
//     [exit 0]
//
//   "$ stty cols 80 rows 24": the commands after it run in a terminal of that size, without colors.
//   "$ stty cols 0 rows 0": in a pipe again.
// Style and script of a page in HTML are shown as "...".
//
//   DSDOCTOR_REWRITE=1 in the environment replaces the output with the current one; then review
//   the diff.
// - a Markdown file: the commands in its blocks, which run in testdata. A line "..." there matches
// any number of lines;
//   exit code and stderr are omitted.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "commands/commands.h"
#include "testing/gzip_file.h"
#include "testing/line_diff.h"

using namespace dsdoctor;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view prompt = "$ kubectl dsdoctor ";
constexpr std::string_view resizing = "$ stty cols ";

struct Terminal {
  std::size_t columns = 0;  // 0: a pipe
  std::size_t rows = 0;
};

struct Printed {
  std::string out;
  std::string err;
  int exit_code;
};

/// Splits words like a shell; scenarios need only single quotes.
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

Printed run(std::string_view command, const Terminal& terminal = {}) {
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream in;
  cmd::Context ctx{
      .out = out,
      .err = err,
      .in = in,
      .environment = {.variables = {{"LANG", "C.UTF-8"}}, .working_directory = {}},
      .out_is_terminal = terminal.rows != 0,
      .terminal_width = terminal.columns,
      .terminal_rows = terminal.rows,
      .now = [] { return model::Time(std::chrono::sys_days{std::chrono::year{2026} / 11 / 21}); }};
  const cmd::ExitCode code = cmd::run(split_words(command), ctx);
  return {out.str(), err.str(), static_cast<int>(code)};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

/// The page without its style, its script and their hashes, which are files of the tree.
std::string without_assets(std::string page) {
  if (!page.starts_with("<!DOCTYPE html>")) return page;
  const auto cut = [&](std::string_view begin, std::string_view end) {
    for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at)) {
      at += begin.size();
      page.replace(at, page.find(end, at) - at, "...");
    }
  };
  cut("<style>", "</style>");
  cut("<script>", "</script>");
  cut("'sha256-", "'");
  return page;
}

std::string replay_transcript(const std::string& expected) {
  std::string result;
  Terminal terminal;
  for (const std::string& line : lines_of(expected)) {
    if (line.starts_with(resizing)) {
      std::istringstream words(line.substr(resizing.size()));
      std::string rows;
      words >> terminal.columns >> rows >> terminal.rows;
      if (!result.empty()) result += "\n";
      result += line + "\n";
    }
    if (!line.starts_with(prompt)) continue;
    const Printed printed = run(std::string_view(line).substr(prompt.size()), terminal);
    if (!result.empty()) result += "\n";
    result += line + "\n" + without_assets(printed.out);
    for (const std::string& said : lines_of(printed.err)) result += "stderr: " + said + "\n";
    result += "[exit " + std::to_string(printed.exit_code) + "]\n";
  }
  return result;
}

/// `printed` with "..." where `shown` omits lines.
std::string left_out_alike(const std::vector<std::string>& shown,
                           const std::vector<std::string>& printed) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i] != "...") {
      if (at < printed.size()) result += printed[at++] + "\n";
      continue;
    }
    result += "...\n";
    const auto rest = printed.begin() + static_cast<std::ptrdiff_t>(std::min(at, printed.size()));
    const auto next =
        i + 1 == shown.size() ? printed.end() : std::find(rest, printed.end(), shown[i + 1]);
    if (next != printed.end() || i + 1 == shown.size()) {
      at = static_cast<std::size_t>(next - printed.begin());
    }
  }
  for (; at < printed.size(); ++at) result += printed[at] + "\n";
  return result;
}

/// The document with the current output of its commands. An empty line before a command in a block
/// belongs to neither.
std::string replay_document(const std::string& document) {
  std::string result;
  const std::vector<std::string> lines = lines_of(document);
  const auto is_command = [&](std::size_t i) {
    return i < lines.size() && lines[i].starts_with(prompt);
  };
  const auto is_end = [&](std::size_t i) {
    return i >= lines.size() || lines[i] == "```" || (lines[i].empty() && is_command(i + 1));
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    result += lines[i] + "\n";
    if (!is_command(i)) continue;
    std::vector<std::string> shown;
    const std::string command = lines[i].substr(prompt.size());
    while (!is_end(i + 1)) shown.push_back(lines[++i]);
    result += left_out_alike(shown, lines_of(run(command).out));
  }
  return result;
}

bool replay(const fs::path& file) {
  const std::string expected = testing::read_file(file.string());
  std::string printed;
  if (file.extension() == ".md") {
    fs::current_path(DSDOCTOR_TESTDATA);
    printed = replay_document(expected);
    if (std::getenv("DSDOCTOR_REWRITE") != nullptr) {
      std::ofstream(file) << printed;
      return !printed.empty();
    }
  } else {
    fs::current_path(file.parent_path());
    printed = replay_transcript(expected);
    if (std::getenv("DSDOCTOR_REWRITE") != nullptr) {
      std::ofstream(file) << printed;
      return !printed.empty();
    }
  }
  if (printed == expected && !printed.empty()) return true;
  std::cout << "--- " << file.string() << "\n+++ what is printed now\n"
            << testing::line_diff(expected, printed, std::string(prompt));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: dsdoctor_replay FILE.transcript|FILE.md\n";
    return 2;
  }
  try {
    return replay(fs::absolute(argv[1])) ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}
