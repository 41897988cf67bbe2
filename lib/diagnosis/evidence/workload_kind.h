// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/daemon_set.h"
#include "model/known_taint.h"

namespace dsdoctor::diagnosis {

/// Removes duplicate and trailing slashes: "/var//log/" becomes "/var/log".
[[nodiscard]] std::string normal_path(std::string_view path);
/// Whether the path is the folder or below it. REQUIRES: both are normal.
[[nodiscard]] bool is_within(std::string_view path, std::string_view folder);

/// Purpose of a DaemonSet's pods on their nodes.
enum class WorkloadKind {
  General,
  NodeAgent,     // watches the node: logs, processes, devices
  Cni,           // sets up the network of pods
  Csi,           // mounts volumes
  DevicePlugin,  // provides devices such as GPUs, or manages them
};

struct Workload {
  WorkloadKind kind = WorkloadKind::General;
  std::string because;  // "hostPath /var/log"; empty for General

  friend bool operator==(const Workload&, const Workload&) = default;
};

/// Determines the kind by the parts of the node that the pods use, not by names of products. If
/// several kinds match, returns the most specific one.
[[nodiscard]] Workload workload_of(const model::PodTemplate& pod_template);

/// Whether the pods can write to the folders of CNI plugins or of their configuration. An agent
/// that only reads them does not set up the network.
[[nodiscard]] bool writes_network_plugins(const model::PodTemplate& pod_template);
/// Whether the DaemonSet sets up the network of its nodes.
[[nodiscard]] inline bool is_network_plugin(const model::DaemonSet& ds) {
  return writes_network_plugins(ds.pod_template);
}

/// Whether a DaemonSet of this kind should tolerate the taint.
[[nodiscard]] model::Advised advised_for(const model::KnownTaint& known, WorkloadKind kind);

/// As in JSON: "node-agent".
[[nodiscard]] std::string_view to_string(WorkloadKind kind);
/// In a sentence: "node agents".
[[nodiscard]] std::string_view plural(WorkloadKind kind);

}  // namespace dsdoctor::diagnosis
