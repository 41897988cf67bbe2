#include "diagnosis/report/refusal_reason.h"

#include <algorithm>
#include <array>

#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

struct KnownReason {
  std::string_view reason;
  FindingId id;
};

constexpr std::array known_reasons = {
    KnownReason{"OutOfcpu", FindingId::KubeletOutOfCpu},
    KnownReason{"OutOfmemory", FindingId::KubeletOutOfMemory},
    KnownReason{"OutOfephemeral-storage", FindingId::KubeletOutOfEphemeralStorage},
    KnownReason{"OutOfpods", FindingId::KubeletOutOfPods},
    KnownReason{"NodeAffinity", FindingId::KubeletNodeAffinity},
    KnownReason{"NodePorts", FindingId::KubeletNodePorts},
    KnownReason{"NodeName", FindingId::KubeletNodeName},
    KnownReason{"TaintToleration", FindingId::KubeletTaint},
    KnownReason{"NodeShutdown", FindingId::KubeletShutdown},
    KnownReason{"Preempting", FindingId::KubeletPreempted},
    KnownReason{"UnexpectedAdmissionError", FindingId::KubeletAdmissionError},
    KnownReason{"TopologyAffinityError", FindingId::KubeletAlignment},
    KnownReason{"SMTAlignmentError", FindingId::KubeletAlignment},
    KnownReason{"EmptyPodSharedPoolError", FindingId::KubeletAlignment},
    KnownReason{"PodOSNotSupported", FindingId::KubeletOsRefused},
    KnownReason{"PodOSSelectorNodeLabelDoesNotMatch", FindingId::KubeletOsRefused},
    KnownReason{"PodFeatureUnsupported", FindingId::KubeletFeatureRefused},
    KnownReason{"PodLevelResourcesNotSupported", FindingId::KubeletFeatureRefused},
    KnownReason{"SupplementalGroupsPolicyNotSupported", FindingId::KubeletFeatureRefused},
    KnownReason{"AppArmor", FindingId::KubeletFeatureRefused},
    KnownReason{"SysctlForbidden", FindingId::KubeletFeatureRefused},
    KnownReason{"InitContainerRestartPolicyForbidden", FindingId::KubeletFeatureRefused},
    KnownReason{"VolumeAttachmentLimitExceeded", FindingId::KubeletVolumeLimit},
    KnownReason{"InvalidNodeInfo", FindingId::KubeletNodeInfo},
    KnownReason{"UnknownReason", FindingId::KubeletNodeInfo},
    KnownReason{"UnexpectedPredicateFailureType", FindingId::KubeletNodeInfo},
};

}  // namespace

std::optional<FindingId> refusal_id(std::string_view reason, std::string_view message,
                                    Source source) {
  const auto at = std::ranges::find(known_reasons, reason, &KnownReason::reason);
  if (at != known_reasons.end()) return at->id;
  if (reason.starts_with(short_of) && reason.size() > short_of.size()) {
    return FindingId::KubeletOutOfExtended;
  }
  if (reason == "Evicted") {
    return mentions(message, "the node had condition:") ? FindingId::KubeletPressureRefused
                                                        : FindingId::KubeletEvicted;
  }
  if (source == Source::Event) return std::nullopt;
  if (reason == "Terminated" && mentions(message, "imminent node shutdown")) {
    return FindingId::KubeletShutdown;
  }
  return FindingId::KubeletFailedOther;
}

}  // namespace dsdoctor::diagnosis
