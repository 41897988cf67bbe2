// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/cluster.h"

namespace dsdoctor::diagnosis {

/// The kinds of things that a DaemonSet's pod adds to its node for other pods.
enum class Provides : std::uint8_t {
  Driver,   // registers a CSI or DRA driver with the kubelet
  Network,  // sets up the network of pods
  Device,   // offers an extended resource
  Path,     // keeps a folder or a socket of the host
};

/// Something that a pod needs and that its node does not have.
struct Lack {
  Provides what = Provides::Driver;
  /// The driver, the resource or the path; for the network the type of the CNI plugin, which may be
  /// unknown (empty).
  std::string name;

  friend bool operator==(const Lack&, const Lack&) = default;
  friend bool operator<(const Lack& a, const Lack& b) {
    return std::tie(a.what, a.name) < std::tie(b.what, b.name);
  }
};

/// The thing that the event of a pod names as missing on its node; absent if it names nothing that
/// a DaemonSet can provide. Source of truth: kubernetes v1.36.3 and v1.37.2,
/// pkg/volume/csi/csi_drivers_store.go and csi_attacher.go (CSI),
/// pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go (DRA; up to v1.33 with other words),
/// pkg/volume/hostpath/host_path.go (paths), and the messages of containerd and CRI-O (network).
[[nodiscard]] std::optional<Lack> lack_of(const model::Event& event);

/// The extended resources that the scheduler misses on nodes, by the condition PodScheduled of a
/// pod that is not bound: "Insufficient example.com/gpu". Without duplicates.
[[nodiscard]] std::vector<Lack> lacks_of_unbound(const model::Pod& pod);

}  // namespace dsdoctor::diagnosis
