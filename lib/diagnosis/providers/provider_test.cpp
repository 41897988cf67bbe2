// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/providers/provider.h"

#include <catch2/catch.hpp>

#include "testing/cluster_story.h"

using namespace dsdoctor;
using diagnosis::Lack;
using diagnosis::provides;
using diagnosis::Provides;

namespace {

model::Volume host_path(const char* name, const char* path) {
  model::Volume volume;
  volume.name = name;
  volume.kind = "hostPath";
  volume.source = path;
  return volume;
}

model::PodTemplate with_volumes(std::initializer_list<model::Volume> volumes) {
  model::PodTemplate result;
  result.spec.volumes = volumes;
  result.spec.containers.emplace_back().name = "main";
  return result;
}

bool is_like(const char* ns, const char* name, const char* image, const char* driver) {
  model::DaemonSet ds;
  ds.meta.ns = ns;
  ds.meta.name = name;
  ds.pod_template.spec.containers.emplace_back().image = image;
  return diagnosis::is_named_like_driver(ds, driver);
}

}  // namespace

TEST_CASE("a driver is provided by an argument or by its folder with the registry", "[providers]") {
  const Lack lack{Provides::Driver, "blob.csi.example.com"};
  model::PodTemplate of = with_volumes({});
  CHECK_FALSE(provides(of, lack));
  of.spec.containers[0].plugin_drivers = {"blob.csi.example.com"};
  CHECK(provides(of, lack));
  CHECK_FALSE(provides(of, {Provides::Driver, "file.csi.example.com"}));
  const model::Volume folder = host_path("p", "/var/lib/kubelet/plugins/blob.csi.example.com/");
  // An agent that collects the logs of drivers does not register one.
  CHECK_FALSE(provides(with_volumes({folder}), lack));
  CHECK(
      provides(with_volumes({folder, host_path("r", "/var/lib/kubelet/plugins_registry")}), lack));
}

TEST_CASE("a network plugin writes to the folders of plugins", "[providers]") {
  const Lack lack{Provides::Network, ""};
  model::PodTemplate of = with_volumes({host_path("conf", "/etc/cni/net.d")});
  CHECK_FALSE(provides(of, lack));  // it needs the pod network itself
  of.host_network = true;
  CHECK(provides(of, lack));
  model::VolumeMount mount;
  mount.name = "conf";
  mount.read_only = true;
  of.spec.containers[0].mounts = {mount};
  CHECK_FALSE(provides(of, lack));
  mount.read_only = false;
  of.spec.init_containers.emplace_back().mounts = {mount};
  CHECK(provides(of, lack));
}

TEST_CASE("a path is provided by the template that does not only check it", "[providers]") {
  const Lack lack{Provides::Path, "/var/run/identity/sockets"};
  CHECK(provides(with_volumes({host_path("s", "/run/identity")}), lack));
  CHECK_FALSE(provides(with_volumes({host_path("s", "/run/ident")}), lack));
  CHECK_FALSE(provides(with_volumes({host_path("s", "/run"), host_path("r", "/")}), lack));
  model::Volume checked = host_path("s", "/run/identity/sockets");
  checked.must_exist = true;
  CHECK_FALSE(provides(with_volumes({checked}), lack));
}

TEST_CASE("names are compared with the words of a driver", "[providers]") {
  CHECK(is_like("ceph-csi-rbd", "ceph-csi-rbd-nodeplugin", "cephcsi:3", "rbd.csi.ceph.com"));
  CHECK(
      is_like("kube-system", "ebs-csi-node", "public.ecr.aws/ebs-csi-driver:1", "ebs.csi.aws.com"));
  CHECK_FALSE(is_like("kube-system", "efs-csi-node", "public.ecr.aws/efs:1", "ebs.csi.aws.com"));
  CHECK_FALSE(is_like("rook-ceph", "rook-ceph-rbd-exporter", "ceph:1", "rbd.ceph.com"));
  CHECK_FALSE(is_like("x", "csi-node", "csi:1", "csi.k8s.io"));
}

TEST_CASE("the only DaemonSet that offers a resource is its provider", "[providers]") {
  dsdoctor::testing::ClusterStory story;
  story.cluster.all_pods_known = true;
  story.add_node("n1").allocatable.set("example.com/gpu", "4");
  story.add_node("n2");
  story.ds().pod_template.spec.volumes = {host_path("d", "/var/lib/kubelet/device-plugins")};
  const auto provider = [&]() -> const model::DaemonSet* {
    const diagnosis::Facts facts(story.cluster, dsdoctor::testing::at(0));
    return diagnosis::Providers(facts, {}).provider_of({Provides::Device, "example.com/gpu"},
                                                       nullptr);
  };
  CHECK(provider() == nullptr);  // n1 has the resource without its pod
  story.add_pod("agent-1", "n1");
  CHECK(provider() == &story.ds());
}
