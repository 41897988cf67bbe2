// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence/workload_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace dsdoctor::diagnosis {
std::string normal_path(std::string_view path) {
  std::string result;
  for (const char c : path) {
    if (c != '/' || !result.ends_with('/')) result += c;
  }
  if (result.size() > 1 && result.ends_with('/')) result.pop_back();
  return result;
}

bool is_within(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

namespace {

using Paths = std::initializer_list<std::string_view>;

/// Whether a container can write to the volume; true if no mount of it is known.
bool is_writable(const model::PodTemplate& of, const model::Volume& volume) {
  bool is_mounted = false;
  for (const auto* containers : {&of.spec.init_containers, &of.spec.containers}) {
    for (const model::Container& container : *containers) {
      for (const model::VolumeMount& mount : container.mounts) {
        if (mount.name != volume.name) continue;
        if (!mount.read_only) return true;
        is_mounted = true;
      }
    }
  }
  return !is_mounted;
}

enum class Access { Any, Write };

/// The host path of the template at one of `folders` or below; empty if there is none.
std::string host_path_within(const model::PodTemplate& of, Paths folders,
                             Access access = Access::Any) {
  for (const model::Volume& volume : of.spec.volumes) {
    if (volume.kind != "hostPath") continue;
    if (access == Access::Write && !is_writable(of, volume)) continue;
    const std::string path = normal_path(volume.source);
    if (std::ranges::any_of(folders, [&](auto folder) { return is_within(path, folder); })) {
      return fmt::format("hostPath {}", path);
    }
  }
  return {};
}

std::string sign_of_cni(const model::PodTemplate& of) {
  return host_path_within(of, {"/etc/cni", "/opt/cni"}, Access::Write);
}

std::string sign_of_csi(const model::PodTemplate& of) {
  for (const model::Container& container : of.spec.containers) {
    if (container.image.view().find("csi-node-driver-registrar") != std::string_view::npos) {
      return fmt::format("image {}", container.image.view());
    }
  }
  return host_path_within(of, {"/var/lib/kubelet/plugins", "/var/lib/kubelet/plugins_registry",
                               "/var/lib/kubelet/csi-plugins"});
}

/// Whether the extended resource belongs to a vendor of accelerators.
bool is_accelerator(std::string_view resource) {
  constexpr std::string_view domains[] = {"nvidia.com/",    "amd.com/",   "aws.amazon.com/neuron",
                                          "google.com/tpu", "habana.ai/", "gpu.intel.com/"};
  return std::ranges::any_of(domains, [&](auto domain) { return resource.starts_with(domain); });
}

std::string sign_of_device_plugin(const model::PodTemplate& of) {
  std::string path = host_path_within(of, {"/var/lib/kubelet/device-plugins"});
  if (!path.empty()) return path;
  for (const model::Container& container : of.spec.containers) {
    for (const model::Labels* resources : {&container.requests, &container.limits}) {
      for (const auto& [name, quantity] : *resources) {
        if (is_accelerator(name)) return fmt::format("resource {}", name.view());
      }
    }
  }
  return {};
}

std::string sign_of_node_agent(const model::PodTemplate& of) {
  if (of.spec.host_pid) return "hostPID";
  const bool whole_node = std::ranges::any_of(of.spec.volumes, [](const model::Volume& volume) {
    return volume.kind == "hostPath" && normal_path(volume.source) == "/";
  });
  if (whole_node) return "hostPath /";
  return host_path_within(of, {"/var/log",
                               "/proc",
                               "/sys",
                               "/dev",
                               "/lib/modules",
                               "/usr/lib/modules",
                               "/usr/src",
                               "/boot",
                               "/etc/machine-id",
                               "/var/lib/docker",
                               "/var/lib/containerd",
                               "/var/lib/kubelet",
                               "/run/containerd",
                               "/run/crio",
                               "/run/docker.sock",
                               "/run/dbus",
                               "/run/systemd",
                               "/run/udev",
                               "/run/xtables.lock",
                               "/var/run/containerd",
                               "/var/run/crio",
                               "/var/run/docker.sock",
                               "/var/run/dbus",
                               "/var/run/systemd"});
}

}  // namespace

Workload workload_of(const model::PodTemplate& pod_template) {
  if (auto sign = sign_of_cni(pod_template); !sign.empty()) return {WorkloadKind::Cni, sign};
  if (auto sign = sign_of_csi(pod_template); !sign.empty()) return {WorkloadKind::Csi, sign};
  if (auto sign = sign_of_device_plugin(pod_template); !sign.empty()) {
    return {WorkloadKind::DevicePlugin, sign};
  }
  if (auto sign = sign_of_node_agent(pod_template); !sign.empty()) {
    return {WorkloadKind::NodeAgent, sign};
  }
  return {};
}

bool writes_network_plugins(const model::PodTemplate& pod_template) {
  return !sign_of_cni(pod_template).empty();
}

model::Advised advised_for(const model::KnownTaint& known, WorkloadKind kind) {
  return kind == WorkloadKind::General ? known.in_general : known.for_node_agents;
}

std::string_view to_string(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::General: return "general";
    case WorkloadKind::NodeAgent: return "node-agent";
    case WorkloadKind::Cni: return "cni";
    case WorkloadKind::Csi: return "csi";
    case WorkloadKind::DevicePlugin: return "device-plugin";
  }
  std::abort();
}

std::string_view plural(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::General: return "DaemonSets";
    case WorkloadKind::NodeAgent: return "node agents";
    case WorkloadKind::Cni: return "network plugins";
    case WorkloadKind::Csi: return "volume drivers";
    case WorkloadKind::DevicePlugin: return "device plugins";
  }
  std::abort();
}

}  // namespace dsdoctor::diagnosis
