#include "render/document/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "render/data/json.h"
#include "render/terminal/texts.h"
#include "render/words/alert_words.h"

namespace dsdoctor::render {
namespace {

using advice::DaemonSetAnswer;
using diagnosis::NodeVerdict;

/// U+FFFE and U+FFFF are UTF-8, but no characters of XML.
bool is_no_character(std::string_view text, std::size_t at) {
  return text.substr(at, 2) == "\xEF\xBF" && at + 2 < text.size() &&
         (text[at + 2] == '\xBE' || text[at + 2] == '\xBF');
}

/// For content and for attributes in double quotes. Control characters, which XML cannot hold in
/// any form, become visible text.
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

bool fails(const DaemonSetAnswer& answer) { return advice::is_wrong(answer); }

/// "2 nodes wrong: missing 1, misscheduled 1"
std::string summary(const DaemonSetAnswer& answer) {
  if (answer.alert) return alert_message(*answer.alert);
  std::string verdicts;
  std::size_t wrong = 0;
  for (const NodeVerdict verdict : diagnosis::all_verdicts) {
    const auto count = std::ranges::count_if(answer.report.nodes, [&](const auto& node) {
      return node.verdict == verdict && diagnosis::is_wrong(node);
    });
    if (count == 0) continue;
    wrong += static_cast<std::size_t>(count);
    verdicts += fmt::format("{}{} {}", verdicts.empty() ? ": " : ", ", to_string(verdict), count);
  }
  if (wrong != 0) return fmt::format("{} wrong{}", counted(wrong, "node"), verdicts);
  return answer.report.findings.empty() ? std::string("something is wrong")
                                        : answer.report.findings.front().message;
}

std::string outcome(const DaemonSetAnswer& answer, const model::SourceInfo& source,
                    const Presentation& style) {
  if (fails(answer)) {
    advice::Explanation alone;
    alone.daemon_sets.push_back(answer);
    return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                       answer.alert ? to_string(answer.alert->alert) : "wrong",
                       xml_escaped(base::printable_line(summary(answer))),
                       xml_escaped(explanation_text(alone, source, {}, style)));
  }
  if (!advice::is_conclusive(answer)) {
    return "      <error type=\"unknown\" message=\"nodes or pods could not be read\"/>\n";
  }
  return "";
}

std::string test_case(const DaemonSetAnswer& answer, const model::SourceInfo& source,
                      const Presentation& style) {
  const std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"",
                                       xml_escaped(base::printable_line(answer.report.ns)),
                                       xml_escaped(base::printable_line(answer.report.name)));
  const std::string body = outcome(answer, source, style);
  return body.empty() ? head + "/>\n" : head + ">\n" + body + "    </testcase>\n";
}

}  // namespace

std::string junit_text(const advice::Explanation& explanation, const model::SourceInfo& source,
                       model::Time now, const Presentation& style) {
  const auto& all = explanation.daemon_sets;
  const auto failures = std::ranges::count_if(all, fails);
  const auto errors = std::ranges::count_if(all, [](const DaemonSetAnswer& answer) {
    return !fails(answer) && !advice::is_conclusive(answer);
  });
  Presentation plain = style;
  plain.color = false;
  plain.width = 0;
  std::string cases;
  for (const DaemonSetAnswer& answer : all) cases += test_case(answer, source, plain);
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", all.size(), failures, errors);
  std::string timestamp = rfc3339(now);
  timestamp.pop_back();  // JUnit's schema knows no time zone; the time is UTC
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n"
      "  <testsuite name=\"dsdoctor check\" {0} skipped=\"0\" time=\"0\" timestamp=\"{1}\">\n{2}"
      "  </testsuite>\n</testsuites>\n",
      counts, timestamp, cases);
}

}  // namespace dsdoctor::render
