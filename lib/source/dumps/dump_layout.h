// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decode/objects/kind.h"

namespace dsdoctor::source {

/// Content of a file according to its path, below the given folder or archive.
struct DumpPlace {
  enum class Content {
    Objects,        // JSON or YAML by its name, possibly compressed
    Unnamed,        // no extension: JSON or YAML if its content begins so
    Archive,        // a tar archive by its name
    Sensitive,      // Secrets or ConfigMaps: never opened
    Foreign,        // another resource, not needed: not opened
    Hidden,         // its name, or that of a folder in its path, begins with a dot
    ServerVersion,  // the API server's: see kube::noted_version
    Timestamp,      // when the collector ran: see newest_time_in
    Other,          // logs, web pages, images
  };
  Content content = Content::Other;
  /// Set if the path names the resource: the kind of objects that have no kind.
  std::optional<decode::Kind> kind;
  /// The namespace of the resource if the path names it; else empty.
  std::string ns = {};
  /// The path has a collector's layout, in which files of other formats have the same extensions.
  bool of_collector = false;
};

/// Knows the layouts of these tools:
/// - `kubectl cluster-info dump --output-directory`: `nodes.json`, `NAMESPACE/pods.json`;
/// - OpenShift's must-gather and `oc adm inspect`: `cluster-scoped-resources/core/nodes/NODE.yaml`,
///   `namespaces/NAMESPACE/apps/daemonsets.yaml`, `namespaces/NAMESPACE/pods/POD/POD.yaml`;
/// - support bundles of troubleshoot.sh: `cluster-resources/nodes.json`,
///   `cluster-resources/pods/NAMESPACE.json`;
/// - Sonobuoy: `resources/cluster/core_v1_nodes.json` (earlier `Nodes.json`),
///   `resources/ns/NAMESPACE/apps_v1_daemonsets.json`;
/// - Velero: `resources/nodes/cluster/NODE.json`,
///   `resources/daemonsets.apps/namespaces/NAMESPACE/NAME.json`;
/// - crust-gather: `cluster/v1/node/NODE.yaml`, `namespaces/NAMESPACE/apps-v1/daemonset/NAME.yaml`;
/// - OpenShift's Insights Operator: `config/node/NODE.json`, `config/pod/NAMESPACE/POD.json`.
/// And their notes: `serverversion.json` (Sonobuoy), `cluster_version.json` (support bundles),
/// `clusteroperators/kube-apiserver.yaml` (must-gather); `timestamp` and `meta/run.log`.
/// Parent folders may have any name. A path of another form decides nothing: the content does. A
/// file is sensitive if its name, or that of a folder in its path, is the resource: `secrets`,
/// `core_v1_configmaps`; unless a collector's layout names another kind.
[[nodiscard]] DumpPlace place_in_dump(std::string_view path);

/// Whether a folder or the file in the path has the name of NodePools, MachineSets or
/// MachineDeployments, as collectors spell it: `machine.openshift.io/machinesets/NAME.yaml`,
/// `nodepools.karpenter.sh/cluster/NAME.json`, `karpenter.sh_v1_nodepools.json`.
[[nodiscard]] bool may_have_node_templates(std::string_view path);

}  // namespace dsdoctor::source
