// SPDX-License-Identifier: Apache-2.0
#include "render/terminal/trial.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace dsdoctor::render {
namespace {

constexpr std::array<std::string_view, 14> verbs = {
    "annotate", "apply", "cordon", "create",   "delete", "drain",   "expose",
    "label",    "patch", "scale",  "uncordon", "taint",  "replace", "set"};

/// The first two words that are neither flags nor values of flags.
std::vector<std::string_view> verb_of(const base::Command& command) {
  std::vector<std::string_view> result;
  for (std::size_t i = 1; i < command.words.size() && result.size() < 2; ++i) {
    const std::string_view word = command.words[i];
    if (word == "-n" || word == "--namespace") {
      ++i;
    } else if (!word.starts_with('-')) {
      result.push_back(word);
    }
  }
  result.resize(2);
  return result;
}

}  // namespace

std::optional<base::Command> trial_of(const base::Command& command) {
  if (command.words.empty() || command.words.front() != "kubectl") return std::nullopt;
  const auto verb = verb_of(command);
  const bool undoes = verb[0] == "rollout" && verb[1] == "undo";
  const bool only_reads = verb[0] == "apply" && verb[1] == "view-last-applied";
  if (!undoes && (only_reads || std::ranges::find(verbs, verb[0]) == verbs.end())) {
    return std::nullopt;
  }
  base::Command trial = command;
  trial.words.emplace_back("--dry-run=server");
  return trial;
}

}  // namespace dsdoctor::render
