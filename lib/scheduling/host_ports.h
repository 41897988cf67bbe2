// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/pod.h"

namespace dsdoctor::scheduling {

struct HostPort {
  model::Text ip;        // 0.0.0.0 by default
  model::Text protocol;  // TCP by default
  std::int64_t port = 0;

  friend bool operator==(const HostPort&, const HostPort&) = default;
};

/// The host ports of a pod: those of app containers and sidecars, without duplicates. Source of
/// truth: kubernetes v1.36.2, pkg/scheduler/util/utils.go: GetHostPorts.
[[nodiscard]] std::vector<HostPort> host_ports(const model::Pod& pod);

/// The host ports of a spec to which the API server's defaults are still to be applied: with
/// hostNetwork every container port is a host port. Source of truth: defaultHostNetworkPorts,
/// kubernetes v1.36.2, pkg/apis/core/v1/defaults.go.
[[nodiscard]] std::vector<HostPort> admitted_host_ports(const model::PodSpec& spec,
                                                        bool host_network);

/// Whether two pods with these ports cannot share a node. Addresses are compared as text; only
/// 0.0.0.0 means all addresses. Source of truth: kubernetes v1.36.2,
/// staging/src/k8s.io/kube-scheduler/framework/types.go: HostPortInfo.CheckConflict.
[[nodiscard]] bool conflict(const HostPort& a, const HostPort& b);

/// A requested port, and the pod that already uses it.
struct PortConflict {
  HostPort wanted;
  HostPort held;
  const model::Pod* holder = nullptr;
};

/// Every requested port with every pod of `others`, except `pod` itself, that uses it. The pointers
/// are those of `others`.
[[nodiscard]] std::vector<PortConflict> port_conflicts(
    const model::Pod& pod, const std::vector<const model::Pod*>& others);

}  // namespace dsdoctor::scheduling
