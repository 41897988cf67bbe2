// SPDX-License-Identifier: Apache-2.0
#include "render/document/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "diagnosis/catalogue/catalogue.h"
#include "render/words/finding_text.h"
#include "render/words/message_text.h"
#include "render/words/problem_words.h"

namespace dsdoctor::render {
namespace {

constexpr const char* schema_uri =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* home = "https://github.com/kubectl-dsdoctor/kubectl-dsdoctor";

std::string_view level_of(const diagnosis::Problem& problem) {
  switch (problem.severity) {
    case diagnosis::Severity::Critical:
    case diagnosis::Severity::Error: return "error";
    case diagnosis::Severity::Warning: return "warning";
    case diagnosis::Severity::Info: return "note";
  }
  return "none";
}

/// The path with the characters that a URI does not allow as %XX.
std::string encoded(std::string_view path) {
  constexpr std::string_view plain = "-._~/!$&'()*+,;=@";
  std::string result;
  for (const char c : path) {
    if (base::is_alphanumeric(c) || plain.find(c) != plain.npos) {
      result += c;
    } else if (c == '\\') {
      result += '/';
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

/// A path as a reference of RFC 3986: "rendered/my%20agent.yaml", "file:///C:/agent.yaml".
std::string uri_of(std::string_view path) {
  const bool has_drive = path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
  if (has_drive) return fmt::format("file:///{}:{}", path[0], encoded(path.substr(2)));
  return (path.starts_with('/') ? "file://" : "") + encoded(path);
}

/// The places of DaemonSets in manifests.
class Places {
 public:
  explicit Places(const std::vector<model::ManifestPlace>& places) {
    for (const model::ManifestPlace& place : places) {
      places_.insert_or_assign({place.ns, place.name}, &place);
    }
  }
  /// Null for a DaemonSet that no manifest has.
  [[nodiscard]] const model::ManifestPlace* find(const diagnosis::DaemonSetReport& of) const {
    for (const std::string_view ns : {of.ns.view(), std::string_view()}) {
      const auto at = places_.find({ns, of.name.view()});
      if (at != places_.end()) return at->second;
    }
    return nullptr;
  }

 private:
  std::map<std::pair<std::string_view, std::string_view>, const model::ManifestPlace*> places_;
};

/// "nodeSelector.disk" for "nodeSelector['disk']".
std::string without_quoted_keys(std::string path) {
  for (const auto& [quoted, plain] : {std::pair("['", "."), {"']", ""}}) {
    for (std::size_t at = path.find(quoted); at != path.npos; at = path.find(quoted, at)) {
      path.replace(at, 2, plain);
    }
  }
  return path;
}

/// The line of the first evidence about the DaemonSet.
std::size_t line_in(const model::ManifestPlace& place, const diagnosis::Problem& problem,
                    const diagnosis::DaemonSetReport& of) {
  for (const diagnosis::Evidence& evidence : problem.evidence) {
    const diagnosis::ObjectRef& object = evidence.object;
    if (object.kind == "DaemonSet" && object.ns == of.ns.view() && object.name == of.name.view()) {
      return place.line_of(without_quoted_keys(evidence.path));
    }
  }
  return place.line;
}

/// The rules of a run, in the order of their first result.
class Rules {
 public:
  std::size_t index_of(std::string_view finding) {
    const auto [at, is_new] = indexes_.try_emplace(std::string(finding), rules_.size());
    if (is_new) rules_.push_back(rule(finding));
    return at->second;
  }
  [[nodiscard]] Json json() && { return std::move(rules_); }

 private:
  static Json rule(std::string_view finding) {
    Json result = {{"id", finding}};
    const diagnosis::CatalogueEntry* entry = diagnosis::find_listed(finding);
    if (entry == nullptr) return result;
    result["shortDescription"] = {{"text", entry->title}};
    result["fullDescription"] = {{"text", fmt::format("Detected by {}.", entry->detected)}};
    result["help"] = {
        {"text", fmt::format("To look it up: kubectl dsdoctor findings {}", finding)}};
    return result;
  }

  std::map<std::string, std::size_t, std::less<>> indexes_;
  Json rules_ = Json::array();
};

std::string message_of(const diagnosis::Problem& problem, const fixes::Explanation& explanation) {
  std::string text = title_of(problem).text;
  const std::string affected = affected_clause(problem, explanation, {});
  if (!affected.empty()) text += fmt::format(" ({})", affected);
  std::string fix;
  for (const diagnosis::Step& step : problem.fix) {
    const std::string sentence = render::words_of(step);
    if (!sentence.empty()) fix += (fix.empty() ? ". To fix it: " : "; ") + sentence;
  }
  return base::printable_line(text + fix);
}

Json location(const model::ManifestPlace& place, std::size_t line,
              const diagnosis::DaemonSetReport& of) {
  Json artifact = {{"uri", uri_of(place.file)}};
  return {{"physicalLocation",
           {{"artifactLocation", std::move(artifact)}, {"region", {{"startLine", line}}}}},
          {"logicalLocations",
           {{{"fullyQualifiedName", fmt::format("{}/{}", of.ns.view(), of.name.view())},
             {"kind", "object"}}}}};
}

Json notifications(const std::vector<model::Omission>& omissions) {
  Json result = Json::array();
  for (const model::Omission& omission : omissions) {
    result.push_back({{"level", "warning"},
                      {"message",
                       {{"text", fmt::format("{}: {}; {}", omission.resource, omission.message,
                                             omission.consequence)}}}});
  }
  return result;
}

}  // namespace

Json sarif_json(const fixes::Explanation& explanation, const Envelope& envelope, bool answered,
                std::string_view version) {
  const Places places(envelope.what_if->places);
  Rules rules;
  Json results = Json::array();
  for (const diagnosis::Problem& problem : explanation.problems.problems) {
    if (!diagnosis::needs_action(problem)) continue;
    for (const std::size_t i : problem.daemon_sets) {
      const diagnosis::DaemonSetReport& of = explanation.daemon_sets[i].report;
      const model::ManifestPlace* place = places.find(of);
      if (place == nullptr) continue;
      results.push_back(
          {{"ruleId", problem.finding},
           {"ruleIndex", rules.index_of(problem.finding)},
           {"level", level_of(problem)},
           {"message", {{"text", message_of(problem, explanation)}}},
           {"locations", {location(*place, line_in(*place, problem, of), of)}},
           {"partialFingerprints",
            {{"problem/v1", fmt::format("{} {}/{}", problem.id, of.ns.view(), of.name.view())}}}});
    }
  }
  Json driver = {{"name", "kubectl-dsdoctor"},
                 {"version", version},
                 {"informationUri", home},
                 {"rules", std::move(rules).json()}};
  Json invocation = {{"executionSuccessful", answered},
                     {"toolExecutionNotifications", notifications(envelope.omissions)}};
  Json run = {{"tool", {{"driver", std::move(driver)}}},
              {"invocations", Json::array({std::move(invocation)})},
              {"results", std::move(results)}};
  return {{"$schema", schema_uri}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
}

}  // namespace dsdoctor::render
