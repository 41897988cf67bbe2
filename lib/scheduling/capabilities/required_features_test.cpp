// SPDX-License-Identifier: Apache-2.0
#include "scheduling/capabilities/required_features.h"

#include <catch2/catch.hpp>

namespace dsdoctor::scheduling {
namespace {

constexpr model::Release all_features = {38, 0};

model::PodSpec spec_with_container() {
  model::PodSpec spec;
  spec.containers.resize(2);
  spec.init_containers.resize(1);
  return spec;
}

/// "name path=value" of each need, separated by "; ".
std::string needs(const model::PodSpec& spec, bool host_network = false,
                  model::Release release = all_features) {
  std::string result;
  for (const FeatureNeed& need : required_features(spec, host_network, release)) {
    result += (result.empty() ? "" : "; ") + std::string(need.feature->name) + " " + need.path +
              "=" + need.value;
  }
  return result;
}

model::Node node_of(const char* kubelet, std::vector<model::Text> features = {}) {
  model::Node node;
  node.kubelet_version = kubelet;
  node.declared_features = std::move(features);
  return node;
}

}  // namespace

TEST_CASE("fields of a pod require features of its node", "[features]") {
  model::PodSpec spec = spec_with_container();
  CHECK(needs(spec, true).empty());
  SECTION("a rule that restarts all containers") {
    spec.containers[1].restart_actions = {"Restart"};
    CHECK(needs(spec).empty());
    spec.init_containers[0].restart_actions = {"Restart", "RestartAllContainers"};
    CHECK(needs(spec) ==
          "RestartAllContainersOnContainerExits "
          "initContainers[0].restartPolicyRules[1].action=RestartAllContainers");
    spec.containers[1].restart_actions = {"RestartAllContainers"};
    CHECK(needs(spec) ==
          "RestartAllContainersOnContainerExits "
          "containers[1].restartPolicyRules[0].action=RestartAllContainers");
  }
  SECTION("own users on the host network") {
    spec.host_users = true;
    CHECK(needs(spec, true).empty());
    spec.host_users = false;
    CHECK(needs(spec, false).empty());
    CHECK(needs(spec, true) == "UserNamespacesHostNetworkSupport hostUsers=false");
  }
  SECTION("options of a bind mount") {
    spec.containers[0].mounts = {{.name = "plain", .bind_options = {}},
                                 {.name = "data", .bind_options = {"noexec", "nodev"}}};
    CHECK(needs(spec) ==
          "VolumeBindMountOptions "
          "containers[0].volumeMounts[?(@.name==\"data\")].bindMountOptions=noexec");
  }
  SECTION("several, by name") {
    spec.seccomp_type = "OCI";
    spec.volumes = {
        {.name = "cert", .kind = "projected", .source = "", .certificate_key = "MLDSA65"}};
    CHECK(needs(spec) ==
          "PodCertificateMLDSA "
          "volumes[?(@.name==\"cert\")].projected.sources[*].podCertificate.keyType=MLDSA65; "
          "SecurityProfileOCI securityContext.seccompProfile.type=OCI");
    spec.seccomp_type = "RuntimeDefault";
    spec.volumes.clear();
    spec.containers[1].seccomp_type = "OCI";
    CHECK(needs(spec) ==
          "SecurityProfileOCI containers[1].securityContext.seccompProfile.type=OCI");
  }
}

TEST_CASE("a scheduler requires the features of its own release", "[features]") {
  model::PodSpec spec = spec_with_container();
  spec.containers[0].restart_actions = {"RestartAllContainers"};
  spec.containers[0].mounts = {{.name = "data", .bind_options = {"noexec"}}};
  spec.seccomp_type = "OCI";
  const auto count = [&](int minor) { return required_features(spec, false, {minor, 2}).size(); };
  CHECK(count(35) == 0);
  CHECK(count(36) == 1);
  CHECK(count(37) == 2);
  CHECK(count(38) == 3);
  CHECK(count(99) == 3);
}

TEST_CASE("a node lacks a feature because of its release or of a gate", "[features]") {
  const NodeFeature* bind = find_node_feature("VolumeBindMountOptions");
  REQUIRE(bind != nullptr);
  CHECK(find_node_feature("InPlacePodVerticalScaling") == nullptr);
  CHECK(find_node_feature("") == nullptr);
  CHECK(feature_lack(node_of("v1.36.3+k3s1"), *bind) == FeatureLack::KubeletTooOld);
  CHECK(feature_lack(node_of("v1.37.0"), *bind) == FeatureLack::GateOff);
  CHECK(feature_lack(node_of(""), *bind) == FeatureLack::KubeletUnknown);
  CHECK(feature_lack(node_of("dirty"), *bind) == FeatureLack::KubeletUnknown);
  CHECK_FALSE(declares(node_of("v1.37.0", {"Other", "volumebindmountoptions"}), *bind));
  CHECK(declares(node_of("v1.37.0", {"Other", "VolumeBindMountOptions"}), *bind));
  std::vector<model::Text> many;
  many.reserve(10000);
  for (int i = 0; i < 9999; ++i) many.emplace_back("Feature" + std::to_string(i % 5000));
  CHECK_FALSE(declares(node_of("v1.37.0", many), *bind));
  many.emplace_back("VolumeBindMountOptions");
  CHECK(declares(node_of("v1.37.0", many), *bind));
}

}  // namespace dsdoctor::scheduling
