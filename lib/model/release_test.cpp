// SPDX-License-Identifier: Apache-2.0
#include "model/release.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

using namespace dsdoctor::model;

TEST_CASE("each rule of releases has its entry, with releases in order", "[release]") {
  std::size_t index = 0;
  for (const ReleaseRuleEntry& entry : release_rules) {
    CHECK(static_cast<std::size_t>(entry.rule) == index++);
    REQUIRE(entry.count > 0);
    CHECK(std::is_sorted(entry.since.begin(), entry.since.begin() + entry.count));
    CHECK(entry.since[entry.count - 1] <= newest_read_release);
  }
}

TEST_CASE("a backport is of its minor release alone", "[release]") {
  const auto of = [](int minor, int patch) {
    return applies(ReleaseRule::IgnoresTerminalTerminatingPods, {minor, patch});
  };
  CHECK_FALSE(of(25, 99));
  CHECK_FALSE(of(26, 6));
  CHECK(of(26, 7));
  CHECK_FALSE(of(27, 3));
  CHECK(of(27, 4));
  CHECK(of(28, 0));
  CHECK(of(99, 0));
}

TEST_CASE("releases in version texts", "[release]") {
  CHECK(parse_release("v1.37.2") == Release{37, 2});
  CHECK(parse_release("v1.37.2+k3s1") == Release{37, 2});
  CHECK(parse_release("v1.29.3-eks-1") == Release{29, 3});
  CHECK(parse_release("1.99") == Release{99, 0});
  CHECK(parse_release("v1.38.0-beta.0") == Release{38, 0});
  for (const char* text :
       {"", "v", "v1", "v1.", "v2.1.0", "1.x", "kubelet", "v1.-3", "v1.9999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_release(text));
  }
}

TEST_CASE("the release of a cluster is that of its server, else of its newest kubelet",
          "[release]") {
  Cluster cluster;
  CHECK(release_of(cluster).source == ReleaseSource::Unknown);
  CHECK(release_of(cluster).release == newest_known_release);
  CHECK_FALSE(is_known_to_apply(ReleaseRule::GetsRevisions, cluster));
  cluster.nodes.resize(3);
  cluster.nodes[0].kubelet_version = "v1.30.1";
  cluster.nodes[1].kubelet_version = "v1.31.0-gke.1";
  CHECK(release_of(cluster).source == ReleaseSource::Kubelets);
  CHECK(release_of(cluster).release == Release{31, 0});
  CHECK(is_known_to_apply(ReleaseRule::ListsFromCache, cluster));
  cluster.version = ServerVersion{1, 29, 4, "v1.29.4"};
  CHECK(release_of(cluster).source == ReleaseSource::Server);
  CHECK(release_of(cluster).release == Release{29, 4});
  CHECK_FALSE(is_known_to_apply(ReleaseRule::ListsFromCache, cluster));
}

TEST_CASE("a server version that is not a release of Kubernetes", "[release]") {
  Cluster cluster;
  const auto release = [&](ServerVersion version) {
    cluster.version = std::move(version);
    const ClusterRelease of = release_of(cluster);
    return std::pair(full_text(of.release), of.source);
  };
  CHECK(release({1, 37, 2, "v1.37.2+k3s1"}) ==
        std::pair<std::string, ReleaseSource>("1.37.2", ReleaseSource::Server));
  CHECK(release({1, 99, 0, "1.99"}) ==
        std::pair<std::string, ReleaseSource>("1.99.0", ReleaseSource::Server));
  CHECK(is_newer_than_known(release_of(cluster)));
  CHECK(release({0, 0, 0, "v1.36.1-vendor.7"}) ==
        std::pair<std::string, ReleaseSource>("1.36.1", ReleaseSource::Server));
  CHECK(release({1, 28, 3, "v4.15.3"}) ==
        std::pair<std::string, ReleaseSource>("1.28.3", ReleaseSource::Server));
  for (const ServerVersion& other :
       {ServerVersion{0, 0, 0, ""}, ServerVersion{4, 15, 3, "v4.15.3"},
        ServerVersion{0, 0, 0, "a vendor's"}, ServerVersion{1, 0, 0, "a vendor's"}}) {
    CAPTURE(other.git_version);
    cluster.nodes.clear();
    CHECK(release(other) ==
          std::pair<std::string, ReleaseSource>("1.37.2", ReleaseSource::Unknown));
    cluster.nodes.resize(4);
    cluster.nodes[1].kubelet_version = "v1.33.4";
    cluster.nodes[2].kubelet_version = "v1.36.1+k3s1";
    cluster.nodes[3].kubelet_version = "unknown";
    CHECK(release(other) ==
          std::pair<std::string, ReleaseSource>("1.36.1", ReleaseSource::Kubelets));
  }
}
