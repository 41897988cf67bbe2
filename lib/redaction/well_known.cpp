// SPDX-License-Identifier: Apache-2.0
#include "redaction/well_known.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "base/text.h"

namespace dsdoctor::redaction {
namespace {

/// The words of a text, separated by white space.
class WordSet {
 public:
  explicit WordSet(std::string_view text) {
    constexpr std::string_view blank = " \n";
    for (std::size_t at = text.find_first_not_of(blank); at != text.npos;) {
      const std::size_t end = std::min(text.find_first_of(blank, at), text.size());
      words_.insert(text.substr(at, end - at));
      at = text.find_first_not_of(blank, end);
    }
  }
  [[nodiscard]] bool holds(std::string_view word) const { return words_.contains(word); }

 private:
  std::unordered_set<std::string_view> words_;
};

using base::is_digit;

/// The number of digits of a number; 0 for other texts.
std::size_t digits_of(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return std::ranges::all_of(text, is_digit) ? text.size() : 0;
}

/// Prefixes of users that are followed by a name of the cluster.
constexpr std::string_view fronts[] = {
    "system:node:", "system:serviceaccount:", "system:serviceaccounts:"};

}  // namespace

bool is_reserved(std::string_view name) {
  static const WordSet reserved(R"(
  cluster-admin daemon-set-controller default default-scheduler false kube-controller-manager
  kube-node-lease kube-public kube-scheduler kube-system system-cluster-critical
  system-node-critical true)");
  if (name.empty() || reserved.holds(name)) return true;
  return name.starts_with("system:") && std::ranges::none_of(fronts, [&](std::string_view front) {
           return name.starts_with(front);
         });
}

bool is_listed(std::string_view word) {
  static const WordSet listed(
#include "redaction/well_known_words.inc"
  );
  constexpr std::size_t longest = 40;
  if (word.empty() || word.size() > longest) return false;
  std::array<char, longest> lower{};
  std::ranges::transform(word, lower.begin(), base::to_lower);
  return listed.holds(std::string_view(lower.data(), word.size()));
}

bool is_common(std::string_view word) {
  constexpr std::size_t too_short = 3;
  if (const std::size_t digits = digits_of(word); digits > 0) return digits < digits_of_account;
  if (word.size() < too_short && std::ranges::all_of(word, base::is_letter)) return true;
  return is_listed(word);
}

bool is_known_program(std::string_view name) {
  static const WordSet programs(R"(
  Go-http-client ancient-changes argocd-application-controller argocd-controller argocd-server
  attachdetach-controller aws-cloud-controller-manager azure-cloud-controller-manager
  before-first-apply cloud-controller-manager cloud-node-controller
  cloud-node-lifecycle-controller cluster-autoscaler controllermanager cronjob-controller
  daemonset-controller default-scheduler deployment-controller eks endpoint-controller
  endpoint-slice-controller gcp-cloud-controller-manager helm helm-controller
  horizontal-pod-autoscaler job-controller karpenter kernel-monitor kube-apiserver
  kube-controller-manager kube-proxy kube-scheduler kubeadm kubectl kubectl-annotate
  kubectl-client-side-apply kubectl-create kubectl-edit kubectl-label kubectl-patch
  kubectl-replace kubectl-rollout kubectl-scale kubectl-set kubectl-taint kubelet
  kustomize-controller nfd-master node-controller node-problem-detector
  persistentvolume-controller replicaset-controller resource-claim-controller service-controller
  statefulset-controller taint-controller taint-eviction-controller ttl-controller)");
  return programs.holds(name);
}

bool is_known_driver(std::string_view name) {
  static const WordSet drivers(R"(
  blob.csi.azure.com cephfs.csi.ceph.com cinder.csi.openstack.org csi.cert-manager.io
  csi.hetzner.cloud csi.spiffe.io csi.tigera.io csi.trident.netapp.io csi.vsphere.vmware.com
  disk.csi.azure.com dobs.csi.digitalocean.com driver.longhorn.io ebs.csi.aws.com efs.csi.aws.com
  file.csi.azure.com filestore.csi.storage.gke.io fsx.csi.aws.com gcsfuse.csi.storage.gke.io
  hostpath.csi.k8s.io nfs.csi.k8s.io pd.csi.storage.gke.io rancher.io/local-path rbd.csi.ceph.com
  s3.csi.aws.com secrets-store.csi.k8s.io smb.csi.k8s.io)");
  return name.starts_with("kubernetes.io/") || drivers.holds(name);
}

bool is_known_handler(std::string_view name) {
  static const WordSet handlers(R"(
  crun docker gvisor kata kata-clh kata-fc kata-qemu nvidia nvidia-cdi nvidia-legacy runc runsc
  spin wasmedge wasmtime youki)");
  return handlers.holds(name);
}

}  // namespace dsdoctor::redaction
