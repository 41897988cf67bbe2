// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "model/cluster.h"

/// The behaviour of Kubernetes that differs between releases.
namespace dsdoctor::model {

/// A release of Kubernetes 1.
struct Release {
  int minor = 0;
  int patch = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the generated comparison
  friend auto operator<=>(const Release&, const Release&) = default;
};

/// How the release of a cluster is known. A kubelet is never newer than its API server, so
/// kubelets give a lower bound.
enum class ReleaseSource : std::uint8_t { Server, Kubelets, Unknown };

struct ClusterRelease {
  Release release;  // of Unknown the newest one
  ReleaseSource source = ReleaseSource::Unknown;
};

enum class ReleaseRule : std::uint8_t {
  /// Pods that are both terminal (Failed, Succeeded) and terminating do not occupy their node.
  IgnoresTerminalTerminatingPods,
  /// Succeeded pods are deleted and replaced.
  ReplacesSucceededPods,
  /// A pod is available at exactly minReadySeconds after it became ready.
  AvailableAtBoundary,
  /// An owner reference counts only with the kind and the name of its owner, not by UID alone.
  OwnerByKindAndName,
  /// A NoSchedule taint added to a node whose pod may stay leaves the status as it was, until
  /// something else changes the DaemonSet or its pods.
  NodeChangesMayLeaveStatusStale,
  /// The controller adds today's six tolerations to each pod.
  AddsAllTolerations,
  /// The controller reads revisions by name.
  GetsRevisions,
  /// `resource.k8s.io/v1` has DeviceClasses.
  DeviceClassesV1,
  /// `resource.k8s.io/v1beta2` and `resource.k8s.io/v1` have DeviceTaintRules.
  DeviceTaintRulesV1Beta2,
  DeviceTaintRulesV1,
  /// A toleration of a device's taint without effect also counts for NoExecute.
  DeviceTolerationsOfAnyEffect,
  /// Lists are answered from the API server's cache, which is indexed by node.
  ListsFromCache,
  /// Tolerations may have the operators Gt and Lt.
  ComparisonOperators,
  /// The scheduler compares the requests of a pod's spec with those of its status as sums over all
  /// containers; `status.allocatedResources` of the pod is such a sum.
  ComparesRequestsOfWholePods,
  /// `scheduling.k8s.io/v1beta1` has PodGroups; before, v1alpha2 has them.
  PodGroupsV1beta1,
};

/// From which patch releases on a rule applies.
struct ReleaseRuleEntry {
  ReleaseRule rule;
  std::array<Release, 3> since;  // a backport for its minor alone; the last one has no end
  std::size_t count;             // of `since`
  std::string_view source;       // in Kubernetes' tree
};

/// The newest release whose sources were compared with these rules.
inline constexpr Release newest_known_release = {37, 2};

/// The newest release of which single rules were read, from 1.38.0-beta.0.
inline constexpr Release newest_read_release = {38, 0};

namespace detail {
inline constexpr std::string_view controller = "pkg/controller/daemon/daemon_controller.go";
}  // namespace detail

/// In the order of ReleaseRule.
inline constexpr ReleaseRuleEntry release_rules[] = {
    {ReleaseRule::IgnoresTerminalTerminatingPods,
     {{{26, 7}, {27, 4}, {28, 0}}},
     3,
     detail::controller},
    {ReleaseRule::ReplacesSucceededPods, {{{26, 5}, {27, 0}}}, 2, detail::controller},
    {ReleaseRule::AvailableAtBoundary, {{{34, 0}}}, 1, "pkg/api/v1/pod/util.go"},
    {ReleaseRule::OwnerByKindAndName, {{{33, 0}}}, 1, detail::controller},
    {ReleaseRule::NodeChangesMayLeaveStatusStale, {{{33, 0}}}, 1, detail::controller},
    {ReleaseRule::AddsAllTolerations,
     {{{14, 0}}},
     1,
     "pkg/controller/daemon/util/daemonset_util.go"},
    {ReleaseRule::GetsRevisions,
     {{{11, 0}}},
     1,
     "plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go"},
    {ReleaseRule::DeviceClassesV1, {{{34, 0}}}, 1, "pkg/apis/resource/v1/register.go"},
    {ReleaseRule::DeviceTaintRulesV1Beta2, {{{36, 0}}}, 1, "pkg/apis/resource/v1beta2/register.go"},
    {ReleaseRule::DeviceTaintRulesV1, {{{37, 0}}}, 1, "pkg/apis/resource/v1/register.go"},
    {ReleaseRule::DeviceTolerationsOfAnyEffect,
     {{{38, 0}}},
     1,
     "pkg/controller/devicetainteviction/device_taint_eviction.go"},
    {ReleaseRule::ListsFromCache,
     {{{31, 0}}},
     1,
     "staging/src/k8s.io/apiserver/pkg/features/kube_features.go"},
    {ReleaseRule::ComparisonOperators, {{{35, 0}}}, 1, "pkg/features/kube_features.go"},
    {ReleaseRule::ComparesRequestsOfWholePods,
     {{{37, 0}}},
     1,
     "staging/src/k8s.io/component-helpers/resource/helpers.go"},
    {ReleaseRule::PodGroupsV1beta1,
     {{{37, 0}}},
     1,
     "staging/src/k8s.io/api/scheduling/v1beta1/register.go"},
};

/// "1.37"
[[nodiscard]] inline std::string to_string(Release release) {
  return "1." + std::to_string(release.minor);
}

/// "1.37.2"
[[nodiscard]] inline std::string full_text(Release release) {
  return to_string(release) + "." + std::to_string(release.patch);
}

[[nodiscard]] constexpr bool applies(ReleaseRule rule, Release release) {
  const ReleaseRuleEntry& entry = release_rules[static_cast<std::size_t>(rule)];
  const std::span<const Release> since(entry.since.data(), entry.count);
  if (release >= since.back()) return true;
  return std::ranges::any_of(since, [&](Release first) {
    return release.minor == first.minor && release.patch >= first.patch;
  });
}

/// 1.29.3 of "v1.29.3-eks-1"; nothing where the text is of another form.
[[nodiscard]] inline std::optional<Release> parse_release(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  if (!version.starts_with("1.")) return std::nullopt;
  const char* const end = version.data() + version.size();
  Release result;
  const auto minor = std::from_chars(version.data() + 2, end, result.minor);
  if (minor.ec != std::errc() || result.minor < 0) return std::nullopt;
  if (minor.ptr != end && *minor.ptr == '.') {
    std::from_chars(minor.ptr + 1, end, result.patch);
    result.patch = std::max(result.patch, 0);
  }
  return result;
}

/// The release of a server; nothing if its version is not one of Kubernetes 1. The numbers of the
/// API come first: vendors have versions of their own in the text.
[[nodiscard]] inline std::optional<Release> release_of(const ServerVersion& version) {
  if (version.major == 1 && version.minor > 0) return Release{version.minor, version.patch};
  return parse_release(version.git_version);
}

/// The API server's release; if it is not known, that of the newest kubelet; else the newest.
[[nodiscard]] inline ClusterRelease release_of(const Cluster& cluster) {
  if (cluster.version) {
    if (const auto release = release_of(*cluster.version)) return {*release, ReleaseSource::Server};
  }
  std::optional<Release> newest;
  for (const Node& node : cluster.nodes)
    newest = std::max(newest, parse_release(node.kubelet_version));
  if (newest) return {*newest, ReleaseSource::Kubelets};
  return {newest_known_release, ReleaseSource::Unknown};
}

/// Whether the cluster's release is newer than those that were compared with the rules.
[[nodiscard]] constexpr bool is_newer_than_known(const ClusterRelease& of) {
  return of.release.minor > newest_known_release.minor;
}

/// The rule applies, and this does not rest on the assumption that an unknown release is new.
[[nodiscard]] inline bool is_known_to_apply(ReleaseRule rule, const Cluster& cluster) {
  const ClusterRelease of = release_of(cluster);
  return of.source != ReleaseSource::Unknown && applies(rule, of.release);
}

}  // namespace dsdoctor::model
