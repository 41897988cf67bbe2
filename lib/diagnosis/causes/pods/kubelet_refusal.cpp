// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pods/kubelet_refusal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/kubelet.h"
#include "diagnosis/causes/pods/kubelet_words.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/report/refusal_reason.h"

namespace dsdoctor::diagnosis {
namespace {

/// Nothing blocks the next pod any more, since `ended` if that is known: the controller creates it
/// within its longest back-off.
void settle_until_next_pod(const NodeCase& c, const KubeletRefusal& refusal,
                           model::OptionalTime ended, Finding& finding) {
  model::OptionalTime since =
      refusal.at || refusal.object == nullptr ? refusal.at : refusal.object->meta.created;
  if (!since) return;
  since = std::max(since, ended);
  const model::Time limit = *since + threshold::failed_pod_backoff;
  finding.transient = c.of.facts.now() <= limit;
  if (finding.transient) {
    finding.severity = std::max(finding.severity, Severity::Warning);
  } else {
    finding.overdue_since = limit;
  }
}

/// The finding, with everything that its fix depends on.
FindingKind kind_of(const NodeCase& c, const KubeletRefusal& refusal, FindingId id,
                    RefusalStory story) {
  const std::string reason = refusal.reason.empty() ? "Failed" : excerpt(refusal.reason);
  if (id == FindingId::KubeletAdmissionError) {
    const AdmissionFault fault = admission_fault(refusal.message);
    return finding::KubeletAdmissionError{
        .a_critical_pod_needs_room = fault == AdmissionFault::Room,
        .a_device_is_missing = fault == AdmissionFault::Device,
        .nothing_else_is_known = fault == AdmissionFault::Other,
        .reason = reason,
        .story = std::move(story.clauses),
        .the_disk_is_full = fault == AdmissionFault::DiskSpace,
        .the_kubelet_cannot_write = fault == AdmissionFault::Writing,
        .the_policy_refuses = fault == AdmissionFault::CpuPolicy};
  }
  if (id == FindingId::KubeletEvicted) {
    using enum EvictionShortage;
    const EvictionShortage shortage = eviction_shortage(refusal.message);
    return finding::KubeletEvicted{
        .disk_space_is_short = shortage == DiskSpace,
        .inodes_are_short = shortage == Inodes,
        .its_own_limit_counts = shortage == OwnLimit,
        .memory_is_short = shortage == Memory,
        .process_ids_are_short = shortage == ProcessIds,
        .reason = reason,
        .resource = excerpt(starved_resource(refusal.message)),
        .story = std::move(story.clauses),
        .the_node_is_short = shortage == DiskSpace || shortage == Inodes || shortage == ProcessIds,
        .volume = excerpt(volume_at_limit(refusal.message))};
  }
  if (id == FindingId::KubeletFeatureRefused) {
    FeatureGap gap = refused_features(c, refusal);
    return finding::KubeletFeatureRefused{.field = gap.fields,
                                          .gates = gap.gates,
                                          .nothing_is_known = gap.is_empty(),
                                          .reason = reason,
                                          .story = std::move(story.clauses),
                                          .upgrade_to = gap.upgrade_to};
  }
  return finding::Kubelet{.id = id,
                          .reason = reason,
                          .story = std::move(story.clauses),
                          .the_cause_is_gone = story.is_over,
                          .the_node_is_back = id == FindingId::KubeletShutdown && story.is_over};
}

}  // namespace

Finding refusal_finding(const NodeCase& c, const KubeletRefusal& refusal) {
  const FindingId id = *refusal_id(refusal.reason, refusal.message, Source::Status);
  RefusalStory story = story_of(c, refusal, id);
  if (story.clauses.empty()) story.clauses = {phrase::RefusedWithoutMessage{}};
  std::vector<Evidence> evidence = refusal.evidence;
  evidence.insert(evidence.end(), story.evidence.begin(), story.evidence.end());
  // A pod that does not exist any more cannot be deleted.
  const std::string_view pod = refusal.object == nullptr ? std::string_view() : refusal.pod;
  Finding finding =
      make_finding(kind_of(c, refusal, id, story), std::move(evidence), names_of(c, pod));
  finding.group = std::move(story.group);
  finding.transient =
      finding.severity == Severity::Warning && !story.is_over && id == FindingId::KubeletShutdown;
  if (story.is_over) settle_until_next_pod(c, refusal, story.ended, finding);
  return finding;
}

bool belongs_to_another(const DaemonSetCase& c, const model::Event& event) {
  const auto& pods = c.facts.cluster().pods;
  const auto key = [](const model::Pod& pod) {
    return std::pair(pod.meta.ns.view(), pod.meta.name.view());
  };
  const std::pair wanted(event.ns.view(), event.name.view());
  const auto at = std::ranges::lower_bound(pods, wanted, {}, key);
  if (at == pods.end() || key(*at) != wanted || !at->meta.controller) return false;
  if (!event.uid.empty() && !at->meta.uid.empty() && event.uid != at->meta.uid) return false;
  const model::ControllerRef& owner = *at->meta.controller;
  return !model::is_daemon_set(owner) || owner.name != c.ds.meta.name;
}

}  // namespace dsdoctor::diagnosis
