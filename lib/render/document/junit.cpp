// SPDX-License-Identifier: Apache-2.0
#include "render/document/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "render/data/json.h"
#include "render/terminal/texts.h"
#include "render/words/alert_words.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"

namespace dsdoctor::render {
namespace {

using fixes::DaemonSetAnswer;

/// U+FFFE and U+FFFF are valid in UTF-8, but XML forbids them.
bool is_no_character(std::string_view text, std::size_t at) {
  return text.substr(at, 2) == "\xEF\xBF" && at + 2 < text.size() &&
         (text[at + 2] == '\xBE' || text[at + 2] == '\xBF');
}

/// Escaped for content and for attributes in double quotes. Control characters, which XML cannot
/// contain in any form, become visible text.
std::string xml_escaped(std::string_view raw) {
  const std::string text = base::printable(raw);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default:
        if (is_no_character(text, i)) {
          result += "\xEF\xBF\xBD";
          i += 2;
        } else {
          result += text[i];
        }
    }
  }
  return result;
}

bool fails(const DaemonSetAnswer& answer) { return fixes::is_wrong(answer); }

std::string summary(const DaemonSetAnswer& answer, const diagnosis::Problems& problems) {
  if (answer.alert) return alert_message(*answer.alert);
  return fmt::format("{}: {}", problems_summary(problems),
                     title_of(problems.problems.front()).text);
}

std::string_view what_is_missing(const diagnosis::DaemonSetReport& report) {
  if (!report.evaluated.nodes_known) return "nodes could not be read";
  return report.covered ? "some nodes could not be read" : "pods could not be read";
}

std::string outcome(const fixes::Explanation& explanation, std::size_t i,
                    const model::SourceInfo& source, const Presentation& style) {
  const DaemonSetAnswer& answer = explanation.daemon_sets[i];
  if (fails(answer)) {
    const fixes::Explanation alone = fixes::only(explanation, i);
    return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                       answer.alert ? to_string(answer.alert->alert) : "wrong",
                       xml_escaped(base::printable_line(summary(answer, alone.problems))),
                       xml_escaped(explanation_text(alone, source, {}, style)));
  }
  const std::string_view missing = what_is_missing(answer.report);
  if (!fixes::is_answered(answer)) {
    return fmt::format("      <error type=\"unknown\" message=\"{}\"/>\n", missing);
  }
  if (fixes::is_conclusive(answer)) return "";
  return fmt::format("      <system-out>nothing wrong, but {}</system-out>\n", missing);
}

std::string test_case(const fixes::Explanation& explanation, std::size_t i,
                      const model::SourceInfo& source, const Presentation& style) {
  const DaemonSetAnswer& answer = explanation.daemon_sets[i];
  const std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"",
                                       xml_escaped(base::printable_line(answer.report.ns)),
                                       xml_escaped(base::printable_line(answer.report.name)));
  const std::string body = outcome(explanation, i, source, style);
  return body.empty() ? head + "/>\n" : head + ">\n" + body + "    </testcase>\n";
}

/// A suite that lacks a requested DaemonSet must not pass.
std::string unread_case(std::string_view why) {
  return fmt::format(
      "    <testcase classname=\"dsdoctor\" name=\"daemonsets\" time=\"0\">\n"
      "      <error type=\"unknown\" message=\"{}\"/>\n    </testcase>\n",
      xml_escaped(base::printable_line(why)));
}

/// A problem of a DaemonSet that does not exist.
std::string case_of_problem(const diagnosis::Problem& problem) {
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"0\">\n"
      "      <failure type=\"wrong\" message=\"{}\"/>\n    </testcase>\n",
      xml_escaped(base::printable_line(problem.root.ns)),
      xml_escaped(base::printable_line(problem.root.name)),
      xml_escaped(base::printable_line(title_of(problem).text)));
}

}  // namespace

std::string junit_text(const fixes::Explanation& explanation, const model::SourceInfo& source,
                       model::Time now, const std::vector<std::string>& unanswered,
                       const Presentation& style) {
  const auto& all = explanation.daemon_sets;
  auto failures = std::ranges::count_if(all, fails);
  auto errors = std::ranges::count_if(all, [](const DaemonSetAnswer& answer) {
    return !fails(answer) && !fixes::is_answered(answer);
  });
  Presentation plain = style;
  plain.color = false;
  plain.width = 0;
  std::string cases;
  for (std::size_t i = 0; i < all.size(); ++i) cases += test_case(explanation, i, source, plain);
  std::size_t tests = all.size();
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    if (!problem.daemon_sets.empty() || !explanation.has_other_problem) continue;
    cases += case_of_problem(problem);
    ++tests;
    ++failures;
  }
  for (const std::string& why : unanswered) {
    cases += unread_case(why);
    ++tests;
    ++errors;
  }
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors);
  std::string timestamp = rfc3339(now);
  timestamp.pop_back();  // JUnit's schema knows no time zone; the time is UTC
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n"
      "  <testsuite name=\"dsdoctor check\" {0} skipped=\"0\" time=\"0\" timestamp=\"{1}\">\n{2}"
      "  </testsuite>\n</testsuites>\n",
      counts, timestamp, cases);
}

}  // namespace dsdoctor::render
