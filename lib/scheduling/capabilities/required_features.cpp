// SPDX-License-Identifier: Apache-2.0
#include "scheduling/capabilities/required_features.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace dsdoctor::scheduling {
namespace {

struct NeededBy {
  std::string path;
  std::string value;
};

/// Calls `visit(container, path)` until it returns a field; containers first, as the plugin does.
template <typename Visit>
std::optional<NeededBy> first_in_containers(const model::PodSpec& spec, const Visit& visit) {
  const auto in = [&](const std::vector<model::Container>& list,
                      const std::string& name) -> std::optional<NeededBy> {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (auto found = visit(list[i], name + "[" + std::to_string(i) + "]")) return found;
    }
    return std::nullopt;
  };
  if (auto found = in(spec.containers, "containers")) return found;
  return in(spec.init_containers, "initContainers");
}

std::optional<NeededBy> restarts_all(const model::PodSpec& spec) {
  return first_in_containers(
      spec, [](const model::Container& one, const std::string& path) -> std::optional<NeededBy> {
        const auto at = std::ranges::find(one.restart_actions, "RestartAllContainers");
        if (at == one.restart_actions.end()) return std::nullopt;
        const auto index = std::to_string(at - one.restart_actions.begin());
        return NeededBy{path + ".restartPolicyRules[" + index + "].action", at->str()};
      });
}

std::optional<NeededBy> bind_options(const model::PodSpec& spec) {
  return first_in_containers(
      spec, [](const model::Container& one, const std::string& path) -> std::optional<NeededBy> {
        const auto mount = std::ranges::find_if(
            one.mounts, [](const model::VolumeMount& m) { return !m.bind_options.empty(); });
        if (mount == one.mounts.end()) return std::nullopt;
        return NeededBy{
            path + ".volumeMounts[?(@.name==\"" + mount->name.str() + "\")].bindMountOptions",
            mount->bind_options.front().str()};
      });
}

std::optional<NeededBy> ml_dsa_key(const model::PodSpec& spec) {
  for (const model::Volume& volume : spec.volumes) {
    if (volume.certificate_key.empty()) continue;
    return NeededBy{"volumes[?(@.name==\"" + volume.name.str() +
                        "\")].projected.sources[*].podCertificate.keyType",
                    volume.certificate_key.str()};
  }
  return std::nullopt;
}

std::optional<NeededBy> oci_seccomp(const model::PodSpec& spec) {
  constexpr std::string_view oci = "OCI";
  if (spec.seccomp_type == oci) {
    return NeededBy{"securityContext.seccompProfile.type", std::string(oci)};
  }
  return first_in_containers(
      spec, [&](const model::Container& one, const std::string& path) -> std::optional<NeededBy> {
        if (one.seccomp_type != oci) return std::nullopt;
        return NeededBy{path + ".securityContext.seccompProfile.type", std::string(oci)};
      });
}

/// Both fields require it together; the second one is opt-in.
std::optional<NeededBy> own_users_on_host_network(const model::PodSpec& spec, bool host_network) {
  if (!host_network || spec.host_users.value_or(true)) return std::nullopt;
  return NeededBy{"hostUsers", "false"};
}

constexpr NodeFeature node_features[] = {
    {"PodCertificateMLDSA", 38, false},   {"RestartAllContainersOnContainerExits", 36, false},
    {"SecurityProfileOCI", 38, true},     {"UserNamespacesHostNetworkSupport", 36, true},
    {"VolumeBindMountOptions", 37, true},
};

/// `index`: in node_features.
std::optional<NeededBy> need_of(std::size_t index, const model::PodSpec& spec, bool host_network) {
  switch (index) {
    case 0: return ml_dsa_key(spec);
    case 1: return restarts_all(spec);
    case 2: return oci_seccomp(spec);
    case 3: return own_users_on_host_network(spec, host_network);
    default: return bind_options(spec);
  }
}

}  // namespace

const NodeFeature* find_node_feature(std::string_view name) {
  const auto* at = std::ranges::find(node_features, name, &NodeFeature::name);
  return at == std::end(node_features) ? nullptr : at;
}

FeatureNeeds required_features(const model::PodSpec& spec, bool host_network,
                               model::Release release) {
  FeatureNeeds result;
  for (std::size_t i = 0; i < std::size(node_features); ++i) {
    if (release.minor < node_features[i].since) continue;
    auto need = need_of(i, spec, host_network);
    if (need) result.push_back({&node_features[i], std::move(need->path), std::move(need->value)});
  }
  return result;
}

bool declares(const model::Node& node, const NodeFeature& feature) {
  return std::ranges::find(node.declared_features, feature.name, [](const model::Text& one) {
           return one.view();
         }) != node.declared_features.end();
}

FeatureLack feature_lack(const model::Node& node, const NodeFeature& feature) {
  const auto kubelet = model::parse_release(node.kubelet_version);
  if (!kubelet) return FeatureLack::KubeletUnknown;
  return kubelet->minor < feature.since ? FeatureLack::KubeletTooOld : FeatureLack::GateOff;
}

}  // namespace dsdoctor::scheduling
