// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/failure_text.h"

#include <catch2/catch.hpp>
#include <string>

using namespace dsdoctor::diagnosis;

namespace {

struct Case {
  const char* text;
  const char* key;
};

}  // namespace

TEST_CASE("a volume failure has the meaning of its text", "[diagnosis][failure-text]") {
  const Case row = GENERATE(values<Case>({
      {"Multi-Attach error for volume \"pvc-1\" Volume is already used by pod(s) web-0",
       "elsewhere"},
      {"driver name secrets-store.csi.k8s.io not found in the list of registered CSI drivers",
       "driver"},
      {"AttachVolume.Attach failed for volume \"pvc-1\" : CSINode n1 does not contain driver x",
       "driver"},
      {"failed to mount secrets store objects for pod default/mypod, err: error connecting to "
       "provider \"gcp\": provider not found: provider \"gcp\"",
       "provider"},
      {"MountVolume.SetUp failed for volume \"tls\" : secret \"agent-tls\" not found", "object"},
      {"configmap references non-existent config key: agent.yaml", "object"},
      {"failed to mount secrets store objects, err: Failed to fetch secret from all regions: a",
       "other"},
      {"failed to sync configmap cache: timed out waiting for the condition", "unread"},
      {"object \"mon\"/\"agent-conf\" not registered", "unread"},
      {"hostPath type check failed: /lib/modules is not a directory", "path"},
      {"MountVolume.NewMounter initialization failed for volume \"local-pv\" : path "
       "\"/mnt/disks/ssd1\" does not exist",
       "path"},
      {"The maximum number of data disks allowed to be attached to a VM of this size is 4.",
       "count"},
      {"write /var/lib/kubelet/pods/9c/agent.yaml: no space left on device", "disk"},
      {"mount.nfs: access denied by server while mounting 10.1.1.4:/export", "denied"},
      {"UnauthorizedOperation: You are not authorized to perform this operation.", "denied"},
      {"bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.<type> "
       "helper program.",
       "helper"},
      {"timed out waiting for external-attacher of ebs.csi.aws.com CSI driver to attach volume v",
       "attacher"},
      {"an operation with the given Volume ID 0001 already exists", "busy"},
      {"'fsck' found errors on device /dev/nvme1n1 but could not correct them", "damaged"},
      {"chown /var/lib/kubelet/pods/x: read-only file system", "read-only"},
      {"Output: Failed to resolve \"fs-0a.efs.us-east-1.amazonaws.com\" - check that your file "
       "system ID is correct",
       "host"},
      {"rbd: map failed: (110) Connection timed out", "network"},
      {"rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while "
       "dialing: dial unix /var/lib/kubelet/plugins/ebs.csi.aws.com/csi.sock: connect: connection "
       "refused\"",
       "socket"},
      {"dial unix /var/run/storage.sock: connect: connection refused", "network"},
      {"MountVolume.SetUp failed for volume \"kube-api-access-k7x2p\" : failed to fetch token: "
       "Post "
       "\"https://10.0.0.5:6443/api/v1/namespaces/mon/serviceaccounts/agent/token\": dial tcp "
       "10.0.0.5:6443: connect: connection refused",
       "unread"},
      {"error processing PVC mon/data: failed to fetch PVC from API server: Get "
       "\"https://10.0.0.5:6443/api\": net/http: TLS handshake timeout",
       "unread"},
      {"failed to fetch token: serviceaccounts \"agent\" not found", "object"},
      {"failed to fetch token: serviceaccounts \"agent\" is forbidden", "other"},
      {"Unable to attach or mount volumes: timed out waiting for the condition", "slow"},
      {"blkUtil.AttachFileDevice failed", "other"},
      {"", "other"},
  }));
  CAPTURE(row.text);
  CHECK(std::string(meaning_for_volume(row.text).key) == row.key);
}

TEST_CASE("a sandbox failure has the meaning of its text", "[diagnosis][failure-text]") {
  const Case row = GENERATE(values<Case>({
      {"plugin type=\"aws-cni\" failed (add): add cmd: failed to assign an IP address to container",
       "addresses"},
      {"failed to request IPv4 addresses: Assigned 0 out of 1 requested IPv4 addresses; No more "
       "free affine blocks and strict affinity enabled",
       "addresses"},
      {"error at storage engine: Could not allocate IP in range: ip: 10.10.0.10 / - 10.10.0.20",
       "addresses"},
      {"unable to allocate IP via local cilium agent: [POST /ipam][502] postIpamFailure \"range is "
       "full\"",
       "addresses"},
      {"plugin type=\"calico\" failed (add): failed to find plugin \"calico-ipam\" in path "
       "[/opt/cni/bin]",
       "binary"},
      {"plugin type='azure-vnet' failed (add): IPAM Invoker Add failed with error: Failed to get "
       "IP "
       "address from CNS: Post 'http://localhost:10090/network/requestipconfig': dial tcp "
       "127.0.0.1:10090: connect: connection refused",
       "cni"},
      {"plugin type=\"cilium-cni\" failed (add): unable to allocate IP via local cilium agent: "
       "Post "
       "\"http://localhost/v1/ipam?family=ipv4\": context deadline exceeded",
       "cni"},
      {"plugin type=\"calico\" failed (add): error getting ClusterInformation: Unauthorized",
       "cni"},
      {"networkPlugin cni failed to set up pod \"a_b\" network: open /run/flannel/subnet.env: no "
       "such file or directory",
       "cni"},
      {"No CNI configuration file in /etc/cni/net.d/. Has your network provider started?", "cni"},
      {"failed to create a sandbox for pod \"istio-cni-node-zq5dk\": Error response from daemon: "
       "cgroup-parent for systemd cgroup should be a valid slice named as \"xxx.slice\"",
       "cgroup-driver"},
      {"expected cgroupsPath to be of format \"slice:prefix:name\" for systemd cgroups",
       "cgroup-driver"},
      {"write /sys/fs/cgroup/pids/kubepods/pod1/cgroup.procs: no space left on device", "cgroup"},
      {"cgroups: cgroup mountpoint does not exist", "cgroup"},
      {"plugin type=\"multus-shim\" failed (add): CNI request failed with status 400: 'ERRORED: "
       "error configuring pod [mon/cgroup-exporter-aaaaa] networking: timed out'",
       "cni"},
      {"mkdir /run/containerd/task/85c0: no space left on device", "disk"},
      {"RuntimeHandler \"kata\" not supported", "handler"},
      {"failed to get sandbox image \"registry.k8s.io/pause:3.6\": no such host", "image"},
      {"name \"agent_mon_6d1_0\" is reserved for \"d5f7\"", "name"},
      {"cannot open hostport 9100: listen tcp4 :9100: bind: address already in use", "port"},
      {"rpc error: code = DeadlineExceeded desc = context deadline exceeded", "slow"},
      {"connection error: desc = \"transport: Error while dialing: dial unix "
       "/run/containerd/containerd.sock: connect: connection refused\"",
       "slow"},
      {"failed to start shim: fork/exec: resource temporarily unavailable", "other"},
      {"", "other"},
  }));
  CAPTURE(row.text);
  CHECK(std::string(meaning_for_sandbox(row.text).key) == row.key);
}

TEST_CASE("a missing runtime handler is grouped by its name", "[diagnosis][failure-text]") {
  const Case row = GENERATE(values<Case>({
      {"failed to get sandbox runtime: no runtime for \"kata\" is configured", "handler|kata"},
      {"RuntimeHandler \"gvisor\" not supported", "handler|gvisor"},
      {"failed to find runtime handler kata from runtime list map[runc:1]", "handler|kata"},
      {"unknown runtime", "handler|"},
      {"no runtime for \"", "handler|"},
      {"something new", "other"},
  }));
  CAPTURE(row.text);
  CHECK(sandbox_group(meaning_for_sandbox(row.text), row.text) == row.key);
}
