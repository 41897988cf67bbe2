#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decode/objects/kind.h"

namespace dsdoctor::source {

/// What a file's path says of it, below the folder or archive that was given.
struct DumpPlace {
  enum class Content {
    Objects,        // JSON or YAML by its name, maybe compressed
    Archive,        // a tar archive by its name
    Sensitive,      // Secrets or ConfigMaps: never opened
    Foreign,        // another resource, of no interest: not opened
    Hidden,         // it, or a folder of it, begins with a dot
    ServerVersion,  // of the API server: see kube::noted_version
    Timestamp,      // when the collector was at work: see newest_time_in
    Other,          // logs, pages, pictures
  };
  Content content = Content::Other;
  /// Set where the path names the resource: the kind of objects that name none.
  std::optional<decode::Kind> kind;
  /// Of the resource, where the path says of which namespace it is; empty: it does not.
  std::string ns = {};
  /// The path is one of a collector's layouts, beside whose objects stand files of other formats
  /// with the same extensions.
  bool of_collector = false;
};

/// Knows where these put things:
/// - `kubectl cluster-info dump --output-directory`: `nodes.json`, `NAMESPACE/pods.json`;
/// - OpenShift's must-gather and `oc adm inspect`: `cluster-scoped-resources/core/nodes/NODE.yaml`,
///   `namespaces/NAMESPACE/apps/daemonsets.yaml`, `namespaces/NAMESPACE/pods/POD/POD.yaml`;
/// - support bundles of troubleshoot.sh: `cluster-resources/nodes.json`,
///   `cluster-resources/pods/NAMESPACE.json`;
/// - Sonobuoy: `resources/cluster/core_v1_nodes.json` (earlier `Nodes.json`),
///   `resources/ns/NAMESPACE/apps_v1_daemonsets.json`;
/// - OpenShift's Insights Operator: `config/node/NODE.json`, `config/pod/NAMESPACE/POD.json`.
/// And what they note: `serverversion.json` (Sonobuoy), `cluster_version.json` (support bundles),
/// `clusteroperators/kube-apiserver.yaml` (must-gather); `timestamp` and `meta/run.log`.
/// They may lie in folders of any name. What lies in a folder named secrets or configmaps is
/// sensitive, and so is a file if its name or a folder's begins with secret or configmap, unless
/// the path names another kind (`pods/secrets-store.json`, `secrets-store/daemonsets.json`).
[[nodiscard]] DumpPlace place_in_dump(std::string_view path);

}  // namespace dsdoctor::source
