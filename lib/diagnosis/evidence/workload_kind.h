#pragma once

#include <string>
#include <string_view>

#include "model/daemon_set.h"
#include "model/known_taint.h"

namespace dsdoctor::diagnosis {

/// What a DaemonSet's pods do for their nodes.
enum class WorkloadKind {
  General,
  NodeAgent,     // watches the node: logs, processes, devices
  Cni,           // sets up the network of pods
  Csi,           // mounts volumes
  DevicePlugin,  // offers devices such as GPUs, or works on them
};

struct Workload {
  WorkloadKind kind = WorkloadKind::General;
  std::string because;  // "hostPath /var/log"; empty for General

  friend bool operator==(const Workload&, const Workload&) = default;
};

/// By what the pods are given of the node, never by names of ours; of several kinds the most
/// special.
[[nodiscard]] Workload workload_of(const model::PodTemplate& pod_template);

/// Mounts the folders of CNI plugins: brings the network of its node.
[[nodiscard]] bool is_network_plugin(const model::DaemonSet& ds);

/// Whether such a DaemonSet should tolerate the taint.
[[nodiscard]] model::Advised advised_for(const model::KnownTaint& known, WorkloadKind kind);

/// As in JSON: "node-agent".
[[nodiscard]] std::string_view to_string(WorkloadKind kind);
/// In a sentence: "node agents".
[[nodiscard]] std::string_view plural(WorkloadKind kind);

}  // namespace dsdoctor::diagnosis
