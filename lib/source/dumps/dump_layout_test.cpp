// SPDX-License-Identifier: Apache-2.0
#include "source/dumps/dump_layout.h"

#include <catch2/catch.hpp>
#include <string>

using namespace dsdoctor;
using decode::Kind;
using Content = source::DumpPlace::Content;

TEST_CASE("a path determines the kind of the objects", "[source][layout]") {
  const auto [path, kind, of_collector] = GENERATE(table<std::string, Kind, bool>({
      {"nodes.json", Kind::Node, false},
      {"dump/kube-system/pods.json", Kind::Pod, false},
      {"kube-system/daemonsets.yaml.gz", Kind::DaemonSet, false},
      {"secrets-store/events.json", Kind::Event, false},
      {"m/cluster-scoped-resources/core/nodes/ip-10-0-1-7.ec2.internal.yaml", Kind::Node, true},
      {"m/cluster-scoped-resources/core/nodes.yaml", Kind::Node, true},
      {"m/cluster-scoped-resources/core/namespaces/x.yaml", Kind::Namespace, true},
      {"m/cluster-scoped-resources/scheduling.k8s.io/priorityclasses/high.yaml",
       Kind::PriorityClass, true},
      {"m/namespaces/x/x.yaml", Kind::Namespace, true},
      {"m/namespaces/x/apps/daemonsets.yaml", Kind::DaemonSet, true},
      {"m/namespaces/x/apps/controllerrevisions/a.yaml", Kind::ControllerRevision, true},
      {"m/namespaces/x/core/events.yaml", Kind::Event, true},
      {"m/namespaces/x/pods/secrets-store-7/secrets-store-7.yaml", Kind::Pod, true},
      {"b/cluster-resources/nodes.json", Kind::Node, true},
      {"b/cluster-resources/pods/secrets-store.json", Kind::Pod, true},
      {"b/cluster-resources/resource-quota/x.json", Kind::ResourceQuota, true},
      {"b/cluster-resources/storage-classes.json", Kind::StorageClass, true},
      {"b/cluster-resources/pvcs/x.json", Kind::PersistentVolumeClaim, true},
      {"resources/cluster/core_v1_nodes.json", Kind::Node, true},
      {"resources/cluster/Nodes.json", Kind::Node, true},
      {"resources/cluster/storage.k8s.io_v1_csinodes.json", Kind::CsiNode, true},
      {"resources/ns/x/apps_v1_daemonsets.json", Kind::DaemonSet, true},
      {"resources/ns/x/DaemonSets.json", Kind::DaemonSet, true},
      {"resources/ns/x/extensions_v1beta1_daemonsets.json", Kind::DaemonSet, true},
      {"v/resources/nodes/cluster/a.json", Kind::Node, true},
      {"v/resources/daemonsets.apps/namespaces/x/secrets.json", Kind::DaemonSet, true},
      {"v/resources/daemonsets.apps/v1-preferredversion/namespaces/secrets/x.json", Kind::DaemonSet,
       true},
      {"c/cluster/v1/node/a.json", Kind::Node, true},
      {"c/cluster/storage.k8s.io-v1/storageclass/fast.yaml", Kind::StorageClass, true},
      {"c/namespaces/x/apps-v1/daemonset/secret-agent.json", Kind::DaemonSet, true},
      {"c/namespaces/x/v1/event/e.1.json", Kind::Event, true},
      {"config/node/worker-0.lab.json", Kind::Node, true},
      {"config/pod/x/sdn-7.json.gz", Kind::Pod, true},
  }));
  const source::DumpPlace place = source::place_in_dump(path);
  CAPTURE(path);
  CHECK(place.content == Content::Objects);
  CHECK(place.kind == kind);
  CHECK(place.of_collector == of_collector);
}

TEST_CASE("a path determines which files are not opened", "[source][layout]") {
  const auto [path, content] = GENERATE(table<std::string, Content>({
      {"x.json", Content::Objects},
      {"deploy/agent.yml", Content::Objects},
      {"config/id.json", Content::Objects},
      {"m/cluster-scoped-resources/config.openshift.io/nodes.yaml", Content::Foreign},
      {"m/namespaces/x/apps/deployments.yaml", Content::Foreign},
      {"b/cluster-resources/pods-errors.json", Content::Objects},
      {"git/namespaces/logging/agent/app.json", Content::Objects},
      {"git/namespaces/logging/apps/agent.yaml", Content::Objects},
      {"git/cluster-scoped-resources/apps/agent.yaml", Content::Objects},
      {"git/cluster-resources/agent.yaml", Content::Objects},
      {"git/resources/ns/logging/agent.yaml", Content::Objects},
      {"v/resources/services/namespaces/x/a.json", Content::Foreign},
      {"v/resources/secrets/namespaces/x/a.json", Content::Sensitive},
      {"x/k8s-resources", Content::Unnamed},
      {"x/LICENSE.txt", Content::Other},
      {"resources/ns/x/core_v1_services.json", Content::Foreign},
      {"x/logs.txt", Content::Other},
      {"m/event-filter.html", Content::Other},
      {"b/cluster-resources/pods/logs/x/p/c.log.gz", Content::Other},
      {"resources/ns/x/extensions_v1beta1_deployments.json", Content::Foreign},
      {"serverversion.json", Content::ServerVersion},
      {"b/cluster-info/cluster_version.json", Content::ServerVersion},
      {"m/cluster-scoped-resources/config.openshift.io/clusteroperators/kube-apiserver.yaml",
       Content::ServerVersion},
      {"m/cluster-scoped-resources/config.openshift.io/clusteroperators/dns.yaml",
       Content::Foreign},
      {"m/timestamp", Content::Timestamp},
      {"meta/run.log", Content::Timestamp},
      {"x/run.log", Content::Other},
      {"", Content::Other},
      {".git/x.json", Content::Hidden},
      {"x/._nodes.json", Content::Hidden},
      {"insights.tar.gz", Content::Archive},
      {"insights.tgz", Content::Archive},
      {"insights.tar.bz2", Content::Archive},
      {"insights.tbz2", Content::Archive},
      {"insights.tar.lz4", Content::Archive},
      {"insights.zip", Content::Archive},
      {"x/secrets.json", Content::Sensitive},
      {"x/secret-of-mine.yaml", Content::Objects},
      {"secrets-of-mine/x.yaml", Content::Objects},
      {"m/namespaces/x/core/secrets/a.yaml", Content::Sensitive},
      {"m/namespaces/x/core/configmaps.yaml", Content::Sensitive},
      {"b/cluster-resources/configmaps/pods.json", Content::Sensitive},
      {"b/cluster-resources/image-pull-secrets/x.json", Content::Sensitive},
      {"resources/ns/x/core_v1_secrets.json", Content::Sensitive},
  }));
  CAPTURE(path);
  CHECK(source::place_in_dump(path).content == content);
  CHECK_FALSE(source::place_in_dump(path).kind);
}

TEST_CASE("a path determines the namespace of a list", "[source][layout]") {
  const auto [path, ns] = GENERATE(table<std::string, std::string>({
      {"dump/kube-system/daemonsets.json", "kube-system"},
      {"daemonsets.json", ""},
      {"kube-system/nodes.json", ""},
      {"m/namespaces/x/apps/daemonsets.yaml", "x"},
      {"b/cluster-resources/pods/x.json", "x"},
      {"b/cluster-resources/pods.json", ""},
      {"resources/ns/x/core_v1_serviceaccounts.json", "x"},
      {"resources/cluster/core_v1_nodes.json", ""},
  }));
  CAPTURE(path);
  CHECK(source::place_in_dump(path).ns == ns);
}

TEST_CASE("a path shows whether a file can have templates of nodes", "[source][layout]") {
  const auto [path, may] = GENERATE(table<std::string, bool>({
      {"m/namespaces/openshift-machine-api/machine.openshift.io/machinesets/w.yaml", true},
      {"resources/nodepools.karpenter.sh/cluster/gpu.json", true},
      {"resources/cluster/karpenter.sh_v1_nodepools.json", true},
      {"cluster/karpenter.sh-v1/nodepool/gpu.yaml", true},
      {"b/cluster-resources/custom-resources/machinedeployments.cluster.x-k8s.io/x.json", true},
      {"m/namespaces/x/apps/daemonsets.yaml", false},
      {"m/namespaces/x/machine.openshift.io/machines/w.yaml", false},
  }));
  CAPTURE(path);
  CHECK(source::may_have_node_templates(path) == may);
}
