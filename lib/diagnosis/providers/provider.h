// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnosis/evidence/facts.h"
#include "diagnosis/providers/label_wait.h"
#include "diagnosis/providers/lack.h"
#include "placement/feature_gates.h"

namespace dsdoctor::diagnosis {

/// Whether the template shows that its pods provide what is lacking: the name of the driver in the
/// arguments of a registrar or in a host path, a writable folder of CNI plugins, the kubelet's
/// folder of device plugins, or the host path itself.
[[nodiscard]] bool provides(const model::PodTemplate& of, const Lack& lack);

/// Whether names suggest that the DaemonSet runs the CSI or DRA driver: its namespace, its name and
/// its images have "csi" or "dra" and all words of the driver's name, without general ones. For
/// templates that do not contain the driver's name.
[[nodiscard]] bool is_named_like_driver(const model::DaemonSet& ds, std::string_view driver);

/// A pod that needs something that its node lacks.
struct Dependent {
  const model::Pod* pod = nullptr;
  const model::Event* event = nullptr;  // names what is lacking; null: the pod's own fields do
  Lack lack;
  const model::Node* node = nullptr;  // that it is bound to or could run on; null: not read
  std::string field = {};             // of the pod, that shows the need; empty: see the event

  /// The name of that node.
  [[nodiscard]] std::string_view place() const {
    return node != nullptr ? node->meta.name.view() : pod->node_name.view();
  }
};

/// The DaemonSets that provide something to their nodes, and the pods that wait for it. Keeps
/// references; pods are searched on first use.
class Providers {
 public:
  Providers(const Facts& facts, placement::FeatureGates gates) : facts_(facts), gates_(gates) {}
  Providers(const Providers&) = delete;
  Providers& operator=(const Providers&) = delete;

  /// The DaemonSet that has to provide it on the node. Among several, such as one for each
  /// operating system: the one with a pod there, else the one for which the node is eligible, else
  /// the one for its operating system and architecture. Null unless exactly one qualifies. `node`:
  /// null if it is not known.
  [[nodiscard]] const model::DaemonSet* provider_of(const Lack& lack,
                                                    const model::Node* node) const;

  /// The pods that need something that this DaemonSet provides, on nodes where it has no ready pod:
  /// bound pods that wait for it by an event or have a volume of its driver, and pods that are not
  /// bound because no node offers its resource, each with a node that its labels single out and
  /// whose taints only the DaemonSet does not tolerate. Sorted by namespace and name.
  [[nodiscard]] const std::vector<Dependent>& dependents_of(const model::DaemonSet& ds) const;

  /// Labels that DaemonSets without nodes wait for.
  [[nodiscard]] const std::vector<LabelWait>& label_waits() const;

  /// The thing that the bound pod waits for; absent if it waits for nothing that a DaemonSet
  /// provides, or has got past that.
  [[nodiscard]] std::optional<Dependent> wait_of(const model::Pod& pod) const;

 private:
  [[nodiscard]] const std::vector<const model::DaemonSet*>& candidates_for(const Lack& lack) const;
  void find_dependents() const;
  void add_if_absent(Dependent dependent) const;
  void add_unbound(const model::Pod& pod, const std::vector<Lack>& lacks) const;

  const Facts& facts_;
  placement::FeatureGates gates_;
  mutable std::map<Lack, std::vector<const model::DaemonSet*>> candidates_;
  mutable std::optional<std::vector<LabelWait>> label_waits_;
  mutable bool searched_ = false;
  mutable std::unordered_map<const model::DaemonSet*, std::vector<Dependent>> dependents_;
};

/// The CSI driver of a volume.
struct DriverOfVolume {
  std::string driver;
  std::string field;  // of the pod: "spec.volumes[0]"
};
/// The drivers of the pod's inline volumes and, as far as claims and volumes were read, of its
/// claims. Empty for a pod that has ended.
[[nodiscard]] std::vector<DriverOfVolume> drivers_of_volumes(const model::Pod& pod,
                                                             const Facts& facts);

/// Adds the drivers that pods wait for to the templates of the DaemonSets that are only named like
/// them, so that redaction, which replaces names, does not change what is known.
void record_drivers_of_names(model::Cluster& cluster);

/// "namespace/name"
[[nodiscard]] std::string full_name(const model::ObjectMeta& meta);

/// Whether the DaemonSet has a ready pod on the node, as far as pods were read.
[[nodiscard]] bool is_ready_on(const Facts& facts, const model::DaemonSet& ds,
                               std::string_view node);

}  // namespace dsdoctor::diagnosis
