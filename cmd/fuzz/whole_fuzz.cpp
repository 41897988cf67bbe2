// SPDX-License-Identifier: Apache-2.0

// Runs every command in every format on a file of arbitrary bytes.

#include <array>
#include <nlohmann/json.hpp>

#include "fuzz/test_fuzz.h"
#include "line/formats.h"
#include "test_program.h"

namespace dsdoctor::fuzz {
namespace {

using Words = std::vector<std::string>;

cmd::Ran run(Words words, const std::string& input) {
  words.insert(words.end(), {"-f", "-"});
  const model::Time now(std::chrono::sys_days{std::chrono::year{2026} / 11 / 21});
  return cmd::run_program(words, {.variables = {{"LANG", "C.UTF-8"}}, .working_directory = {}}, now,
                          input);
}

/// Reports whether the text contains nothing that controls a terminal.
bool is_harmless(const std::string& text) {
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F) return false;
  }
  return true;
}

cmd::Ran checked(const Words& words, const std::string& input) {
  cmd::Ran ran = run(words, input);
  std::string what = ": ";
  for (const std::string& word : words) what += word + " ";
  require(ran.code >= 0 && ran.code <= 2, "an exit code" + what);
  require(is_harmless(ran.err), "stderr is fit for a terminal" + what + ran.err);
  require(is_harmless(ran.out), "stdout is fit for a terminal" + what);
  // A text answer that is incomplete lists its omissions itself.
  const bool says_why = !ran.err.empty() || ran.out.find("Not known: ") != std::string::npos;
  require(ran.code != 2 || says_why, "a failure says why" + what);
  return ran;
}

}  // namespace

void whole(std::string_view input) {
  const std::string file(input);
  if (checked({"explain", "-A", "-o", "json"}, file).code == 2) return;
  for (const char* command : {"explain", "check", "suggest", "diff-nodes", "taints"}) {
    for (const std::string& format : cmd::output_formats(command)) {
      const Words words = {command, "-A", "-o", format};
      const cmd::Ran ran = checked(words, file);
      if (format != "json" || ran.out.empty()) continue;
      require(nlohmann::json::accept(ran.out), std::string("valid JSON: ") + command);
    }
  }
  for (const Words& words :
       {Words{"explain", "-A", "--timeline", "--all-nodes"}, Words{"explain", "node/n1"},
        Words{"explain", "pod/agent-1", "-n", "mon"}, Words{"check", "-A", "--alert"},
        Words{"explain", "-A", "--cordon", "*", "--tolerate", "*/*=:NoSchedule"}}) {
    (void)checked(words, file);
  }
  for (const Words& words : {Words{"snapshot", "-"}, Words{"snapshot", "-", "--redact"}}) {
    const cmd::Ran saved = run(words, file);
    if (saved.code == 2) continue;
    require(run({"explain", "-A", "-o", "json"}, saved.out).code != 2, "a snapshot can be read");
  }
}

}  // namespace dsdoctor::fuzz
