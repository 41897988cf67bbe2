#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/catalogue/finding.h"
#include "diagnosis/report/cases.h"

namespace dsdoctor::diagnosis {

/// Why a kubelet failed a pod, in its own words.
struct KubeletRefusal {
  std::string_view reason;   // status.reason, or that of the event
  std::string_view message;  // with or without "Pod was rejected: "
  std::string_view pod;
  const model::Pod* object = nullptr;  // null once it is gone
  model::OptionalTime at;
  std::vector<Evidence> evidence;
};

/// With what the node and the pod show about that reason now.
[[nodiscard]] Finding refusal_finding(const NodeCase& c, const KubeletRefusal& refusal);

/// The pod of the event still exists, and is not this DaemonSet's.
[[nodiscard]] bool belongs_to_another(const DaemonSetCase& c, const model::Event& event);

}  // namespace dsdoctor::diagnosis
