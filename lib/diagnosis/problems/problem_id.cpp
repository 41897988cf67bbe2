// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/problem_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/glob.h"
#include "base/text.h"
#include "diagnosis/problems/root.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::size_t longest_part = 48;

/// FNV-1a, 32 bits: the same on every machine.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

/// The text in lower case, with single hyphens in place of all characters but letters, digits and
/// dots.
std::string slug(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (base::is_alphanumeric(c) || c == '.') {
      result += base::to_lower(c);
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (result.ends_with('-')) result.pop_back();
  if (result.size() <= longest_part) return result;
  return fmt::format("{}-{:08x}", result.substr(0, longest_part), hash_of(text));
}

/// Indexes of the problems with each id, ascending.
std::map<std::string, std::vector<std::size_t>> by_id(const std::vector<Problem>& problems) {
  std::map<std::string, std::vector<std::size_t>> result;
  for (std::size_t i = 0; i < problems.size(); ++i) result[problems[i].id].push_back(i);
  return result;
}

}  // namespace

std::string problem_id(const Problem& problem, std::string_view part) {
  std::string result(problem.finding);
  if (!problem.root.name.empty()) result += "=" + name_of(problem.root);
  if (const std::string text = slug(part); !text.empty()) result += "#" + text;
  return result;
}

void make_ids_unique(std::vector<Problem>& problems, const std::vector<std::string>& parts) {
  for (const auto& [id, same] : by_id(problems)) {
    const std::string& first = parts[same.front()];
    const bool parts_differ =
        std::ranges::any_of(same, [&](std::size_t i) { return parts[i] != first; });
    if (!parts_differ) continue;
    for (const std::size_t i : same) {
      const char mark = id.find('#') == std::string::npos ? '#' : '-';
      problems[i].id += fmt::format("{}{:08x}", mark, hash_of(parts[i]));
    }
  }
  for (auto& [id, same] : by_id(problems)) {
    const auto most_urgent =
        std::ranges::min_element(same, {}, [&](std::size_t i) { return problems[i].action; });
    for (const std::size_t i : same) {
      if (i != *most_urgent) problems[i].id += fmt::format("+{}", to_string(problems[i].action));
    }
  }
}

bool accepts(const Accepted& accepted, const Problem& problem) {
  if (!base::matches_glob(accepted.finding, problem.finding)) return false;
  if (!accepted.part.empty()) {
    const std::size_t part = problem.id.find('#');
    if (part == std::string::npos) return false;
    if (!base::matches_glob(accepted.part, std::string_view(problem.id).substr(part + 1))) {
      return false;
    }
  }
  if (accepted.root.empty()) return true;
  const auto is_accepted = [&](std::string_view name) {
    return base::matches_glob(accepted.root, name);
  };
  if (problem.root.kind == "Node") {
    return !problem.nodes.empty() &&
           std::ranges::all_of(problem.nodes, is_accepted, &model::Text::view);
  }
  return is_accepted(name_of(problem.root));
}

}  // namespace dsdoctor::diagnosis
