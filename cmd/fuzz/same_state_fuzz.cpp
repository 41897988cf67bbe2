// SPDX-License-Identifier: Apache-2.0

// The same cluster in other formats, and evaluated in other ways, must give the same result.

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "diagnosis/reporter.h"
#include "fixes/what_if.h"
#include "fuzz/test_fuzz.h"
#include "fuzz/test_reading.h"
#include "render/data/yaml.h"

namespace dsdoctor::fuzz {
namespace {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A field of an object; empty if it is absent or not a string.
std::string text_in(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

/// YAML limits the length of a key; and a list without its kind, which comes last, may be
/// truncated.
bool fits_yaml(const Json& document) {
  if (!document.is_structured()) return true;
  const bool may_be_cut =
      document.is_object() && document.contains("items") && text_in(document, "kind").empty();
  if (may_be_cut) return false;
  for (const auto& [key, value] : document.items()) {
    if (key.size() > 500 || !fits_yaml(value)) return false;
  }
  return true;
}

/// Absent unless it is a list of one kind that is read. A server was asked for a kind of one group;
/// its list may be empty, while a file without items may be truncated.
std::optional<decode::Kind> kind_of_list(const Json& document) {
  if (!document.is_object() || !document.contains("items")) return std::nullopt;
  const auto kind = decode::kind_of_items(text_in(document, "kind"));
  if (!kind) return std::nullopt;
  return decode::kind_of(text_in(document, "apiVersion"), decode::to_string(*kind));
}

/// The objects of a snapshot. The rest of a server's data is known only to the reader that
/// requested it.
std::string_view objects_of(std::string_view snapshot) {
  const std::size_t at = snapshot.find("\"items\":[");
  return at == std::string_view::npos ? snapshot : snapshot.substr(at);
}

/// Compares the document as a YAML file and as an API server's answer.
void check_forms(const Json& document, const Result& json) {
  // A large document is read in pieces; json_list tests that.
  constexpr std::size_t large = 256U << 10U;
  if (const std::string text = render::yaml_text(document);
      fits_yaml(document) && text.size() < large) {
    const Result yaml = documents(text);
    require(yaml.error.empty() == json.error.empty(),
            "YAML is refused where JSON is: " + yaml.error + json.error);
    require(yaml.cluster == json.cluster, "YAML is the same cluster as JSON");
  }
  const auto items = kind_of_list(document);
  if (!json.error.empty() || !items) return;
  const std::string text = json_text(document);
  const Result answer = list_in_pieces(text, text.size(), items, decode::Encoding::Json);
  require(answer.error.empty() && objects_of(answer.cluster) == objects_of(json.cluster),
          "an answer of the API server is the same cluster as a file: " + answer.error);
}

Json* node_named(Json& snapshot, std::string_view name) {
  for (Json& item : snapshot["items"]) {
    if (item["kind"] == "Node" && item["metadata"]["name"] == name) return &item;
  }
  return nullptr;
}

/// Like `kubectl taint --overwrite`.
void add_taint(Json& node, const Json& taint) {
  Json& taints = node["spec"]["taints"];
  for (Json& each : taints) {
    const bool same =
        each.value("key", "") == taint["key"] && each.value("effect", "") == taint["effect"];
    if (same) {
      each = taint;
      return;
    }
  }
  taints.push_back(taint);
}

/// A cluster with hypothetical changes must equal a cluster with real ones.
void check_what_if(const model::Cluster& cluster, const std::string& text) {
  using Kind = fixes::NodeEdit::Kind;
  const model::Text& name = cluster.nodes[cluster.nodes.size() / 2].meta.name;
  if (name.view().find('*') != std::string_view::npos) return;
  const fixes::NodePick pick{name.str(), name.str(), {}};
  fixes::WhatIf what_if;
  what_if.edits = {{Kind::Taint, pick, {"gpu", "no", "NoSchedule"}, {}, {}},
                   {Kind::Label, pick, {}, "zone", "b"},
                   {Kind::Cordon, pick, {}, {}, {}}};
  const auto imagined = fixes::with_changes(cluster, what_if);
  require(imagined.has_value(), "a node that is there can be changed");
  Json snapshot = Json::parse(text);
  Json* const node = node_named(snapshot, name);
  require(node != nullptr, "a node is where its name says");
  add_taint(*node, {{"key", "gpu"}, {"value", "no"}, {"effect", "NoSchedule"}});
  (*node)["metadata"]["labels"]["zone"] = "b";
  (*node)["spec"]["unschedulable"] = true;
  add_taint(*node, {{"key", "node.kubernetes.io/unschedulable"}, {"effect", "NoSchedule"}});
  const Result changed = documents(json_text(snapshot));
  require(changed.error.empty(), "a changed snapshot can be read: " + changed.error);
  require(changed.cluster == text_of(*imagined), "what would be is what a changed input is");
}

diagnosis::ReportOptions options(bool by_kind) {
  diagnosis::ReportOptions result;
  result.now = std::chrono::sys_days{std::chrono::year{2026} / 11 / 21};
  result.named = true;
  result.by_kind = by_kind;
  return result;
}

bool is_same(const diagnosis::NodeReport& a, const diagnosis::NodeReport& b) {
  return a.name == b.name && a.decision() == b.decision() && a.verdict() == b.verdict() &&
         a.node_known() == b.node_known() && a.pods() == b.pods() && a.reasons() == b.reasons() &&
         a.known() == b.known() && a.findings() == b.findings();
}

bool is_same(const diagnosis::NodeReports& a, const diagnosis::NodeReports& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!is_same(a[i], b[i])) return false;
  }
  return true;
}

/// Nodes of one kind are evaluated once, with the same result as one by one.
void check_kinds(const model::Cluster& cluster) {
  const diagnosis::Reporter by_kind(cluster, options(true));
  const diagnosis::Reporter one_by_one(cluster, options(false));
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    const auto shared = by_kind.report(ds);
    const auto own = one_by_one.report(ds);
    require(is_same(shared.nodes, own.nodes) && is_same(shared.vanished_nodes, own.vanished_nodes),
            "nodes of a kind are reported as by themselves");
    require(shared.findings == own.findings && shared.evaluated == own.evaluated,
            "and the DaemonSet is");
  }
}

}  // namespace

void same_state(std::string_view input) {
  if (is_deep(input)) return;
  // Re-serialized JSON has no duplicate keys, which each reader could treat differently.
  const Json document = Json::parse(input, nullptr, false);
  if (!document.is_structured() || document.empty()) return;
  const auto cluster = read_whole(json_text(document));
  const Result json =
      cluster ? Result{text_of(*cluster), ""} : Result{"", base::to_string(cluster.error())};
  check_forms(document, json);
  if (!cluster) return;
  const Result saved = documents(json.cluster);
  require(saved.error.empty(), "a snapshot can be read: " + saved.error);
  require(saved.cluster == json.cluster, "a snapshot is the same cluster");
  if (!cluster->nodes.empty()) check_what_if(*cluster, json.cluster);
  check_kinds(*cluster);
}

}  // namespace dsdoctor::fuzz
