#include "render/data/json.h"
#include "render/data/json_parts.h"

namespace dsdoctor::render {
namespace {

Json identity(const std::pair<model::Text, model::Text>& names) {
  return {{"namespace", names.first.str()}, {"name", names.second.str()}};
}

void add_reasons(Json& into, const diagnosis::NodeReport& report,
                 const std::pair<model::Text, model::Text>& of) {
  for (std::size_t i = 0; i < report.reasons.size(); ++i) {
    Json entry = reason_json(report.reasons[i], report.known[i]);
    entry["daemonSet"] = identity(of);
    into.push_back(std::move(entry));
  }
}

}  // namespace

Json to_json(const diagnosis::DaemonSetComparison& comparison, const Envelope& envelope) {
  Json document = start_document("DaemonSetComparison", envelope);
  document["daemonSets"] = Json::array({identity(comparison.first), identity(comparison.second)});
  Json nodes = Json::array();
  for (const diagnosis::NodeContrast& node : comparison.nodes) {
    Json because = Json::array();
    add_reasons(because, node.first, comparison.first);
    add_reasons(because, node.second, comparison.second);
    nodes.push_back(
        {{"name", node.first.name.str()},
         {"shouldRun", Json::array({placement::should_run(node.first.decision),
                                    placement::should_run(node.second.decision)})},
         {"verdicts", Json::array({to_string(node.first.verdict), to_string(node.second.verdict)})},
         {"because", std::move(because)}});
  }
  document["nodes"] = std::move(nodes);
  document["both"] = comparison.both;
  document["neither"] = comparison.neither;
  return document;
}

}  // namespace dsdoctor::render
