// SPDX-License-Identifier: Apache-2.0
#include "render/words/text_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/printable.h"
#include "base/text.h"
#include "diagnosis/report/ranking.h"
#include "diagnosis/taints/taint_knowledge.h"
#include "model/release.h"
#include "render/words/finding_text.h"
#include "render/words/message_text.h"
#include "render/words/reason_text.h"
#include "render/words/taint_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::NodeReport;
using diagnosis::NodeVerdict;

struct VerdictMark {
  std::string_view unicode;
  std::string_view ascii;
  Color color;
};

VerdictMark verdict_mark(NodeVerdict verdict) {
  switch (verdict) {
    case NodeVerdict::Missing:
    case NodeVerdict::Failed:
    case NodeVerdict::Duplicate:
    case NodeVerdict::Misscheduled:
    case NodeVerdict::Removing: return {"!", "!", Color::Red};
    case NodeVerdict::Pending:
    case NodeVerdict::NotReady:
    case NodeVerdict::Terminating: return {"~", "~", Color::Yellow};
    case NodeVerdict::Excluded: return {"·", "-", Color::Dim};
    case NodeVerdict::Running: return {"✓", "+", Color::Green};
    case NodeVerdict::Unknown: return {"?", "?", Color::Yellow};
  }
  std::abort();
}

std::string state_of(const diagnosis::PodReport& pod) {
  std::string state;
  if (pod.terminating) {
    state = "terminating";
  } else if (pod.phase == "Failed" || pod.phase == "Succeeded") {
    state = pod.reason.empty() ? pod.phase.str()
                               : fmt::format("{} ({})", pod.phase.view(), pod.reason.view());
  } else if (!pod.bound) {
    state = "not bound";
  } else if (!pod.ready) {
    state = "not ready";
  } else {
    state = pod.available ? "ready" : "ready, not available yet";
  }
  if (pod.outdated) state += ", older revision";
  if (pod.adoptable) state += ", no owner yet";
  return state;
}

/// Meaning, setter and lifetime of a taint; empty if a finding includes them.
std::string known_sentence(const placement::Reason& reason, const model::KnownTaint* known,
                           ExplainedTaints& explained) {
  const auto* open = std::get_if<placement::UntoleratedTaint>(&reason);
  if (open == nullptr || known == nullptr || open->taint.key == diagnosis::to_be_deleted_key) {
    return "";
  }
  if (!explained.insert(known).second) return "";
  return base::printable_line(known_clause(*known));
}

void add_sentences(std::vector<std::string>& to, const std::string& text,
                   const placement::Reason& reason, const model::KnownTaint* known,
                   ExplainedTaints& explained) {
  to.push_back(base::printable_line(text));
  std::string more = known_sentence(reason, known, explained);
  if (!more.empty()) to.push_back(std::move(more));
}

std::string reason_line(std::string text, const placement::Reason& reason,
                        const model::KnownTaint* known, ExplainedTaints& explained,
                        std::size_t indent, const Style& style) {
  text = base::printable_line(text);
  if (style.wide) text += fmt::format("  ({})", base::printable_line(path_of(reason)));
  const std::string more = known_sentence(reason, known, explained);
  return wrapped(style, indent, text) + (more.empty() ? more : wrapped(style, indent + 2, more));
}

}  // namespace

namespace {

/// Placements without a problem have the mark of their verdict.
VerdictMark mark_of(NodeVerdict verdict, const ActionCounts& actions) {
  if (actions.needed != 0) return {"!", "!", Color::Red};
  if (actions.overdue != 0) return {"!", "!", Color::Yellow};
  if (actions.none != 0) return {"~", "~", Color::Cyan};
  return verdict_mark(verdict);
}

}  // namespace

std::string action_clause(const ActionCounts& actions) {
  const bool one_kind = actions.needed == 0 && (actions.overdue == 0 || actions.none == 0);
  if (one_kind && actions.overdue != 0) return "overdue";
  if (one_kind && actions.none != 0) return "resolves without action";
  std::string result;
  if (actions.overdue != 0) result = fmt::format("{} overdue", actions.overdue);
  if (actions.none != 0) {
    result +=
        fmt::format("{}{} without action", result.empty() ? "" : ", ",
                    actions.none == 1 ? "1 resolves" : fmt::format("{} resolve", actions.none));
  }
  return result;
}

std::string verdict_label(NodeVerdict verdict, const diagnosis::DaemonSetReport& report,
                          const ActionCounts& actions, std::size_t width, const Style& style) {
  const bool unseen = verdict == NodeVerdict::Running && !report.evaluated.nodes_known;
  const VerdictMark mark = unseen ? verdict_mark(NodeVerdict::Unknown) : mark_of(verdict, actions);
  const std::string label = fmt::format("{} {:<{}}", style.unicode ? mark.unicode : mark.ascii,
                                        base::upper_case(to_string(verdict)), width);
  return paint(style, mark.color, label);
}

Color verdict_color(NodeVerdict verdict) { return verdict_mark(verdict).color; }

namespace {

/// Whether all pods on misscheduled nodes are about to end.
bool pods_end(const diagnosis::DaemonSetReport& report) {
  return std::ranges::all_of(report.nodes.states(), [](const diagnosis::NodeReports::Use& use) {
    return use.nodes == 0 || use.state->verdict != NodeVerdict::Misscheduled ||
           std::ranges::any_of(use.state->findings, [](const diagnosis::Finding& finding) {
             return finding.group.ends_with(diagnosis::pod_ends);
           });
  });
}

}  // namespace

std::string_view verdict_meaning(NodeVerdict verdict, const diagnosis::DaemonSetReport& report) {
  switch (verdict) {
    case NodeVerdict::Missing: return "eligible, no pod";
    case NodeVerdict::Failed: return "the controller deletes the pod and tries again, with backoff";
    case NodeVerdict::Duplicate:
      return "more than one pod; the controller keeps the oldest bound pod";
    case NodeVerdict::Misscheduled:
      return pods_end(report) ? "no longer eligible; the pod ends"
                              : "no longer eligible; the pod is not evicted";
    case NodeVerdict::Removing: return "the pod will be deleted by the DaemonSet controller";
    case NodeVerdict::Pending: return "the pod is not bound to the node";
    case NodeVerdict::NotReady: return "the pod is not ready";
    case NodeVerdict::Terminating:
      if (report.deleted || report.in_ending_namespace) return "the pod is terminating";
      return report.surges ? "the old pod is terminating; a new pod does not wait for it"
                           : "the old pod is terminating; a new pod is created afterwards";
    case NodeVerdict::Excluded: return "not eligible";
    case NodeVerdict::Running:
      return report.evaluated.nodes_known ? "" : "the pod is ready; the nodes were not read";
    case NodeVerdict::Unknown: return "eligible; pods were not read";
  }
  std::abort();
}

std::string name_list(const std::vector<model::Text>& names) { return name_list(names, Style{}); }

std::string name_list(const std::vector<model::Text>& names, const Style& style) {
  constexpr std::size_t few = 5;
  return base::listed(
      names.size(), [&](std::size_t i) { return base::printable_line(names[i]); },
      style.lists_every_node() ? names.size() : few);
}

std::string pods_clause(const std::vector<diagnosis::PodReport>& pods) {
  std::string result;
  for (const diagnosis::PodReport& pod : pods) {
    result += fmt::format("{}pod {}, {}", result.empty() ? "" : "; ",
                          base::printable_line(pod.name), base::printable_line(state_of(pod)));
  }
  return result;
}

std::string reason_lines(const diagnosis::NodeGroup& group, const diagnosis::NodeReports& nodes,
                         ExplainedTaints& explained, std::size_t indent,
                         const Presentation& style) {
  std::string result;
  for (const diagnosis::GroupReason& reason : group.reasons) {
    result += reason_line(sentence(reason), reason.reason, reason.known, explained, indent, style);
  }
  return result + finding_lines(group, nodes, indent, style);
}

std::string reason_lines(const NodeReport& node, ExplainedTaints& explained, std::size_t indent,
                         const Presentation& style) {
  std::string result;
  for (std::size_t i = 0; i < node.reasons().size(); ++i) {
    const placement::Reason& reason = node.reasons()[i];
    result += reason_line(sentence(reason), reason, node.known()[i], explained, indent, style);
  }
  return result + finding_lines(node, indent, style);
}

std::vector<std::string> reason_sentences(const diagnosis::NodeGroup& group,
                                          ExplainedTaints& explained) {
  std::vector<std::string> result;
  for (const diagnosis::GroupReason& reason : group.reasons) {
    add_sentences(result, sentence(reason), reason.reason, reason.known, explained);
  }
  return result;
}

std::vector<std::string> reason_sentences(const NodeReport& node, ExplainedTaints& explained) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < node.reasons().size(); ++i) {
    add_sentences(result, sentence(node.reasons()[i]), node.reasons()[i], node.known()[i],
                  explained);
  }
  return result;
}

namespace {

/// The API server names the object at the beginning and the namespace at the end: `serviceaccounts
/// "agent" is forbidden: ... in the namespace "logging"`.
std::string message_of_any(const model::Omission& omission) {
  const std::string own = fmt::format(" in the namespace \"{}\"", omission.ns);
  const std::string named = omission.resource + " \"";
  std::string_view message = omission.message;
  if (message.ends_with(own)) message.remove_suffix(own.size());
  const std::size_t end = message.find("\" is forbidden");
  if (!message.starts_with(named) || end == std::string_view::npos) return std::string(message);
  return omission.resource + std::string(message.substr(end + 1));
}

// A snapshot may have any texts here; a sentence is one line on stderr.
constexpr std::size_t longest_name = 253;
constexpr std::size_t longest_message = 2048;
constexpr std::size_t longest_consequence = 1024;

/// Omissions that differ only in the namespace.
struct OmissionGroup {
  const model::Omission* first;
  std::vector<std::string> namespaces;
};

std::vector<OmissionGroup> groups_of(const std::vector<model::Omission>& omissions) {
  std::vector<OmissionGroup> groups;
  for (const model::Omission& omission : omissions) {
    const auto alike = std::ranges::find_if(groups, [&](const OmissionGroup& group) {
      const model::Omission& first = *group.first;
      return first.ns.empty() == omission.ns.empty() && first.resource == omission.resource &&
             message_of_any(first) == message_of_any(omission) &&
             first.consequence == omission.consequence;
    });
    auto& group = alike != groups.end()
                      ? *alike
                      : groups.emplace_back(OmissionGroup{&omission, std::vector<std::string>()});
    if (!omission.ns.empty()) {
      group.namespaces.push_back(base::shortened_line(omission.ns, longest_name));
    }
  }
  return groups;
}

/// "events of namespaces a, b"
std::string resource_of(const OmissionGroup& group) {
  std::string result = base::shortened_line(group.first->resource, longest_name);
  if (group.namespaces.empty()) return result;
  return fmt::format("{} of {} {}", result,
                     group.namespaces.size() == 1 ? "namespace" : "namespaces",
                     base::listed(group.namespaces));
}

/// Errors of different resources with one consequence share a sentence.
bool share_sentence(const OmissionGroup& one, const OmissionGroup& other) {
  return one.first->reason != "NotInInput" && one.first->resource != other.first->resource &&
         one.first->reason == other.first->reason &&
         one.first->consequence == other.first->consequence;
}

std::string sentence_of(const std::vector<const OmissionGroup*>& groups) {
  std::vector<std::string> resources;
  resources.reserve(groups.size());
  for (const OmissionGroup* group : groups) resources.push_back(resource_of(*group));
  const OmissionGroup& front = *groups.front();
  std::string message = base::shortened_line(
      front.namespaces.size() > 1 ? message_of_any(*front.first) : front.first->message,
      longest_message);
  if (groups.size() > 1) {
    message += fmt::format("; {}", counted(groups.size() - 1, "similar error"));
  }
  return fmt::format("Not known: {} ({}): {}", base::listed(resources), message,
                     base::shortened_line(front.first->consequence, longest_consequence));
}

}  // namespace

std::vector<std::string> omission_sentences(const std::vector<model::Omission>& omissions) {
  const std::vector<OmissionGroup> groups = groups_of(omissions);
  std::vector<std::vector<const OmissionGroup*>> sentences;
  for (const OmissionGroup& group : groups) {
    const auto alike = std::ranges::find_if(sentences, [&](const auto& sentence) {
      return std::ranges::all_of(
          sentence, [&](const OmissionGroup* one) { return share_sentence(*one, group); });
    });
    auto& sentence = alike != sentences.end() ? *alike : sentences.emplace_back();
    sentence.push_back(&group);
  }
  std::vector<std::string> result;
  result.reserve(sentences.size());
  for (const auto& sentence : sentences) result.push_back(sentence_of(sentence));
  return result;
}

std::string omission_lines(const std::vector<model::Omission>& omissions, const Style& style) {
  const std::vector<std::string> sentences = omission_sentences(omissions);
  std::size_t shown = sentences.size();
  std::size_t longest = std::string::npos;
  if (style.fits_screen()) {
    constexpr std::size_t most = 4;
    const std::size_t few = style.is_small_screen() ? 2 : most;
    if (shown > few) shown = few - 1;
    longest = 2 * style.width - style.width / 4;  // two lines, which words do not fill
  }
  std::string result;
  for (std::size_t i = 0; i < shown; ++i) {
    result += wrapped(style, 0, base::without_middle(sentences[i], longest));
  }
  if (shown < sentences.size()) {
    result += fmt::format("Not known: {} more: -o wide lists them\n", sentences.size() - shown);
  }
  return result;
}

std::string nodes_clause(const diagnosis::DaemonSetReport& report) {
  if (!report.evaluated.nodes_known) return "nodes unknown";
  std::string all = counted(report.all_nodes, "node");
  if (report.nodes.size() >= report.all_nodes) return all;
  return fmt::format("{} of {}", report.nodes.size(), all);
}

std::string cluster_suffix(const model::SourceInfo& source) {
  std::string result;
  if (!source.server_version.empty()) {
    result += fmt::format("    Kubernetes {}", base::printable_line(source.server_version));
  }
  if (source.kind == "cluster" && !source.context.empty()) {
    result += fmt::format("    context {}", base::printable_line(source.context));
  }
  if (source.as_of) result += fmt::format("    as of {}", diagnosis::format_utc(*source.as_of));
  if (source.kind == "snapshot") {
    const std::string& of = !source.context.empty()  ? source.context
                            : !source.server.empty() ? source.server
                                                     : source.saved_from;
    result += fmt::format("    snapshot of {}, read {}", base::printable_line(of),
                          diagnosis::format_utc(source.read_at));
  }
  return result;
}

std::vector<std::string> counts_of_input(const model::SourceInfo& source) {
  std::vector<std::string> result;
  if (source.kind != "files" && source.kind != "snapshot") return result;
  for (const model::KindCount& kind : source.read) {
    if (kind.resource == "events")
      result.push_back(grouped_count(kind.objects.value_or(0), "event"));
    if (kind.resource == "controllerrevisions") {
      result.push_back(grouped_count(kind.objects.value_or(0), "revision"));
    }
  }
  return result;
}

std::string scope_suffix(std::size_t nodes, const model::SourceInfo& source) {
  return scope_suffix(counted(nodes, "node"), source);
}

std::string scope_suffix(const std::string& nodes, const model::SourceInfo& source) {
  return fmt::format("    {}{}", nodes, cluster_suffix(source));
}

std::string_view to_string(model::ReleaseSource source) {
  using model::ReleaseSource;
  switch (source) {
    case ReleaseSource::Server: return "server";
    case ReleaseSource::Kubelets: return "kubelets";
    case ReleaseSource::Unknown: return "assumed";
  }
  std::abort();
}

std::string_view to_string(diagnosis::GateSource source) {
  using enum diagnosis::GateSource;
  switch (source) {
    case Override: return "override";
    case Release: return "release";
    case Counters: return "counters";
    case Rejection: return "rejection";
    case StoredObject: return "stored-object";
    case Default: return "default";
  }
  std::abort();
}

std::string release_text(const model::ClusterRelease& of) {
  using model::ReleaseSource;
  const std::string release = full_text(of.release);
  const std::string newest = full_text(model::newest_known_release);
  if (of.source == ReleaseSource::Unknown) {
    return fmt::format(
        "those of Kubernetes {}, the newest known release, because the version of "
        "the cluster is unknown",
        newest);
  }
  const std::string_view by = of.source == ReleaseSource::Server
                                  ? "the version of the API server"
                                  : "the newest kubelet; the version of the API server is unknown";
  if (!is_newer_than_known(of)) return fmt::format("those of Kubernetes {}, {}", release, by);
  return fmt::format("those of Kubernetes {}, the newest known release, because {} is newer ({})",
                     newest, release, by);
}

std::string rules_line(const diagnosis::RulesTaken& rules) {
  std::string result = "rules: " + release_text(rules.release);
  for (const diagnosis::GateSetting& gate : rules.gates) {
    result += fmt::format("; feature gate {} is {}", gate.gate, text_of(gate.reason));
  }
  return result;
}

}  // namespace dsdoctor::render
