// SPDX-License-Identifier: Apache-2.0
#include "scheduling/volumes.h"

#include <catch2/catch.hpp>

#include "scheduling/test_cluster.h"

using namespace dsdoctor;
using namespace dsdoctor::scheduling;

namespace {

constexpr const char* zone_label = "topology.kubernetes.io/zone";

/// A pod with claim x/data on node a in zone 1; the claim is bound to volume v.
class Story {
 public:
  Story() {
    cluster.node("a", {{zone_label, "1"}});
    cluster.cluster.known.claims = true;
    cluster.cluster.known.storage_classes = true;
    cluster.cluster.known.csi_nodes = true;
    claim().meta.ns = "x";
    claim().meta.name = "data";
    claim().volume_name = "v";
    claim().phase = "Bound";
    claim().storage_class = "fast";
    volume().meta.name = "v";
    volume().driver = "csi.example.com";
    storage_class().meta.name = "fast";
    storage_class().provisioner = "csi.example.com";
    storage_class().binding_mode = "WaitForFirstConsumer";
    pod.meta.ns = "x";
    pod.meta.name = "agent-1";
    pod.meta.uid = "uid-pod";
    use({{"data", "persistentVolumeClaim", "data"}});
  }

  void use(std::vector<model::Volume> volumes) {
    model::PodSpec spec;
    spec.volumes = std::move(volumes);
    pod.spec = spec;
  }
  model::PersistentVolumeClaim& claim() { return first(cluster.cluster.claims); }
  model::PersistentVolume& volume() { return first(cluster.cluster.volumes); }
  model::StorageClass& storage_class() { return first(cluster.cluster.storage_classes); }

  std::vector<VolumeFault> faults() {
    std::vector<VolumeFault> result;
    for (const auto& problem : volume_problems(pod, cluster.around("a"))) {
      result.push_back(problem.fault);
    }
    return result;
  }

  TestCluster cluster;
  model::Pod pod;

 private:
  template <typename T>
  static T& first(std::vector<T>& list) {
    if (list.empty()) list.emplace_back();
    return list.front();
  }
};

using Faults = std::vector<VolumeFault>;

}  // namespace

TEST_CASE("claims that cannot be used are found", "[volumes]") {
  Story story;
  CHECK(story.faults().empty());
  SECTION("a claim that does not exist") {
    story.use({{"d", "persistentVolumeClaim", "other"}});
    CHECK(story.faults() == Faults{VolumeFault::ClaimMissing});
    story.cluster.cluster.known.claims = false;
    CHECK(story.faults().empty());
  }
  SECTION("a lost or deleting claim") {
    story.claim().phase = "Lost";
    CHECK(story.faults() == Faults{VolumeFault::ClaimLost});
    story.claim().meta.deleted = model::Time{};
    CHECK(story.faults() == Faults{VolumeFault::ClaimDeleting});
    story.cluster.cluster.known.claims = false;  // the claim was read nevertheless
    CHECK(story.faults() == Faults{VolumeFault::ClaimDeleting});
  }
  SECTION("the claim of an ephemeral volume") {
    story.use({{"data", "ephemeral", ""}});
    CHECK(story.faults() == Faults{VolumeFault::ClaimMissing});
    story.claim().meta.name = "agent-1-data";
    CHECK(story.faults() == Faults{VolumeFault::ClaimForeign});
    story.claim().meta.controller = model::ControllerRef{"Pod", "agent-1", "uid-pod"};
    CHECK(story.faults().empty());
  }
  SECTION("a claim whose volume does not exist") {
    story.claim().volume_name = "w";
    CHECK(story.faults() == Faults{VolumeFault::VolumeMissing});
  }
  SECTION("a ReadWriteOncePod claim in use") {
    story.claim().access_modes = {"ReadWriteOncePod"};
    CHECK(story.faults().empty());
    model::Pod& other = story.cluster.pod("holder", "b", {});
    other.spec = story.pod.spec;
    CHECK(story.faults() == Faults{VolumeFault::ClaimInUse});
    other.phase = "Succeeded";
    CHECK(story.faults().empty());
  }
}

TEST_CASE("unbound claims that cannot be bound are found", "[volumes]") {
  Story story;
  story.claim().volume_name = {};
  story.cluster.cluster.volumes.clear();
  CHECK(story.faults().empty());  // provisioned once the pod is scheduled
  SECTION("a claim whose class binds immediately") {
    story.storage_class().binding_mode = "Immediate";
    CHECK(story.faults() == Faults{VolumeFault::ClaimUnbound});
  }
  SECTION("a claim that is provisioned for another node") {
    story.claim().selected_node = "b";
    CHECK(story.faults() == Faults{VolumeFault::SelectedElsewhere});
    story.claim().selected_node = "a";
    CHECK(story.faults().empty());
  }
  SECTION("a claim without a provisioner") {
    story.storage_class().provisioner = "kubernetes.io/no-provisioner";
    CHECK(story.faults() == Faults{VolumeFault::NoVolume});
    story.volume().phase = "Available";
    story.volume().storage_class = "fast";
    story.volume().capacity = {{"storage", "10Gi"}};
    story.volume().access_modes = {"ReadWriteOnce"};
    story.claim().requests = {{"storage", "10Gi"}};
    story.claim().access_modes = {"ReadWriteOnce"};
    CHECK(story.faults().empty());
    story.claim().requests = {{"storage", "11Gi"}};
    CHECK(story.faults() == Faults{VolumeFault::NoVolume});
    story.claim().requests = {};
    story.volume().node_affinity = model::NodeSelector{{{{{zone_label, "In", {"2"}}}, {}}}};
    CHECK(story.faults() == Faults{VolumeFault::NoVolume});
  }
  SECTION("a claim whose class excludes the node") {
    story.storage_class().allowed_topologies = {{{{zone_label, "In", {"2", "3"}}}, {}}};
    CHECK(story.faults() == Faults{VolumeFault::TopologyNotAllowed});
    story.storage_class().allowed_topologies.push_back({{{zone_label, "In", {"1"}}}, {}});
    CHECK(story.faults().empty());
  }
}

TEST_CASE("bound volumes that the node cannot use are found", "[volumes]") {
  Story story;
  SECTION("the volume's node affinity") {
    story.volume().node_affinity = model::NodeSelector{{{{{zone_label, "In", {"2"}}}, {}}}};
    CHECK(story.faults() == Faults{VolumeFault::VolumeElsewhere});
  }
  SECTION("the volume's zone labels") {
    story.volume().meta.labels = {{zone_label, "2__1"}};
    CHECK(story.faults().empty());
    story.volume().meta.labels = {{zone_label, "2__11"}};
    CHECK(story.faults() == Faults{VolumeFault::ZoneElsewhere});
    story.volume().meta.labels = {{"failure-domain.beta.kubernetes.io/zone", "1"}};
    CHECK(story.faults().empty());  // compared with the node's newer label
    story.volume().meta.labels = {{"topology.kubernetes.io/region", "eu"}};
    CHECK(story.faults() == Faults{VolumeFault::ZoneElsewhere});
    story.cluster.cluster.nodes[0].meta.labels = {};
    CHECK(story.faults().empty());
  }
  SECTION("the node has the maximum number of volumes of the driver") {
    story.cluster.cluster.csi_nodes.resize(1);
    story.cluster.cluster.csi_nodes[0].meta.name = "a";
    story.cluster.cluster.csi_nodes[0].drivers = {{"csi.example.com", 1}};
    CHECK(story.faults().empty());
    model::PersistentVolumeClaim second = story.claim();
    second.meta.name = "second";
    second.volume_name = "w";
    story.cluster.cluster.claims.push_back(second);
    model::PersistentVolume other = story.volume();
    other.meta.name = "w";
    story.cluster.cluster.volumes.push_back(other);
    model::PodSpec spec;
    spec.volumes = {{"s", "persistentVolumeClaim", "second"}};
    story.cluster.pod("holder", "a", {}).spec = spec;
    CHECK(story.faults() == Faults{VolumeFault::LimitReached});
    story.cluster.cluster.csi_nodes[0].drivers = {{"csi.example.com", 2}};
    CHECK(story.faults().empty());
  }
  SECTION("a disk that is already attached") {
    story.use({{"d", "gcePersistentDisk", "disk-1", true}});
    model::PodSpec spec;
    spec.volumes = {{"d", "gcePersistentDisk", "disk-1", true}};
    model::Pod& holder = story.cluster.pod("holder", "a", {});
    holder.spec = spec;
    CHECK(story.faults().empty());
    spec.volumes[0].read_only = false;
    holder.spec = spec;
    CHECK(story.faults() == Faults{VolumeFault::DiskInUse});
  }
}
