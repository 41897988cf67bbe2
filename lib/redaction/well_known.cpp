#include "redaction/well_known.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "base/text.h"

namespace dsdoctor::redaction {
namespace {

/// Words of a text, parted by white space.
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

bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// Users that have a name of the cluster behind their front.
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

bool is_common(std::string_view word) {
  // What Kubernetes, its runtimes and registries say, the folders and labels that a diagnosis
  // knows, and what half of all containers and volumes are called.
  static const WordSet common(R"(
  access account admission agent all already amd64 and anon api apiserver app application apply
  apps args arm64 attach authentication authorized available back-off bash bind boot bootstrap bpf
  cache cannot cert certificate certs cgroup claim client cloud cluster cni command conf config
  configmap connection container containerd containers control controller controllers cpu crash
  create created crio critical csi csi-node-driver-registrar csi-plugins daemon daemonset
  daemonsets data dbus deadline default delete deleted denied deny deployment dev device
  device-plugin device-plugins devices dial directory disabled disk dns docker docker.sock driver
  dry-run ebpf enabled endpoint entry env error errors etc event evict eviction example exec exist
  existent existing exit extended failed failure false fargate file files for forbidden format
  found from get gpu grpc handler health healthy helm helpful high home host hostname hostpath
  hosts http https id image images info ingress init inspect install insufficient interface
  internal invalid iptables job jobs json kernel key kube kubectl kubelet kubernetes kubernetes.io
  label labels latest level lib libexec library limit linux list liveness liveness-probe local
  localhost lock log logging logs low machine machine-id main manager manifest many map master mem
  memory message metadata metrics mode modules monitor mount mounts name namespace namespaces net
  network network-plugin never no-provisioner nobody node nodes non-exist non-existent
  non-existing none nonexistent normal not object openshift operator opt other owner panic patch
  path permission pid plugin plugins plugins_registry pod pods policy port post preemption
  pressure priority probe proc process profile prometheus protocol provisioner proxy public pull
  pvc queue quota rbac reached read readiness readiness-probe ready reason reconcile redacted
  refused registrar registration registry release reload reloader repository request reserved
  reset resource resources restart revision role root rule run runc runtime sandbox scheduled
  scheduler script scripts secret secrets security selector server service serviceaccount
  serviceaccounts services serving session set setup shared shell shutdown sidecar sock socket
  source space spec spool src stage staging start started starting startup state status std stop
  storage sys system systemd table taint taints task tcp temp template terminating text the tiller
  time timeout tls tmp token tolerate tools toomanyrequests topology true trust type udev udp
  unauthorized unhealthy unknown update upgrade url user users usr util utils value values var
  version victims view virtual-kubelet volume volumes wait waiting warning watch webhook windows
  with worker x509 xtables.lock yaml zone)");
  constexpr std::size_t too_short = 3;
  constexpr std::size_t longest = 32;
  if (word.size() > longest) return false;
  if (is_number(word)) return true;
  if (word.size() < too_short) return std::ranges::none_of(word, is_digit);
  std::array<char, longest> lower{};
  std::ranges::transform(word, lower.begin(), base::to_lower);
  return common.holds(std::string_view(lower.data(), word.size()));
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

bool is_known_server(std::string_view name) {
  static const WordSet servers(R"(
  auth.docker.io docker.io gcr.io ghcr.io index.docker.io k8s.gcr.io localhost mcr.microsoft.com
  nvcr.io production.cloudflare.docker.com public.ecr.aws quay.io registry-1.docker.io
  registry.k8s.io)");
  return servers.holds(name);
}

}  // namespace dsdoctor::redaction
