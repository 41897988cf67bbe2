// SPDX-License-Identifier: Apache-2.0
#include "fixes/owners/template_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace dsdoctor::fixes {
namespace {

// Each row was read in the chart's template at the named commit.
constexpr TemplateSource in_charts[] = {
    {"alloy", "", "", "controller.tolerations", "controller.affinity", "",
     "grafana/alloy operations/helm/charts/alloy/templates/controllers/_pod.yaml 009e5470caa0"},
    {"aws-ebs-csi-driver", "ebs-csi-node", "", "node.tolerations", "node.affinity", "",
     "kubernetes-sigs/aws-ebs-csi-driver charts/aws-ebs-csi-driver/templates/_node.tpl "
     "01db425bdb8f"},
    {"datadog", "", "agent", "agents.tolerations", "agents.affinity", "",
     "DataDog/helm-charts charts/datadog/templates/daemonset.yaml 0045be40bfb6"},
    {"falco", "", "", "tolerations", "affinity", "",
     "falcosecurity/charts charts/falco/templates/pod-template.tpl 026862c73363"},
    {"fluent-bit", "", "", "tolerations", "affinity", "",
     "fluent/helm-charts charts/fluent-bit/templates/_pod.tpl 0589e289bcd2"},
    {"prometheus-node-exporter", "", "", "tolerations", "affinity", "kube-prometheus-stack",
     "prometheus-community/helm-charts charts/prometheus-node-exporter/templates/daemonset.yaml "
     "019319902ead"},
    {"promtail", "", "", "tolerations", "affinity", "",
     "grafana/helm-charts charts/promtail/templates/_pod.tpl 066b5b598f07"},
    {"secrets-store-csi-driver", "", "", "linux.tolerations", "linux.affinity", "",
     "kubernetes-sigs/secrets-store-csi-driver manifest_staging/charts/secrets-store-csi-driver/"
     "templates/secrets-store-csi-driver.yaml 047684045f07"},
    {"vector", "", "", "tolerations", "affinity", "",
     "vectordotdev/helm-charts charts/vector/templates/_pod.tpl 018806326a08"},
    {"velero", "node-agent", "", "nodeAgent.tolerations", "nodeAgent.affinity", "",
     "vmware-tanzu/helm-charts charts/velero/templates/node-agent-daemonset.yaml 070b98a71bd9"},
};

constexpr TemplateSource in_controllers[] = {
    {"beat.k8s.elastic.co/v1beta1 Beat", "", "", "spec.daemonSet.podTemplate.spec.tolerations",
     "spec.daemonSet.podTemplate.spec.affinity", "",
     "elastic/cloud-on-k8s pkg/apis/beat/v1beta1/beat_types.go 00ad553a5386"},
    {"datadoghq.com/v2alpha1 DatadogAgent", "", "", "spec.override.nodeAgent.tolerations",
     "spec.override.nodeAgent.affinity", "",
     "DataDog/datadog-operator docs/configuration.v2alpha1.md 00b974062040"},
    {"nvidia.com/v1 ClusterPolicy", "", "", "spec.daemonsets.tolerations", "", "",
     "NVIDIA/gpu-operator api/nvidia/v1/clusterpolicy_types.go 0266f00f4ab4"},
    {"opentelemetry.io/v1beta1 OpenTelemetryCollector", "", "", "spec.tolerations", "spec.affinity",
     "", "open-telemetry/opentelemetry-operator apis/v1beta1/common.go 01416c28a436"},
    {"operator.tigera.io/v1 Installation", "calico-node", "",
     "spec.calicoNodeDaemonSet.spec.template.spec.tolerations",
     "spec.calicoNodeDaemonSet.spec.template.spec.affinity", "",
     "tigera/operator api/v1/calico_node_types.go 0295dac70f23"},
};

const TemplateSource* find_source(std::span<const TemplateSource> table, std::string_view of,
                                  const model::DaemonSet& ds) {
  const auto* component = ds.meta.labels.find("app.kubernetes.io/component");
  const auto at = std::ranges::find_if(table, [&](const TemplateSource& each) {
    return each.of == of && (each.daemon_set.empty() || ds.meta.name == each.daemon_set) &&
           (each.component.empty() || component == nullptr || *component == each.component);
  });
  return at == table.end() ? nullptr : &*at;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The name in "aws-ebs-csi-driver-2.30.0": all before the version, which is a semantic one.
std::string_view name_of_chart(std::string_view label) {
  for (std::size_t dash = label.find('-'); dash != std::string_view::npos;
       dash = label.find('-', dash + 1)) {
    std::size_t end = dash + 1;
    while (end < label.size() && is_digit(label[end])) ++end;
    if (end > dash + 1 && end < label.size() && label[end] == '.') return label.substr(0, dash);
  }
  return label;
}

/// Charts write a DaemonSet for Windows from other values.
bool is_for_windows(const model::DaemonSet& ds) {
  const auto* os = ds.pod_template.node_selector.find("kubernetes.io/os");
  return os != nullptr && *os == "windows";
}

}  // namespace

const TemplateSource* source_in_chart(const model::DaemonSet& ds, std::string_view chart) {
  if (is_for_windows(ds)) return nullptr;
  return find_source(in_charts, name_of_chart(chart), ds);
}

const TemplateSource* source_in_controller(const model::DaemonSet& ds) {
  if (!ds.meta.controller || is_for_windows(ds)) return nullptr;
  const std::string of =
      fmt::format("{} {}", ds.meta.controller->api_version.view(), ds.meta.controller->kind.view());
  return find_source(in_controllers, of, ds);
}

}  // namespace dsdoctor::fixes
