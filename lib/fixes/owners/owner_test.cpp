// SPDX-License-Identifier: Apache-2.0
#include "fixes/owners/owner.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using namespace dsdoctor::fixes;

TEST_CASE("an owner that reverts patches is recognized by its traces on the object", "[fixes]") {
  model::DaemonSet ds;
  CHECK(owners_of(ds).empty());
  ds.annotations = {{"kubectl.kubernetes.io/last-applied-configuration", "{}"}};
  REQUIRE(owners_of(ds).size() == 1);
  CHECK(owners_of(ds)[0].name == "kubectl apply");
  CHECK(owners_of(ds)[0].reverts == Reverts::AtNextChange);  // the applied fields are unknown
  ds.applied = model::AppliedTemplate{.tolerations = false, .node_affinity = true};
  CHECK(owners_of(ds)[0].reverts == Reverts::Never);
  CHECK(owners_of(ds, {.tolerations = true, .node_affinity = true})[0].reverts ==
        Reverts::AtNextChange);
  CHECK(owners_of(ds, {.tolerations = false, .node_affinity = false})[0].reverts == Reverts::Never);
  ds.applied->node_affinity = false;
  CHECK(owners_of(ds, {.tolerations = true, .node_affinity = true})[0].reverts == Reverts::Never);
  ds.applied->tolerations = true;
  CHECK(owners_of(ds)[0].reverts == Reverts::AtNextChange);
  ds.annotations = {{"meta.helm.sh/release-name", "dd"}, {"meta.helm.sh/release-namespace", "x"}};
  ds.meta.labels = {{"app.kubernetes.io/managed-by", "Helm"}, {"helm.sh/chart", "datadog-3.1.0"}};
  REQUIRE(owners_of(ds).size() == 1);
  CHECK(owners_of(ds)[0].name == "Helm release dd in namespace x");
  CHECK(owners_of(ds)[0].chart == "datadog-3.1.0");
  CHECK(owners_of(ds)[0].reverts == Reverts::AtNextChange);
  ds.annotations.set("argocd.argoproj.io/tracking-id", "infra:apps/DaemonSet:x/agent");
  REQUIRE(owners_of(ds).size() == 2);
  CHECK(owners_of(ds)[0].name == "Argo CD application infra");
  CHECK(owners_of(ds)[0].reverts == Reverts::AtOnce);
  ds.meta.controller = model::ControllerRef{"DatadogAgent", "datadog", ""};
  CHECK(owners_of(ds)[0].name == "the operator of DatadogAgent datadog");
}

TEST_CASE("each tool is recognized by its own labels and annotations and field managers",
          "[fixes]") {
  struct Row {
    std::string name;
    model::Labels labels;
    model::Labels annotations;
    std::vector<std::string> managers;
    std::vector<std::string> owners = {};  // "name, evidence"
  };
  const Row row = GENERATE(values<Row>({
      {"nothing", {}, {}, {}},
      {"the controller manager alone", {}, {}, {"kube-controller-manager"}},
      {"Argo CD by its label",
       {{"argocd.argoproj.io/instance", "infra"}},
       {},
       {},
       {"Argo CD application infra, metadata.labels[argocd.argoproj.io/instance]"}},
      {"Argo CD by its field manager",
       {},
       {},
       {"argocd-controller"},
       {"Argo CD, metadata.managedFields"}},
      {"Rancher by its object set",
       {{"objectset.rio.cattle.io/hash", "abc"}},
       {{"objectset.rio.cattle.io/id", "helm-app"}},
       {},
       {"Rancher (object set helm-app), metadata.annotations[objectset.rio.cattle.io/id]"}},
      {"Rancher by who owns the set",
       {},
       {{"objectset.rio.cattle.io/id", ""}, {"objectset.rio.cattle.io/owner-name", "metrics"}},
       {},
       {"Rancher (object set metrics), metadata.annotations[objectset.rio.cattle.io/id]"}},
      {"Rancher by its label",
       {{"objectset.rio.cattle.io/hash", "abc"}},
       {},
       {},
       {"Rancher, metadata.labels[objectset.rio.cattle.io/hash]"}},
      {"Argo CD by another of its field managers",
       {},
       {},
       {"kubectl", "argocd-application-controller"},
       {"Argo CD, metadata.managedFields"}},
      {"both of Flux",
       {{"kustomize.toolkit.fluxcd.io/name", "apps"}, {"helm.toolkit.fluxcd.io/name", "dd"}},
       {},
       {},
       {"Flux Kustomization apps, metadata.labels[kustomize.toolkit.fluxcd.io/name]",
        "Flux HelmRelease dd, metadata.labels[helm.toolkit.fluxcd.io/name]"}},
      {"the Operator Lifecycle Manager",
       {{"olm.owner", "csv.v1"}},
       {},
       {},
       {"the Operator Lifecycle Manager (csv.v1), metadata.labels[olm.owner]"}},
      {"an add-on that is reconciled",
       {{"addonmanager.kubernetes.io/mode", "Reconcile"}},
       {},
       {},
       {"the add-on manager of the control plane, "
        "metadata.labels[addonmanager.kubernetes.io/mode]"}},
      {"an add-on that is created once",
       {{"addonmanager.kubernetes.io/mode", "EnsureExists"}},
       {},
       {}},
      {"EKS", {}, {}, {"eks"}, {"an Amazon EKS add-on, metadata.managedFields"}},
      {"AKS",
       {{"kubernetes.azure.com/managedby", "aks"}},
       {},
       {},
       {"AKS (aks), metadata.labels[kubernetes.azure.com/managedby]"}},
      {"GKE by its label",
       {{"components.gke.io/component-name", "netd"}},
       {},
       {},
       {"GKE, components.gke.io/component-name"}},
      {"GKE by its annotation",
       {},
       {{"components.gke.io/component-name", "netd"}},
       {},
       {"GKE, components.gke.io/component-name"}},
      {"Helm without a release",
       {{"app.kubernetes.io/managed-by", "Helm"}},
       {},
       {},
       {"Helm, metadata.labels[app.kubernetes.io/managed-by]"}},
      {"Helm with the instance as its release",
       {{"app.kubernetes.io/managed-by", "Helm"}, {"app.kubernetes.io/instance", "dd"}},
       {},
       {},
       {"Helm release dd, metadata.labels[app.kubernetes.io/managed-by]"}},
      {"an older chart",
       {{"heritage", "Helm"}, {"release", "dd"}},
       {},
       {},
       {"Helm release dd, metadata.labels[heritage]"}},
      {"a chart of Helm 2",
       {{"heritage", "Tiller"}, {"release", "dd"}},
       {},
       {},
       {"Helm release dd, metadata.labels[heritage]"}},
      {"a chart that is installed by something else",
       {{"heritage", "Helm"}, {"app.kubernetes.io/managed-by", "Pulumi"}},
       {},
       {},
       {"Helm, metadata.labels[heritage]"}},
      {"another heritage", {{"heritage", "kustomize"}, {"release", "dd"}}, {}, {}},
      {"a tool that is not known",
       {{"app.kubernetes.io/managed-by", "Pulumi"}},
       {},
       {},
       {"Pulumi, metadata.labels[app.kubernetes.io/managed-by]"}},
      {"no tool", {{"app.kubernetes.io/managed-by", ""}}, {}, {}},
      {"kubectl is a person", {{"app.kubernetes.io/managed-by", "kubectl"}}, {}, {}},
  }));
  CAPTURE(row.name);
  model::DaemonSet ds;
  ds.meta.labels = row.labels;
  ds.annotations = row.annotations;
  for (const std::string& manager : row.managers) ds.meta.managers.emplace_back().manager = manager;
  std::vector<std::string> owners;
  for (const Owner& owner : owners_of(ds)) owners.push_back(owner.name + ", " + owner.evidence);
  CHECK(owners == row.owners);
}

TEST_CASE("the chart of a Helm release is recognized by either of its labels", "[fixes]") {
  model::DaemonSet ds;
  ds.meta.labels = {{"heritage", "Helm"}};
  CHECK(owners_of(ds).at(0).chart == "");
  ds.meta.labels.set("chart", "datadog-2.0.0");
  CHECK(owners_of(ds).at(0).chart == "datadog-2.0.0");
  ds.meta.labels.set("helm.sh/chart", "datadog-3.1.0");
  CHECK(owners_of(ds).at(0).chart == "datadog-3.1.0");
}

TEST_CASE("the place of a change names the field from which the template is written", "[fixes]") {
  struct Row {
    const char* chart;
    const char* tolerations;
    const char* affinity;
  };
  const Row row = GENERATE(values<Row>({
      {"alloy-1.0.0-rc.1", "controller.tolerations", "controller.affinity"},
      {"datadog-3.70.2", "agents.tolerations", "agents.affinity"},
      {"falco-4.2.0", "tolerations", "affinity"},
      {"fluent-bit-0.53.0", "tolerations", "affinity"},
      {"promtail-6.16.0", "tolerations", "affinity"},
      {"secrets-store-csi-driver-1.4.0", "linux.tolerations", "linux.affinity"},
      {"vector-0.34.0", "tolerations", "affinity"},
      {"velero-7.1.0_build.1", "nodeAgent.tolerations", "nodeAgent.affinity"},
      {"datadog-operator-2.0.0", "", ""},
      {"corp-agent-3.1.0", "", ""},
      {"datadog", "agents.tolerations", "agents.affinity"},
  }));
  CAPTURE(row.chart);
  model::DaemonSet ds;
  ds.meta.name = "node-agent";
  ds.meta.labels = {{"app.kubernetes.io/managed-by", "Helm"}, {"helm.sh/chart", row.chart}};
  const auto place = [&](const std::string& fields) {
    return fields.empty() ? "into the values of the release (the key is not known)"
                          : "into " + fields + " of the values of the release";
  };
  CHECK(owners_of(ds).at(0).place == place(row.tolerations));
  CHECK(owners_of(ds).at(0).tolerations == row.tolerations);
  CHECK(owners_of(ds, {.tolerations = false, .node_affinity = true}).at(0).place ==
        place(row.affinity));
  SECTION("a chart has other values for Windows") {
    ds.pod_template.node_selector = {{"kubernetes.io/os", "windows"}};
    CHECK(owners_of(ds).at(0).place == place(""));
  }
  SECTION("a HelmRelease has them in its specification") {
    ds.meta.labels.set("helm.toolkit.fluxcd.io/name", "agent");
    const Owner owner = owners_of(ds).at(0);
    CHECK(owner.name == "Flux HelmRelease agent");
    CHECK(owner.chart == row.chart);
    const std::string values = "spec.values of the HelmRelease, in its repository";
    CHECK(owner.place == (*row.tolerations == '\0'
                              ? "into " + values + " (the key is not known)"
                              : "into " + std::string(row.tolerations) + " of " + values));
  }
}

TEST_CASE("the place of a change takes the name and component of the DaemonSet into account",
          "[fixes]") {
  model::DaemonSet ds;
  ds.meta.labels = {{"app.kubernetes.io/managed-by", "Helm"}, {"helm.sh/chart", "velero-2.0.0"}};
  ds.meta.name = "restic";
  CHECK(owners_of(ds).at(0).place == "into the values of the release (the key is not known)");
  ds.meta.labels.set("helm.sh/chart", "aws-ebs-csi-driver-2.30.0");
  CHECK(owners_of(ds).at(0).tolerations.empty());
  ds.meta.name = "ebs-csi-node";
  CHECK(owners_of(ds).at(0).tolerations == "node.tolerations");
  ds.meta.labels.set("helm.sh/chart", "datadog-3.70.2");
  ds.meta.labels.set("app.kubernetes.io/component", "host-profiler");
  CHECK(owners_of(ds).at(0).tolerations.empty());
  ds.meta.labels.set("app.kubernetes.io/component", "agent");
  CHECK(owners_of(ds).at(0).tolerations == "agents.tolerations");
  ds.meta.labels.set("helm.sh/chart", "prometheus-node-exporter-4.30.0");
  CHECK(owners_of(ds).at(0).place ==
        "into tolerations of the values of the release (below prometheus-node-exporter if "
        "kube-prometheus-stack includes it)");
  CHECK(owners_of(ds, {.tolerations = true, .node_affinity = true}).at(0).place ==
        "into tolerations and affinity of the values of the release (below "
        "prometheus-node-exporter if kube-prometheus-stack includes it)");
}

TEST_CASE("the place of a change is a field of the operator's object", "[fixes]") {
  model::DaemonSet ds;
  const auto place = [&](const char* api_version, const char* kind, TouchedFields touched = {}) {
    ds.meta.controller = model::ControllerRef{kind, "x", "", api_version};
    return owners_of(ds, touched).at(0).place;
  };
  CHECK(place("datadoghq.com/v2alpha1", "DatadogAgent") ==
        "into spec.override.nodeAgent.tolerations of DatadogAgent/x");
  CHECK(place("datadoghq.com/v1alpha1", "DatadogAgent") ==
        "into DatadogAgent/x, if it has a field for tolerations");
  CHECK(place("", "DatadogAgent") == "into DatadogAgent/x, if it has a field for tolerations");
  CHECK(place("nvidia.com/v1", "ClusterPolicy") ==
        "into spec.daemonsets.tolerations of ClusterPolicy/x");
  CHECK(place("nvidia.com/v1", "ClusterPolicy", {.tolerations = false, .node_affinity = true}) ==
        "into ClusterPolicy/x, if it has a field for node affinity");
  CHECK(place("opentelemetry.io/v1beta1", "OpenTelemetryCollector") ==
        "into spec.tolerations of OpenTelemetryCollector/x");
  CHECK(place("beat.k8s.elastic.co/v1beta1", "Beat") ==
        "into spec.daemonSet.podTemplate.spec.tolerations of Beat/x");
  ds.meta.name = "calico-node";
  CHECK(place("operator.tigera.io/v1", "Installation") ==
        "into spec.calicoNodeDaemonSet.spec.template.spec.tolerations of Installation/x");
  ds.meta.name = "csi-node-driver";
  CHECK(place("operator.tigera.io/v1", "Installation") ==
        "into Installation/x, if it has a field for tolerations");
}
