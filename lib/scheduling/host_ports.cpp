#include "scheduling/host_ports.h"

#include <algorithm>

#include "scheduling/pod_requests.h"

namespace dsdoctor::scheduling {
namespace {

constexpr const char* all_addresses = "0.0.0.0";

void add_ports(const model::Container& container, std::vector<HostPort>& ports) {
  for (const model::ContainerPort& port : container.ports) {
    if (port.host_port <= 0) continue;
    HostPort entry{port.host_ip.empty() ? model::Text(all_addresses) : port.host_ip,
                   port.protocol.empty() ? model::Text("TCP") : port.protocol, port.host_port};
    if (std::ranges::find(ports, entry) == ports.end()) ports.push_back(std::move(entry));
  }
}

}  // namespace

std::vector<HostPort> host_ports(const model::Pod& pod) {
  std::vector<HostPort> result;
  for (const model::Container& container : pod.spec->containers) add_ports(container, result);
  for (const model::Container& container : pod.spec->init_containers) {
    if (is_sidecar(container)) add_ports(container, result);
  }
  return result;
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
