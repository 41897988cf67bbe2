// SPDX-License-Identifier: Apache-2.0
#include "scheduling/host_ports.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using namespace dsdoctor::scheduling;

namespace {

model::Pod pod_with_port(model::ContainerPort port) {
  model::PodSpec spec;
  spec.containers.resize(1);
  spec.containers[0].ports = {std::move(port)};
  model::Pod pod;
  pod.spec = spec;
  return pod;
}

bool conflicting(const model::ContainerPort& wanted, const model::ContainerPort& held) {
  const model::Pod pod = pod_with_port(wanted);
  const model::Pod holder = pod_with_port(held);
  const auto conflicts = port_conflicts(pod, {&holder});
  if (!conflicts.empty()) CHECK(conflicts[0].holder == &holder);
  return !conflicts.empty();
}

model::ContainerPort port(std::int64_t number, const char* ip, const char* protocol = "TCP") {
  return {number, number, protocol, ip};
}

}  // namespace

TEST_CASE("host ports conflict by port and protocol and address", "[ports]") {
  CHECK(conflicting(port(9100, "0.0.0.0"), port(9100, "10.0.0.5")));
  CHECK(conflicting(port(9100, ""), port(9100, "10.0.0.5")));
  CHECK(conflicting(port(9100, "10.0.0.5"), port(9100, "")));
  CHECK(conflicting(port(9100, "10.0.0.5"), port(9100, "10.0.0.5")));
  CHECK(conflicting(port(9100, "", ""), port(9100, "", "TCP")));
  CHECK_FALSE(conflicting(port(9100, "0.0.0.0", "UDP"), port(9100, "10.0.0.5")));
  CHECK_FALSE(conflicting(port(9100, "127.0.0.1"), port(9100, "10.0.0.5")));
  CHECK_FALSE(conflicting(port(9100, "::"), port(9100, "10.0.0.5")));
  CHECK(conflicting(port(9100, "::"), port(9100, "0.0.0.0")));
  CHECK_FALSE(conflicting(port(9100, ""), port(9101, "")));
  CHECK_FALSE(conflicting({9100, 0, "TCP", ""}, {9100, 0, "TCP", ""}));
  CHECK_FALSE(conflicting({9100, -1, "TCP", ""}, {9100, -1, "TCP", ""}));
}

TEST_CASE("with hostNetwork every container port is a host port", "[ports]") {
  const model::Pod pod = pod_with_port({9100, 0, "UDP", "10.0.0.5"});
  CHECK(host_ports(pod).empty());
  CHECK(admitted_host_ports(*pod.spec, false).empty());
  CHECK(admitted_host_ports(*pod.spec, true) == std::vector<HostPort>{{"10.0.0.5", "UDP", 9100}});
  CHECK(admitted_host_ports(*pod_with_port(port(80, "")).spec, true) ==
        std::vector<HostPort>{{"0.0.0.0", "TCP", 80}});
}

TEST_CASE("a port of several containers is listed once", "[ports]") {
  model::PodSpec spec;
  spec.containers.resize(2);
  spec.containers[0].ports = {port(9100, ""), port(9101, "")};
  spec.containers[1].ports = {port(9100, "0.0.0.0")};
  model::Pod pod;
  pod.spec = spec;
  CHECK(host_ports(pod) ==
        std::vector<HostPort>{{"0.0.0.0", "TCP", 9100}, {"0.0.0.0", "TCP", 9101}});
  const model::Pod other = pod;
  CHECK(port_conflicts(pod, {&pod, &other}).size() == 2);
}

TEST_CASE("init containers have no host ports unless they are sidecars", "[ports]") {
  model::PodSpec spec;
  spec.init_containers.resize(1);
  spec.init_containers[0].ports = {port(9100, "")};
  model::Pod pod;
  pod.spec = spec;
  CHECK(host_ports(pod).empty());
  spec.init_containers[0].restart_policy = "Always";
  pod.spec = spec;
  CHECK(host_ports(pod) == std::vector<HostPort>{{"0.0.0.0", "TCP", 9100}});
  CHECK(port_conflicts(pod, {&pod}).empty());  // a pod does not conflict with itself
}
