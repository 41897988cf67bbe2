// SPDX-License-Identifier: Apache-2.0
#include "render/document/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "base/time.h"
#include "render/document/page/block_data.h"
#include "render/document/page/sheet.h"
#include "render/document/report_parts.h"
#include "render/document/reports.h"
#include "render/words/fix_parts.h"
#include "render/words/problem_words.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

using page::Json;

constexpr std::string_view red = "%23c4222b";
constexpr std::string_view amber = "%23c98a00";
constexpr std::string_view green = "%231a7f37";
constexpr std::string_view gray = "%2357606a";

/// "prod", "cluster.json and 2 more": the cluster or the files.
std::string place_of(const model::SourceInfo& source) {
  if (!source.context.empty()) return base::printable_line(source.context);
  if (!source.server.empty()) return base::printable_line(source.server);
  if (source.paths.empty()) return source.kind == "demo" ? "embedded cluster" : "cluster";
  constexpr std::size_t most = 2;
  std::string result;
  for (std::size_t i = 0; i < std::min(most, source.paths.size()); ++i) {
    const std::string_view path = source.paths[i];
    result +=
        (i == 0 ? "" : ", ") + base::printable_line(path.substr(path.find_last_of("/\\") + 1));
  }
  if (source.paths.size() > most) result += fmt::format(" and {} more", source.paths.size() - most);
  return result;
}

std::string scope_of(const fixes::Explanation& explanation, const model::SourceInfo& source) {
  std::vector<std::string> parts = {place_of(source)};
  if (!source.context.empty() && !source.server.empty()) {
    parts.push_back(base::printable_line(source.server));
  }
  if (!source.server_version.empty()) {
    parts.push_back(fmt::format("Kubernetes {}", base::printable_line(source.server_version)));
  }
  parts.push_back(nodes_clause(explanation));
  parts.push_back(grouped_count(explanation.daemon_sets.size(), "DaemonSet"));
  if (explanation.pods != 0) parts.push_back(grouped_count(explanation.pods, "pod"));
  std::ranges::move(counts_of_input(source), std::back_inserter(parts));
  return fmt::format("{}", fmt::join(parts, " · "));
}

/// The heading without problems.
std::string_view quiet_heading(const fixes::Explanation& explanation, bool unanswered) {
  if (explanation.daemon_sets.empty()) {
    return unanswered ? "No DaemonSet was read" : "There is no DaemonSet";
  }
  return unanswered ? "Nothing wrong in what could be read" : title_of_quiet(explanation);
}

/// "8 problems need action", "No action needed"
std::string short_heading(const fixes::Explanation& explanation, bool unanswered) {
  const auto& problems = explanation.problems.problems;
  const auto needed =
      static_cast<std::size_t>(std::ranges::count_if(problems, diagnosis::needs_action));
  std::string result(quiet_heading(explanation, unanswered));
  if (needed != 0) {
    result =
        fmt::format("{} need{} action", grouped_count(needed, "problem"), needed == 1 ? "s" : "");
  }
  return result;
}

/// `text` about the only DaemonSet, or about all.
std::string with_daemon_set(std::string_view text, const fixes::Explanation& explanation) {
  if (explanation.daemon_sets.size() != 1) return std::string(text);
  return fmt::format("DaemonSet {}: {}",
                     base::printable_line(full_name(explanation.daemon_sets.front().report)), text);
}

/// Red if something is wrong, amber if that is not known or a problem needs action that does not
/// count.
std::string_view icon_of(const fixes::Explanation& explanation, bool unanswered) {
  if (fixes::is_wrong(explanation)) return red;
  const bool acts = std::ranges::any_of(explanation.problems.problems, diagnosis::needs_action);
  return acts || unanswered || !fixes::is_conclusive(explanation) ? amber : green;
}

Json counts_of(const fixes::Explanation& explanation, const page::Sheet& sheet) {
  std::size_t needed = 0;
  std::size_t overdue = 0;
  std::size_t later = 0;
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    switch (problem.action) {
      case diagnosis::Action::Needed: ++needed; break;
      case diagnosis::Action::Overdue: ++overdue; break;
      case diagnosis::Action::None: ++later; break;
    }
  }
  const page::Others others(sheet);
  Json result = Json::array();
  const auto add = [&](std::size_t number, std::string_view label, std::string_view filter,
                       std::string_view tone) {
    if (number == 0) return;
    result.push_back(
        {{"count", grouped_digits(number)}, {"label", label}, {"filter", filter}, {"tone", tone}});
  };
  const std::size_t acting = needed + overdue;
  add(acting, acting == 1 ? "needs action" : "need action", "needed",
      needed == 0 ? "waiting" : "wrong");
  add(overdue, needed == 0 ? "overdue" : "of them overdue", "overdue", "waiting");
  add(later, later == 1 ? "resolves without action" : "resolve without action", "none", "later");
  const std::string sentence = others.sentence();
  add(others.count, sentence.substr(sentence.find(' ') + 1), "healthy",
      others.healthy ? "good" : "");
  return result;
}

void add_end(Json& data, const AboutPage& about) {
  data["generator"] = about.program;
  data["again"] = about.again;
  data["redacted"] = about.redacted;
}

void add_head(Json& data, const fixes::Explanation& explanation, const Envelope& envelope,
              bool unanswered) {
  const model::Time moment = envelope.source.moment();
  const std::string as_of = base::utc_text(moment);
  data["title"] = fmt::format("{}: {}, {}",
                              with_daemon_set(short_heading(explanation, unanswered), explanation),
                              place_of(envelope.source), as_of);
  data["iconColor"] = icon_of(explanation, unanswered);
  const std::string summary = problems_summary(explanation.problems);
  data["heading"] = with_daemon_set(
      summary.empty() ? quiet_heading(explanation, unanswered) : summary, explanation);
  data["scope"] = scope_of(explanation, envelope.source);
  data["asOf"] = as_of;
  data["asOfTime"] = base::rfc3339_seconds(moment);
  Json unread = Json::array();
  for (const std::string& sentence : omission_sentences(envelope.omissions))
    unread.push_back(sentence);
  const std::string first = unread.empty() ? std::string() : unread.front().get<std::string>();
  data["unread"] = unread.size() == 1 ? first : std::string();
  data["manyUnread"] =
      unread.size() > 1 ? fmt::format("{} (and {} more)", first, unread.size() - 1) : std::string();
  data["unreadItems"] = std::move(unread);
}

Json alerts_of(const fixes::Explanation& explanation) {
  Json result = Json::array();
  const bool alone = explanation.daemon_sets.size() == 1;
  for (const fixes::DaemonSetAnswer& answer : explanation.daemon_sets) {
    if (!answer.alert || (!answer.alert->holds && !alone)) continue;
    result.push_back({{"blocks", page::blocks_data(alert_blocks(*answer.alert))}});
  }
  return result;
}

}  // namespace

page::Json report_data(const fixes::Explanation& explanation, const diagnosis::Reporter& reporter,
                       const Envelope& envelope, const Presentation& style,
                       const AboutPage& about) {
  constexpr std::size_t most_columns = 60;
  const page::Sheet sheet(explanation, reporter, style, about.unanswered);
  Json data;
  add_head(data, explanation, envelope, about.unanswered);
  data["counts"] = counts_of(explanation, sheet);
  data["before"] = false;
  if (envelope.what_if) {
    data["before"] = {{"blocks", page::blocks_data(what_if_blocks(*envelope.what_if, style))}};
  }
  Json alerts = alerts_of(explanation);
  data["alerts"] = !alerts.empty();
  data["alertItems"] = std::move(alerts);
  page::add_problems(data, sheet);
  std::vector<const diagnosis::DaemonSetReport*> reports;
  for (const auto& answer : explanation.daemon_sets) reports.push_back(&answer.report);
  constexpr std::size_t most_rows = 100;
  std::vector<std::size_t> rows = sheet.troubled;
  rows.resize(std::min(most_rows, rows.size()));
  const auto matrix = diagnosis::placement_matrix(reports, explanation.problems, sheet.index,
                                                  reporter.cluster(), rows, most_columns);
  page::add_matrix(data, sheet, matrix);
  Json placements = page::placements_data(sheet, matrix);
  page::add_rows(data, sheet, placements);
  page::add_timeline(data, sheet);
  page::add_changes(data, sheet);
  Json notes = Json::array();
  for (const std::string& note : remark_clauses(explanation)) notes.push_back(note);
  data["notes"] = !notes.empty();
  data["noteItems"] = std::move(notes);
  data["data"] = placements.is_null() ? std::string() : page::script_safe(placements);
  add_end(data, about);
  return data;
}

std::string report_page(const fixes::Explanation& explanation, const diagnosis::Reporter& reporter,
                        const Envelope& envelope, const Presentation& style,
                        const AboutPage& about) {
  return page::filled_report(report_data(explanation, reporter, envelope, style, about));
}

std::string document_page(const Document& document, const AboutPage& about) {
  Json entries = Json::array();
  std::size_t sections = 0;
  for (const Block& block : document.blocks) {
    const auto* heading = std::get_if<Heading>(&block);
    if (heading == nullptr || heading->level != 2) continue;
    entries.push_back(
        {{"target", fmt::format("s{}", ++sections)}, {"line", page::line_data(heading->text)}});
  }
  Json data = {{"title", base::printable_line(document.title)},
               {"heading", base::printable_line(document.title)},
               {"iconColor", gray},
               {"subtitle", {{"line", page::line_data(document.subtitle)}}},
               {"contents", sections > 1},
               {"entries", std::move(entries)},
               {"blocks", page::blocks_data(document.blocks)},
               {"data", false}};
  add_end(data, about);
  return page::filled_document(data);
}

}  // namespace dsdoctor::render
