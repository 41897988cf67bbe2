// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/draft.h"

#include <fmt/format.h>

#include <utility>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/problems/root.h"

namespace dsdoctor::diagnosis {
namespace {

/// Whether the root of the finding is the node or the DaemonSet, depending on the number of nodes.
bool depends_on_both(std::string_view finding) {
  return find_listed(finding)->root == "node-or-daemonset";
}

/// The part of the key that distinguishes problems with the same finding and root; may be empty.
std::string_view part_of(std::string_view finding, const Root& root, std::string_view group) {
  // A quota, a taint or a full node is one problem for all pods. A node, a template or an image can
  // have several problems.
  const bool one = root.name.empty() ? depends_on_both(finding)
                                     : root.kind != "DaemonSet" && root.kind != "Image";
  return one ? std::string_view() : group;
}

std::string key_of(std::string_view finding, const Root& root, std::string_view part,
                   Action action) {
  return fmt::format("{}={}={}={}", finding, root_text(root), part, to_string(action));
}

/// The title for a wrong placement without a cause, on a node that was not read.
Message on_unread_node(NodeVerdict verdict) {
  const auto unread = [](Message state) -> Message {
    return phrase::ItsNodeWasNotRead{.state = std::move(state)};
  };
  if (verdict == NodeVerdict::Failed) return unread(phrase::ThePodFailed{});
  if (verdict == NodeVerdict::Duplicate) return unread(phrase::SeveralPodsRun{});
  if (verdict == NodeVerdict::Pending) return unread(phrase::ThePodIsPending{});
  if (verdict == NodeVerdict::NotReady) return unread(phrase::ThePodIsNotReady{});
  return title_message(*find_listed(to_string(verdict)));
}

}  // namespace

void Draft::add_message(const Message& message) {
  varies = varies || message != problem.message;
  if (!title) {
    title = message;
  } else if (title->id == message.id) {
    title = common(*title, message);
  } else {
    title = title_message(*find_listed(problem.finding));
  }
}

std::pair<std::size_t, bool> Drafts::with_key(const std::string& key) {
  const auto [at, is_new] = by_key_.try_emplace(key, drafts_.size());
  if (is_new) drafts_.emplace_back();
  return {at->second, is_new};
}

std::size_t Drafts::of(const Finding& finding, Root root, Action action) {
  const std::string_view part = part_of(finding.name(), root, finding.group);
  const auto [index, is_new] = with_key(key_of(finding.name(), root, part, action));
  if (!is_new) return index;
  drafts_[index].part = part;
  Problem& problem = drafts_[index].problem;
  problem.finding = finding.name();
  problem.title = problem.message = finding.message;
  problem.fix = finding.fix;
  problem.evidence = finding.evidence;
  problem.root = std::move(root);
  problem.action = action;
  problem.severity = finding.severity;
  return index;
}

std::size_t Drafts::of(const DaemonSetReport& report, NodeVerdict verdict, Action action) {
  Root root{"DaemonSet", report.ns.str(), report.name.str()};
  const std::string_view name = to_string(verdict);
  const auto [index, is_new] = with_key(key_of(name, root, "", action));
  if (!is_new) return index;
  Problem& problem = drafts_[index].problem;
  problem.finding = name;
  problem.title = problem.message =
      report.evaluated.nodes_known ? title_message(*find_listed(name)) : on_unread_node(verdict);
  problem.root = std::move(root);
  problem.action = action;
  return index;
}

}  // namespace dsdoctor::diagnosis
