// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "diagnosis/views/rollout_waits.h"
#include "render/data/json.h"
#include "render/data/json_parts.h"
#include "render/data/node_texts.h"
#include "render/data/yaml.h"
#include "render/words/message_text.h"
#include "render/words/text_parts.h"

namespace dsdoctor::render {
namespace {

/// The object of a DaemonSet in two parts: the keys before and after its nodes.
struct AnswerParts {
  Json before;
  Json after;
};

/// Null if it is not known.
Json waits_json(const diagnosis::DaemonSetReport& report) {
  const auto waits = diagnosis::rollout_waits(report);
  if (!waits) return nullptr;
  return list_json(*waits, [](const diagnosis::RolloutWait& wait) {
    return Json{{"object", object_json(wait.object)},
                {"node", wait.node.empty() ? Json(nullptr) : Json(wait.node.str())},
                {"why", text_of(wait.why)}};
  });
}

AnswerParts parts_of(const fixes::DaemonSetAnswer& answer, const Presentation& style) {
  const diagnosis::DaemonSetReport& report = answer.report;
  const Json agrees = report.differences ? Json(report.differences->empty()) : Json(nullptr);
  AnswerParts parts;
  parts.before = {
      {"namespace", report.ns.str()},
      {"name", report.name.str()},
      {"workload", workload_json(report.workload)},
      {"status",
       {{"reported", evaluated_json(diagnosis::EvaluatedCounts{report.reported, true, true})},
        {"evaluated", evaluated_json(report.evaluated)},
        {"agrees", agrees}}}};
  parts.after = {{"findings", findings_json(report.findings, style)},
                 {"causes", list_json(fixes::causes_of(answer),
                                      [](const diagnosis::Cause& cause) {
                                        return Json{
                                            {"verdict", to_string(cause.verdict)},
                                            {"reason", reason_json(cause.reason, cause.known)},
                                            {"nodes", names_json(cause.nodes)}};
                                      })},
                 {"suggestions", list_json(answer.suggestions,
                                           [&](const fixes::Suggestion& suggestion) {
                                             return suggestion_json(report, suggestion, style);
                                           })},
                 {"waits", waits_json(report)},
                 {"timeline", timeline_json(report.timeline)}};
  if (answer.alert) parts.after["alert"] = alert_json(*answer.alert);
  return parts;
}

/// Calls `use` with the index of each listed node.
template <typename Use>
void for_each_listed(const fixes::DaemonSetAnswer& answer, const Use& use) {
  if (answer.listed) {
    for (const std::size_t at : *answer.listed) use(at);
  } else {
    for (std::size_t at = 0; at < answer.report.nodes.size(); ++at) use(at);
  }
}

Json answer_json(const fixes::DaemonSetAnswer& answer, const Presentation& style) {
  AnswerParts parts = parts_of(answer, style);
  Json result = std::move(parts.before);
  if (style.by_class) {
    result["classes"] = classes_json(answer.report.nodes, answer.listed, style);
  } else {
    Json& nodes = result["nodes"] = Json::array();
    for_each_listed(answer, [&](std::size_t at) {
      nodes.push_back(node_json(answer.report.nodes[at], style));
    });
  }
  for (auto& [key, value] : parts.after.items()) result[key] = std::move(value);
  return result;
}

Json verdict_counts(const fixes::Explanation& explanation) {
  Json result = Json::object();
  const bool all_read = std::ranges::all_of(
      explanation.daemon_sets, [](const auto& answer) { return answer.report.is_complete(); });
  for (const diagnosis::NodeVerdict verdict : diagnosis::all_verdicts) {
    std::size_t count = 0;
    for (const auto& answer : explanation.daemon_sets) {
      count += answer.report.nodes.count(verdict);
    }
    // "unknown" is not one of the fixed verdicts: it is only present when pods could not be read.
    if (verdict == diagnosis::NodeVerdict::Unknown && count == 0) continue;
    // Unless everything was read, a count of 0 is unknown.
    result[std::string(to_string(verdict))] =
        count_json(count != 0 || all_read, static_cast<std::int64_t>(count));
  }
  return result;
}

/// The document without its DaemonSets.
Json head_json(std::string_view kind, const fixes::Explanation& explanation,
               const Envelope& envelope, const Presentation& style) {
  Json document = start_document(kind, envelope);
  document["summary"] = {
      {"daemonSets", explanation.daemon_sets.size()},
      {"nodes", count_json(explanation.nodes_known, static_cast<std::int64_t>(explanation.nodes))},
      {"verdicts", verdict_counts(explanation)},
      {"ignoredProblems", explanation.problems.ignored}};
  document["problems"] = problems_json(explanation, style);
  return document;
}

/// The text with `indent` before each line.
std::string indented(std::string_view text, std::string_view indent) {
  std::string result;
  for (const std::string_view line : base::split(text, "\n")) {
    if (line.data() != text.data()) result += '\n';
    if (!line.empty()) result.append(indent).append(line);
  }
  return result;
}

/// Writes the objects of DaemonSets in JSON, node by node.
class JsonWriter {
 public:
  JsonWriter(const Presentation& style, const Write& write) : style_(style), write_(write) {}

  void add(const fixes::DaemonSetAnswer& answer) {
    if (style_.by_class) {
      write_(indented(notation_of(answer_json(answer, style_)), of_daemon_set));
      return;
    }
    const AnswerParts parts = parts_of(answer, style_);
    std::string before = indented(notation_of(parts.before), of_daemon_set);
    before.resize(before.size() - (std::string_view("\n}").size() + of_daemon_set.size()));
    write_(before);
    write_(",\n            \"nodes\": [");
    NodeTexts texts(
        answer.report.nodes,
        [&](const diagnosis::NodeReport& node) { return node_json(node, style_); },
        [&](const Json& object) { return indented(notation_of(object), of_node); });
    bool first = true;
    for_each_listed(answer, [&](std::size_t at) {
      write_(std::exchange(first, false) ? "\n                {\n" : ",\n                {\n");
      write_("                    \"name\": ");
      write_(notation_of(Json(answer.report.nodes[at].name.str())));
      write_(",\n");
      write_(texts.rest(at, 1));
    });
    write_(first ? "],\n" : "\n            ],\n");
    const std::string after = indented(notation_of(parts.after), of_daemon_set);
    write_(std::string_view(after).substr(after.find('\n') + 1));
  }

 private:
  static constexpr std::string_view of_daemon_set = "        ";
  static constexpr std::string_view of_node = "                ";

  const Presentation& style_;
  const Write& write_;
};

}  // namespace

void write_json(const fixes::Explanation& explanation, const Envelope& envelope,
                const Presentation& style, const Write& write) {
  std::string head = notation_of(head_json("Explanation", explanation, envelope, style));
  head.resize(head.size() - std::string_view("\n}").size());
  write(head + ",\n    \"daemonSets\": [");
  JsonWriter writer(style, write);
  bool first = true;
  for (const fixes::DaemonSetAnswer* answer : in_order_of_names(explanation.daemon_sets)) {
    write(std::exchange(first, false) ? "\n" : ",\n");
    writer.add(*answer);
  }
  write(first ? "]\n}\n" : "\n    ]\n}\n");
}

void write_yaml(const fixes::Explanation& explanation, const Envelope& envelope,
                const Presentation& style, const Write& write) {
  write(yaml_text(head_json("Explanation", explanation, envelope, style)));
  write(explanation.daemon_sets.empty() ? "daemonSets: []\n" : "daemonSets:\n");
  for (const fixes::DaemonSetAnswer* answer : in_order_of_names(explanation.daemon_sets)) {
    if (style.by_class) {
      write(yaml_text(Json::array({answer_json(*answer, style)})));
      continue;
    }
    const AnswerParts parts = parts_of(*answer, style);
    write(yaml_text(Json::array({parts.before})));
    NodeTexts texts(
        answer->report.nodes,
        [&](const diagnosis::NodeReport& node) { return node_json(node, style); },
        [&](const Json& object) { return indented(yaml_text(Json::array({object})), "  "); });
    bool first = true;
    for_each_listed(*answer, [&](std::size_t at) {
      if (std::exchange(first, false)) write("  nodes:\n");
      const Json name = {{"name", answer->report.nodes[at].name.str()}};
      write("  - " + yaml_text(name));
      write(texts.rest(at, 0));
    });
    if (first) write("  nodes: []\n");
    write(indented(yaml_text(parts.after), "  "));
  }
}

Json problems_to_json(const fixes::Explanation& explanation, const Envelope& envelope,
                      const Presentation& style) {
  return head_json("Problems", explanation, envelope, style);
}

Json to_json(const fixes::Explanation& explanation, const Envelope& envelope,
             const Presentation& style) {
  Json document = head_json("Explanation", explanation, envelope, style);
  document["daemonSets"] = sorted_by_name(
      explanation.daemon_sets,
      [&](const fixes::DaemonSetAnswer& answer) { return answer_json(answer, style); });
  return document;
}

}  // namespace dsdoctor::render
