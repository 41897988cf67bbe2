// SPDX-License-Identifier: Apache-2.0
#include "scheduling/host_ports.h"

#include <algorithm>

#include "scheduling/pod_requests.h"

namespace dsdoctor::scheduling {
namespace {

constexpr const char* all_addresses = "0.0.0.0";

void add_ports(const model::Container& container, bool by_default, std::vector<HostPort>& ports) {
  for (const model::ContainerPort& port : container.ports) {
    const bool defaulted = by_default && port.host_port == 0;
    const std::int64_t number = defaulted ? port.container_port : port.host_port;
    if (number <= 0) continue;
    HostPort entry{port.host_ip.empty() ? model::Text(all_addresses) : port.host_ip,
                   port.protocol.empty() ? model::Text("TCP") : port.protocol, number};
    if (std::ranges::find(ports, entry) == ports.end()) ports.push_back(std::move(entry));
  }
}

std::vector<HostPort> ports_of(const model::PodSpec& spec, bool by_default) {
  std::vector<HostPort> result;
  for (const model::Container& container : spec.containers) {
    add_ports(container, by_default, result);
  }
  for (const model::Container& container : spec.init_containers) {
    if (is_sidecar(container)) add_ports(container, by_default, result);
  }
  return result;
}

}  // namespace

std::vector<HostPort> host_ports(const model::Pod& pod) { return ports_of(*pod.spec, false); }

std::vector<HostPort> admitted_host_ports(const model::PodSpec& spec, bool host_network) {
  return ports_of(spec, host_network);
}

bool conflict(const HostPort& a, const HostPort& b) {
  if (a.port != b.port || a.protocol != b.protocol) return false;
  return a.ip == b.ip || a.ip == all_addresses || b.ip == all_addresses;
}

std::vector<PortConflict> port_conflicts(const model::Pod& pod,
                                         const std::vector<const model::Pod*>& others) {
  std::vector<PortConflict> result;
  const std::vector<HostPort> wanted = host_ports(pod);
  if (wanted.empty()) return result;
  for (const model::Pod* other : others) {
    if (other == &pod) continue;
    for (const HostPort& held : host_ports(*other)) {
      for (const HostPort& want : wanted) {
        if (conflict(want, held)) result.push_back({want, held, other});
      }
    }
  }
  return result;
}

}  // namespace dsdoctor::scheduling
