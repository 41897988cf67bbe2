// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/root.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "diagnosis/catalogue/catalogue.h"

namespace dsdoctor::diagnosis {
namespace {

/// "key:Effect" of the first taint that the DaemonSet does not tolerate; without the value, which
/// may vary.
std::string open_taint(const NodeReport& node) {
  for (const placement::Reason& reason : node.shared_reasons()) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open != nullptr) {
      return fmt::format("{}:{}", open->taint.key.view(), open->taint.effect.view());
    }
  }
  return {};
}

Root daemon_set(const DaemonSetReport& report) {
  return {"DaemonSet", report.ns.str(), report.name.str()};
}

/// Whether more than half of the eligible nodes do not have the finding that `alike` nodes have.
/// True if only some nodes are selected: the number is not known then, and the user asks about
/// these nodes.
bool fits_elsewhere(const DaemonSetReport& report, std::size_t alike) {
  if (report.nodes.size() < report.all_nodes) return true;
  return 2 * static_cast<std::int64_t>(alike) < report.evaluated.counts.desired_number_scheduled;
}

bool has_namespace(std::string_view kind) {
  constexpr std::array<std::string_view, 7> cluster_wide = {
      "DeviceTaintRule",           "Image",  "Namespace", "PriorityClass", "RuntimeClass",
      "ValidatingAdmissionPolicy", "Webhook"};
  return std::ranges::find(cluster_wide, kind) == cluster_wide.end();
}

}  // namespace

Root root_of(const Finding& finding, const DaemonSetReport& report, const NodeReport* node,
             std::size_t alike) {
  const std::string_view root = entry_of(finding.id).root;
  if (root == "control-plane") return {"ControlPlane", "", ""};
  if (root == "node" || finding.root == "Node") return {"Node", "", ""};
  if (root == "node-or-daemonset" && fits_elsewhere(report, alike)) return {"Node", "", ""};
  if (root == "taint" && node != nullptr) {
    if (std::string taint = open_taint(*node); !taint.empty()) return {"Taint", "", taint};
  }
  const std::size_t slash = root.find('/');
  if (slash == std::string_view::npos || finding.root.empty()) return daemon_set(report);
  std::string kind(root.substr(0, slash));
  std::string name = finding.root;
  if (kind == "Object") {
    kind = name.substr(0, name.find('/'));
    name.erase(0, kind.size() + 1);
  }
  if (const std::size_t end = name.find('/'); kind == "DaemonSet" && end != name.npos) {
    return {kind, name.substr(0, end), name.substr(end + 1)};  // maybe of another namespace
  }
  return {kind, has_namespace(kind) ? report.ns.str() : "", name};
}

std::string open_taint_text(const NodeReport& node) {
  for (const placement::Reason& reason : node.shared_reasons()) {
    const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
    if (open == nullptr) continue;
    const model::Taint& taint = open->taint;
    return fmt::format("{}{}{}:{}", taint.key.view(), taint.value.empty() ? "" : "=",
                       taint.value.view(), taint.effect.view());
  }
  return {};
}

std::string name_of(const Root& root) {
  return root.ns.empty() ? root.name : root.ns + "/" + root.name;
}

std::string root_text(const Root& root) {
  std::string result;
  for (const std::string* part : {&root.kind, &root.ns, &root.name}) {
    if (!part->empty()) result += (result.empty() ? "" : "/") + *part;
  }
  return result;
}

}  // namespace dsdoctor::diagnosis
