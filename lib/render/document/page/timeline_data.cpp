// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/printable.h"
#include "base/time.h"
#include "diagnosis/rollout/template_change.h"
#include "render/document/page/sheet.h"
#include "render/words/fix_parts.h"
#include "render/words/timeline_text.h"

namespace dsdoctor::render::page {
namespace {

using diagnosis::TimelineEntry;

/// An entry with the problems that it belongs to, from one.
struct Mark {
  const TimelineEntry* entry = nullptr;
  std::vector<std::size_t> problems;
};

bool is_before(const TimelineEntry& a, const TimelineEntry& b) {
  return std::tie(a.time, a.object, a.text) < std::tie(b.time, b.object, b.text);
}

/// The color of a mark.
std::string_view kind_of(const TimelineEntry& entry) {
  if (entry.text.find("taint") != std::string::npos) return "taint";
  if (entry.text.find("revision") != std::string::npos) return "revision";
  if (entry.object.starts_with("Node/")) return "node";
  if (entry.object.starts_with("Pod/")) return "pod";
  return "other";
}

std::string when_of(const TimelineEntry& entry) {
  return fmt::format("{}{}", entry.upper_bound ? "≤ " : "", base::utc_text(entry.time));
}

/// `marks`: sorted by time, not empty. `limits`: why entries may be missing.
Json strip_of(const std::vector<Mark>& marks, std::string_view limits) {
  constexpr double left = 8;
  constexpr double right = 992;
  const model::Time first = marks.front().entry->time;
  const model::Time last = marks.back().entry->time;
  const auto span = std::chrono::duration<double>(last - first).count();
  std::map<std::string_view, std::string> paths;
  Json entries = Json::array();
  for (const Mark& mark : marks) {
    const TimelineEntry& entry = *mark.entry;
    const double passed = std::chrono::duration<double>(entry.time - first).count();
    const double part = span <= 0 ? 0 : passed / span;
    paths[kind_of(entry)] += fmt::format("M{:.0f} 3v18", left + part * (right - left));
    entries.push_back({{"time", base::rfc3339_seconds(entry.time)},
                       {"when", when_of(entry)},
                       {"object", base::printable_line(entry.object)},
                       {"text", base::printable_line(entry.text)},
                       {"links", links_data(mark.problems)}});
  }
  Json drawn = Json::array();
  for (const auto& [kind, path] : paths) drawn.push_back({{"kind", kind}, {"path", path}});
  return {
      {"stripLabel", fmt::format("Timeline of {} entries, which are listed below", marks.size())},
      {"marks", std::move(drawn)},
      {"first", base::utc_text(first)},
      {"firstTime", base::rfc3339_seconds(first)},
      {"last", marks.size() == 1 ? std::string() : base::utc_text(last)},
      {"lastTime", base::rfc3339_seconds(last)},
      {"limits", limits},
      {"entries", std::move(entries)}};
}

/// The entries about the first placement of the problem: of the node with its pods, and of the
/// DaemonSet. Without a placement: of the DaemonSet.
struct Entries {
  std::vector<const TimelineEntry*> list;  // sorted
  std::string_view limits;                 // see limits_of
};

Entries entries_of(const Sheet& sheet, const diagnosis::Problem& problem) {
  Entries result;
  const auto add = [&](const auto& timeline) {
    if (!timeline) return;
    for (const TimelineEntry& entry : timeline->entries) result.list.push_back(&entry);
    result.limits = limits_of(*timeline);
  };
  if (problem.daemon_sets.empty()) return result;
  if (!problem.placements.empty()) {
    const diagnosis::Placement at = problem.placements.front();
    const auto& report = sheet.report(at.daemon_set);
    add(report.nodes.states()[report.nodes.state_of(at.node)].state->timeline);
    add(report.timeline);
  } else {
    add(sheet.report(problem.daemon_sets.front()).timeline);
  }
  std::ranges::stable_sort(result.list,
                           [](const auto* a, const auto* b) { return is_before(*a, *b); });
  return result;
}

constexpr std::size_t most_of_problem = 12;
constexpr std::size_t most_of_all = 100;
constexpr std::size_t problems_with_strip = 100;

}  // namespace

Json strip_data(const Sheet& sheet, const diagnosis::Problem& problem) {
  auto [entries, limits] = entries_of(sheet, problem);
  if (entries.empty()) return false;
  // The newest explain the problem.
  if (entries.size() > most_of_problem) {
    entries.erase(entries.begin(), entries.end() - most_of_problem);
  }
  std::vector<Mark> marks;
  marks.reserve(entries.size());
  for (const TimelineEntry* entry : entries) marks.push_back({entry, {}});
  return strip_of(marks, limits);
}

void add_timeline(Json& data, const Sheet& sheet) {
  const auto less = [](const TimelineEntry* a, const TimelineEntry* b) {
    return is_before(*a, *b);
  };
  std::map<const TimelineEntry*, std::vector<std::size_t>, decltype(less)> all(less);
  std::string_view limits;
  const auto& problems = sheet.explanation.problems.problems;
  for (std::size_t p = 0; p < std::min(problems_with_strip, problems.size()); ++p) {
    const Entries entries = entries_of(sheet, problems[p]);
    if (!entries.list.empty()) limits = entries.limits;
    for (const TimelineEntry* entry : entries.list) {
      std::vector<std::size_t>& numbers = all[entry];
      if (numbers.empty() || numbers.back() != p + 1) numbers.push_back(p + 1);
    }
  }
  data["timeline"] = false;
  if (all.empty()) return;
  std::vector<Mark> marks;
  const std::size_t skipped = all.size() > most_of_all ? all.size() - most_of_all : 0;
  std::size_t at = 0;
  for (auto& [entry, numbers] : all) {
    if (at++ >= skipped) marks.push_back({entry, std::move(numbers)});
  }
  Json timeline = strip_of(marks, limits);
  timeline["timelineSummary"] = fmt::format(
      "{} about the first node and DaemonSet of each problem{}", counted(marks.size(), "event"),
      skipped == 0 ? "" : fmt::format("; {} older ones are left out", skipped));
  data["timeline"] = std::move(timeline);
}

void add_changes(Json& data, const Sheet& sheet) {
  constexpr std::size_t most = 100;
  Json fields = Json::array();
  std::size_t left_out = 0;
  for (const std::size_t i : sheet.troubled) {
    const fixes::DaemonSetAnswer& answer = sheet.explanation.daemon_sets[i];
    if (answer.ds == nullptr) continue;
    const auto revisions = diagnosis::revisions_by_number(*answer.ds, sheet.reporter.facts());
    if (revisions.size() < 2) continue;
    const auto& before = *revisions[revisions.size() - 2];
    const auto& after = *revisions.back();
    for (const diagnosis::TemplateChange& change :
         diagnosis::template_changes(before.pod_template, after.pod_template)) {
      if (fields.size() == most) {
        ++left_out;
        continue;
      }
      fields.push_back(
          {{"ds", base::printable_line(full_name(answer.report))},
           {"revisions", fmt::format("{} → {}", before.revision, after.revision)},
           {"field", base::printable_line(change.field)},
           {"was", change.before.empty() ? "not set" : base::printable_line(change.before)},
           {"is", change.after.empty() ? "not set" : base::printable_line(change.after)}});
    }
  }
  data["changes"] = false;
  if (fields.empty()) return;
  constexpr std::size_t few = 8;
  const std::size_t count = fields.size();
  data["changes"] = {
      {"few", count <= few},
      {"changesSummary",
       fmt::format("{} changed in the last revisions", counted(count + left_out, "field"))},
      {"fields", std::move(fields)},
      {"changesNote",
       fmt::format(
           "The last two revisions of the DaemonSets with a problem: images, placement and "
           "requests. Commands, arguments and environment are not compared.{}",
           left_out == 0 ? std::string() : fmt::format(" {} more are left out.", left_out))}};
}

}  // namespace dsdoctor::render::page
