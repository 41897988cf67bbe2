// SPDX-License-Identifier: Apache-2.0
#include "fixes/owners/owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "fixes/owners/template_source.h"

namespace dsdoctor::fixes {
namespace {

/// Finds owners by the traces that tools leave on a DaemonSet, the most reliable trace of each
/// tool.
class Signs {
 public:
  Signs(const model::DaemonSet& ds, TouchedFields touched) : ds_(ds), touched_(touched) {}

  std::vector<Owner> read() {
    controller();
    argo_cd();
    flux();
    operator_lifecycle_manager();
    addon_manager();
    rancher();
    cloud();
    helm();
    named_manager();
    client_side_apply();
    std::ranges::stable_sort(owners_, {}, &Owner::reverts);
    return std::move(owners_);
  }

 private:
  [[nodiscard]] const model::Text* label(std::string_view key) const {
    return ds_.meta.labels.find(key);
  }
  [[nodiscard]] const model::Text* annotation(std::string_view key) const {
    return ds_.annotations.find(key);
  }
  [[nodiscard]] const model::FieldManager* manager(std::string_view name) const {
    const auto at = std::ranges::find_if(
        ds_.meta.managers, [&](const model::FieldManager& m) { return m.manager == name; });
    return at == ds_.meta.managers.end() ? nullptr : &*at;
  }
  static std::string of_label(std::string_view key) {
    return fmt::format("metadata.labels[{}]", key);
  }
  static std::string of_annotation(std::string_view key) {
    return fmt::format("metadata.annotations[{}]", key);
  }
  void add(Owner owner) { owners_.push_back(std::move(owner)); }

  /// The paths of the fields that the patches change; empty if one of them is not known.
  [[nodiscard]] std::string paths_in(const TemplateSource* source) const {
    if (source == nullptr) return {};
    if (!touched_.node_affinity) return std::string(source->tolerations);
    if (source->affinity.empty()) return {};
    if (!touched_.tolerations) return std::string(source->affinity);
    return fmt::format("{} and {}", source->tolerations, source->affinity);
  }

  [[nodiscard]] std::string_view fields() const {
    if (!touched_.node_affinity) return "tolerations";
    return touched_.tolerations ? "tolerations and node affinity" : "node affinity";
  }

  [[nodiscard]] const model::Text* chart() const {
    const auto* chart = label("helm.sh/chart");
    return chart != nullptr ? chart : label("chart");
  }
  [[nodiscard]] const TemplateSource* chart_source() const {
    return chart() == nullptr ? nullptr : source_in_chart(ds_, *chart());
  }

  void controller() {
    if (!ds_.meta.controller) return;
    const std::string_view kind = ds_.meta.controller->kind;
    const std::string_view name = ds_.meta.controller->name;
    const std::string paths = paths_in(source_in_controller(ds_));
    add({fmt::format("the operator of {} {}", kind, name), "metadata.ownerReferences",
         Reverts::AtOnce,
         paths.empty() ? fmt::format("into {}/{}, if it has a field for {}", kind, name, fields())
                       : fmt::format("into {} of {}/{}", paths, kind, name)});
  }

  /// Where to make the change in a chart's values.
  [[nodiscard]] std::string in_values(const TemplateSource* source, std::string_view values) const {
    const std::string paths = paths_in(source);
    if (paths.empty()) return fmt::format("into {} (the key is not known)", values);
    std::string result = fmt::format("into {} of {}", paths, values);
    if (!source->parent.empty()) {
      result += fmt::format(" (below {} if {} includes it)", source->of, source->parent);
    }
    return result;
  }
  static std::string tolerations_in(const TemplateSource* source) {
    return source == nullptr ? std::string() : std::string(source->tolerations);
  }

  void argo_cd() {
    constexpr std::string_view tracking = "argocd.argoproj.io/tracking-id";
    constexpr std::string_view instance = "argocd.argoproj.io/instance";
    std::string evidence;
    std::string app;
    if (const auto* id = annotation(tracking)) {
      evidence = of_annotation(tracking);
      app = id->view().substr(0, id->view().find(':'));
    } else if (const auto* name = label(instance)) {
      evidence = of_label(instance);
      app = name->str();
    } else if (manager("argocd-controller") != nullptr ||
               manager("argocd-application-controller") != nullptr) {
      evidence = "metadata.managedFields";
    } else {
      return;
    }
    add({app.empty() ? "Argo CD" : fmt::format("Argo CD application {}", app), std::move(evidence),
         Reverts::AtOnce, "into the source repository of the application"});
  }

  void flux() {
    constexpr std::string_view kustomization = "kustomize.toolkit.fluxcd.io/name";
    constexpr std::string_view release = "helm.toolkit.fluxcd.io/name";
    if (const auto* name = label(kustomization)) {
      add({fmt::format("Flux Kustomization {}", name->view()), of_label(kustomization),
           Reverts::AtOnce, "into the repository of the Kustomization"});
    }
    if (const auto* name = label(release)) {
      const TemplateSource* source = chart_source();
      add({fmt::format("Flux HelmRelease {}", name->view()), of_label(release), Reverts::AtOnce,
           in_values(source, "spec.values of the HelmRelease, in its repository"),
           chart() == nullptr ? std::string() : chart()->str(), tolerations_in(source)});
    }
  }

  void operator_lifecycle_manager() {
    if (const auto* owner = label("olm.owner")) {
      add({fmt::format("the Operator Lifecycle Manager ({})", owner->view()), of_label("olm.owner"),
           Reverts::AtOnce, "into the operator's own resource or its Subscription"});
    }
  }

  void addon_manager() {
    constexpr std::string_view mode = "addonmanager.kubernetes.io/mode";
    const auto* value = label(mode);
    if (value != nullptr && *value == "Reconcile") {
      add({"the add-on manager of the control plane", of_label(mode), Reverts::AtOnce,
           "into the add-on's manifest on the control plane, or the settings of the cluster's "
           "provider"});
    }
  }

  /// Rancher, Fleet, K3s and RKE2 apply objects in sets.
  void rancher() {
    constexpr std::string_view id = "objectset.rio.cattle.io/id";
    constexpr std::string_view hash = "objectset.rio.cattle.io/hash";
    const auto* set = annotation(id);
    if (set == nullptr && label(hash) == nullptr) return;
    const auto* owner = annotation("objectset.rio.cattle.io/owner-name");
    const auto* name = owner != nullptr ? owner : set;
    const bool is_named = name != nullptr && !name->empty();
    add({is_named ? fmt::format("Rancher (object set {})", name->view()) : std::string("Rancher"),
         set != nullptr ? of_annotation(id) : of_label(hash), Reverts::AtNextChange,
         "into the manifest or bundle from which it is applied"});
  }

  void cloud() {
    if (manager("eks") != nullptr) {
      add({"an Amazon EKS add-on", "metadata.managedFields", Reverts::AtOnce,
           "into the add-on's configuration: aws eks update-addon --configuration-values"});
    }
    if (const auto* by = label("kubernetes.azure.com/managedby")) {
      add({fmt::format("AKS ({})", by->view()), of_label("kubernetes.azure.com/managedby"),
           Reverts::AtOnce, "into the settings of the AKS add-on"});
    }
    if (label("components.gke.io/component-name") != nullptr ||
        annotation("components.gke.io/component-name") != nullptr) {
      add({"GKE", "components.gke.io/component-name", Reverts::AtOnce,
           "into the settings of the GKE add-on"});
    }
  }

  void helm() {
    constexpr std::string_view release = "meta.helm.sh/release-name";
    constexpr std::string_view managed_by = "app.kubernetes.io/managed-by";
    const auto* name = annotation(release);
    const auto* by = label(managed_by);
    const auto* heritage = label("heritage");
    const bool is_managed = by != nullptr && *by == "Helm";
    const bool is_inherited = heritage != nullptr && (*heritage == "Helm" || *heritage == "Tiller");
    if (name == nullptr && !is_managed && !is_inherited) return;
    if (name == nullptr) name = label("release");
    if (name == nullptr) name = label("app.kubernetes.io/instance");
    std::string who = name == nullptr ? "Helm" : fmt::format("Helm release {}", name->view());
    if (const auto* ns = annotation("meta.helm.sh/release-namespace")) {
      who += fmt::format(" in namespace {}", ns->view());
    }
    const TemplateSource* source = chart_source();
    add({std::move(who),
         annotation(release) != nullptr ? of_annotation(release)
                                        : of_label(is_managed ? managed_by : "heritage"),
         Reverts::AtNextChange, in_values(source, "the values of the release"),
         chart() == nullptr ? std::string() : chart()->str(), tolerations_in(source)});
  }

  void named_manager() {
    constexpr std::string_view managed_by = "app.kubernetes.io/managed-by";
    const auto* by = label(managed_by);
    if (by == nullptr || by->empty() || *by == "Helm" || *by == "kubectl") return;
    if (!owners_.empty()) return;  // a more specific owner is known
    add({by->str(), of_label(managed_by), Reverts::AtOnce,
         fmt::format("into the source from which {} creates the DaemonSet", by->view())});
  }

  void client_side_apply() {
    constexpr std::string_view last = "kubectl.kubernetes.io/last-applied-configuration";
    if (!owners_.empty() || annotation(last) == nullptr) return;
    // A three-way merge reverts fields that are in the manifest; it does not change the others.
    const auto& has = ds_.applied;
    const bool reverts = !has || (touched_.tolerations && has->tolerations) ||
                         (touched_.node_affinity && has->node_affinity);
    add({"kubectl apply", of_annotation(last), reverts ? Reverts::AtNextChange : Reverts::Never,
         "into the manifest that is applied"});
  }

  const model::DaemonSet& ds_;
  TouchedFields touched_;
  std::vector<Owner> owners_;
};

}  // namespace

std::vector<Owner> owners_of(const model::DaemonSet& ds, TouchedFields touched) {
  return Signs(ds, touched).read();
}

}  // namespace dsdoctor::fixes
