#include "diagnosis/causes/rollout/broken_revision.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "diagnosis/causes/creation/new_pods.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

/// How the pods of the newest revision fare: those that fail, by what is wrong with them.
struct NewestPods {
  std::map<std::string, std::vector<const model::Pod*>> faulty;
  std::int64_t available = 0;
  std::int64_t all = 0;
};

NewestPods newest_pods(const DaemonSetCase& c, const RolloutReplay& replay) {
  NewestPods result;
  for (const model::Pod* pod : replay.fresh) {
    ++result.all;
    if (const auto fault = start_fault(c, *pod)) {
      result.faulty[*fault].push_back(pod);
    } else if (is_available(*pod, c.ds.min_ready_seconds, c.facts.now(), c.behaviour)) {
      ++result.available;
    }
  }
  return result;
}

/// Available pods of older revisions, and all of these.
std::pair<std::int64_t, std::int64_t> older_pods(const DaemonSetCase& c) {
  std::int64_t available = 0;
  std::int64_t all = 0;
  for (const model::Pod* pod : c.claimed.owned) {
    if (!is_live(*pod) || c.revision.is_current(*pod)) continue;
    ++all;
    available += is_available(*pod, c.ds.min_ready_seconds, c.facts.now(), c.behaviour) ? 1 : 0;
  }
  return {available, all};
}

bool an_older_pod_has(const DaemonSetCase& c, std::string_view fault) {
  return std::ranges::any_of(c.claimed.owned, [&](const model::Pod* pod) {
    return is_live(*pod) && !c.revision.is_current(*pod) && start_fault(c, *pod) == fault;
  });
}

/// The current template is younger than an hour, and there is an older one to go back to.
bool changed_lately(const DaemonSetCase& c) {
  const model::ControllerRevision* current = revision_of(c, c.revision.hash());
  if (current == nullptr || !current->meta.created ||
      c.facts.now() - *current->meta.created > threshold::events) {
    return false;
  }
  return std::ranges::any_of(c.facts.cluster().revisions, [&](const auto& other) {
    const auto& owner = other.meta.controller;
    return other.meta.ns == c.ds.meta.ns && owner && owner->name == c.ds.meta.name &&
           other.revision < current->revision;
  });
}

/// What is said of the pod where it is; null where nothing is.
const Finding* cause_where(const DaemonSetCase& c, const model::Pod& pod) {
  const model::Text* node = target_node(pod);
  if (node == nullptr) return nullptr;
  for (const NodeReport& report : c.report.nodes) {
    if (report.name != *node) continue;
    const auto& findings = report.findings();
    const bool has_one = !findings.empty() && findings.front().standing == Standing::Primary;
    return has_one ? &findings.front() : nullptr;
  }
  return nullptr;
}

/// What `message` says more than the fault: "CrashLoopBackOff: container app exits" of a
/// "CrashLoopBackOff of container app" leaves "container app exits".
std::string_view beyond(std::string_view fault, std::string_view message) {
  const std::string_view reason = message.substr(0, message.find(": "));
  const bool is_said = reason.size() < message.size() && fault.starts_with(reason);
  return is_said ? message.substr(reason.size() + 2) : message;
}

}  // namespace

std::optional<Finding> broken_revision(const DaemonSetCase& c, const RolloutReplay& replay) {
  const NewestPods newest = newest_pods(c, replay);
  if (newest.faulty.empty()) return std::nullopt;
  const auto worst = std::ranges::max_element(
      newest.faulty, {}, [](const auto& entry) { return entry.second.size(); });
  const auto& [fault, pods] = *worst;
  const auto failing = static_cast<std::int64_t>(pods.size());
  // Where most of the new pods work, their nodes differ.
  if (failing <= newest.available || an_older_pod_has(c, fault)) return std::nullopt;
  const auto [available, older] = older_pods(c);
  if (older == 0 && !changed_lately(c)) return std::nullopt;
  const model::Pod& first = *pods.front();
  const Finding* cause = cause_where(c, first);
  if (cause != nullptr && cause->transient) return std::nullopt;
  const std::string which = newest.all == 1 ? "the only pod"
                            : failing == newest.all
                                ? fmt::format("all {} pods", failing)
                                : fmt::format("{} of {} pods", failing, newest.all);
  const std::string rest =
      older == 0 ? std::string("the template changed within the last hour")
                 : fmt::format("{} of {} of older revisions {} available", available,
                               wording::counted(older, "pod"), available == 1 ? "is" : "are");
  // What is long stands in the middle, where it can be cut.
  const std::string why =
      cause == nullptr ? std::string() : ": " + std::string(beyond(fault, plain_text(cause->message)));
  Finding finding = make_said_finding(
      finding::RolloutNewBroken{.only_deletion_replaces_pods = c.ds.update_strategy == "OnDelete"},
      fmt::format("{} in {} of the newest revision{}; {}", fault, which, why, rest),
      {fmt::format("Pod/{} status.{}", first.meta.name.view(),
                   is_terminal(first) ? "reason" : "containerStatuses")},
      names_of(c, first.meta.name));
  finding.standing = Standing::Also;
  finding.basis = Basis::Recomputed;
  finding.group = fault;
  for (const model::Pod* pod : pods) {
    if (const model::Text* node = target_node(*pod)) finding.nodes.push_back(node->str());
  }
  return finding;
}

bool new_pods_work(const DaemonSetCase& c, const RolloutReplay& replay) {
  const auto is_well = [&](const model::Pod* pod) {
    return is_available(*pod, c.ds.min_ready_seconds, c.facts.now(), c.behaviour);
  };
  const auto fails = [&](const model::Pod* pod) {
    if (is_well(pod) || on_unready_node(c, *pod)) return false;
    const Finding* cause = cause_where(c, *pod);
    if (cause != nullptr && !cause->transient && cause->severity < Severity::Warning) return true;
    const auto patience = is_bound(*pod) ? threshold::creating : threshold::pending;
    return start_fault(c, *pod) || is_terminal(*pod) ||
           (!is_on_its_way(c, *pod) && !is_ready(*pod) &&
            is_older(pod->meta.created, patience, c.facts.now()));
  };
  const auto failing = std::ranges::count_if(replay.fresh, fails);
  return failing == 0 || failing < std::ranges::count_if(replay.fresh, is_well);
}

const model::ControllerRevision* revision_of(const DaemonSetCase& c, std::string_view hash) {
  const auto& revisions = c.facts.cluster().revisions;
  const auto at = std::ranges::find_if(revisions, [&](const model::ControllerRevision& revision) {
    const model::Text* label = revision.meta.labels.find("controller-revision-hash");
    const auto& owner = revision.meta.controller;
    return revision.meta.ns == c.ds.meta.ns && label != nullptr && *label == hash && owner &&
           owner->name == c.ds.meta.name;
  });
  return hash.empty() || at == revisions.end() ? nullptr : &*at;
}

}  // namespace dsdoctor::diagnosis
