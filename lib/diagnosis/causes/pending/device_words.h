// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/catalogue/message.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "scheduling/capabilities/device_taints.h"

/// Words about taints of devices, for pods that do not get a device and pods that lose it.
namespace dsdoctor::diagnosis {

/// The names in the steps of the fix; empty where they do not apply.
struct DeviceTaintNames {
  std::string driver;
  std::string rule;
  std::string slice;
};
[[nodiscard]] DeviceTaintNames names_in(const scheduling::DeviceTaint& taint);

/// As scheduling::tainted_devices, of the drivers whose devices other pods of the DaemonSet have,
/// if there are any.
[[nodiscard]] std::vector<scheduling::DriverDevices> tainted_devices_for(
    const NodeCase& c, const std::vector<const model::ResourceClaim*>& claims);

/// `claims_are_known`: they do not tolerate the taint.
/// "DeviceTaintRule maintenance taints 2 of 2 devices of gpu.example.com on the node with ..."
[[nodiscard]] Message tainted_text(const scheduling::DriverDevices& devices, bool claims_are_known);

/// The origin of a taint: a DeviceTaintRule with its last writer, or the driver.
[[nodiscard]] Message source_of(const scheduling::DeviceTaint& taint);
/// The taint where it is defined.
[[nodiscard]] Evidence evidence_of(const scheduling::DeviceTaint& taint);
/// "{key: gpu, operator: Exists, effect: NoExecute}"
[[nodiscard]] std::string toleration_for(const model::Taint& taint);
/// "ResourceClaimTemplate gpu": what the pod of the spec names first; empty if it names none.
[[nodiscard]] std::string claim_source_of(const model::PodSpec& spec);

/// The scheduler finds no device for the pod's claims. Names the taints of the node's devices if
/// they explain its reason. `said`: the reason in other words.
[[nodiscard]] FindingKind resource_claim_kind(const PendingCase& c, std::string_view reason,
                                              Message said);
/// The taints that resource_claim_kind() names.
[[nodiscard]] std::vector<Evidence> device_taint_evidence(const PendingCase& c,
                                                          std::string_view reason);
/// Without taints.
[[nodiscard]] FindingKind resource_claim_kind(Message what);

}  // namespace dsdoctor::diagnosis
