// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/workload_kind.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

model::PodTemplate with_paths(std::initializer_list<const char*> paths) {
  model::PodTemplate result;
  for (const char* path : paths) result.spec.volumes.push_back({"v", "hostPath", path});
  return result;
}

model::PodTemplate with_resource(const char* name) {
  model::PodTemplate result;
  result.spec.containers.emplace_back().limits = {{name, "1"}};
  return result;
}

model::PodTemplate with_image(const char* image) {
  model::PodTemplate result;
  result.spec.containers.emplace_back().image = image;
  return result;
}

model::PodTemplate with_host_pid() {
  model::PodTemplate result;
  result.spec.host_pid = true;
  return result;
}

model::PodTemplate with_secret_named_like_a_path() {
  model::PodTemplate result;
  result.spec.volumes.push_back({"v", "secret", "/var/log"});
  return result;
}

}  // namespace

TEST_CASE("the kind of a DaemonSet follows from the parts of the node that it uses", "[workload]") {
  struct Row {
    model::PodTemplate of;
    Workload workload;
  };
  const Row rows[] = {
      {{}, {}},
      {with_paths({"/var/log/pods/"}), {WorkloadKind::NodeAgent, "hostPath /var/log/pods"}},
      {with_paths({"/data", "//proc"}), {WorkloadKind::NodeAgent, "hostPath /proc"}},
      {with_paths({"/"}), {WorkloadKind::NodeAgent, "hostPath /"}},
      {with_paths({"/var/logs"}), {}},
      {with_paths({"/data"}), {}},
      {with_host_pid(), {WorkloadKind::NodeAgent, "hostPID"}},
      {with_secret_named_like_a_path(), {}},
      {with_paths({"/proc", "/etc/cni/net.d"}), {WorkloadKind::Cni, "hostPath /etc/cni/net.d"}},
      {with_paths({"/opt/cni/bin"}), {WorkloadKind::Cni, "hostPath /opt/cni/bin"}},
      {with_paths({"/dev", "/var/lib/kubelet/plugins/ebs.csi.aws.com"}),
       {WorkloadKind::Csi, "hostPath /var/lib/kubelet/plugins/ebs.csi.aws.com"}},
      {with_image("registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.10.0"),
       {WorkloadKind::Csi, "image registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.10.0"}},
      {with_paths({"/var/lib/kubelet/device-plugins"}),
       {WorkloadKind::DevicePlugin, "hostPath /var/lib/kubelet/device-plugins"}},
      {with_resource("nvidia.com/gpu"), {WorkloadKind::DevicePlugin, "resource nvidia.com/gpu"}},
      {with_resource("cpu"), {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.workload.because);
    CHECK(workload_of(row.of) == row.workload);
  }
}

TEST_CASE("general DaemonSets have other advice than node agents", "[workload]") {
  model::KnownTaint known;
  known.for_node_agents = model::Advised::Yes;
  known.in_general = model::Advised::No;
  CHECK(advised_for(known, WorkloadKind::General) == model::Advised::No);
  for (const auto kind : {WorkloadKind::NodeAgent, WorkloadKind::Cni, WorkloadKind::Csi,
                          WorkloadKind::DevicePlugin}) {
    CHECK(advised_for(known, kind) == model::Advised::Yes);
    CHECK_FALSE(to_string(kind).empty());
    CHECK_FALSE(plural(kind).empty());
  }
}
