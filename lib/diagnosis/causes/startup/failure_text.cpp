#include "diagnosis/causes/startup/failure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "diagnosis/causes/startup/missing_object.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

/// What a text means that holds one of `any`, and one of `also` where there are such words.
template <typename Failure>
struct MeaningRow {
  Meaning<Failure> meaning;
  std::array<std::string_view, 12> any;
  std::array<std::string_view, 8> also = {};
  bool apart = false;  // a word of `any` counts only where it is no part of a name
};

/// What cannot be reached where the container runtime is down.
constexpr std::array<std::string_view, 12> runtime_sockets = {
    "dial unix /run/containerd", "dial unix /run/crio", "dial unix /var/run/crio",
    "dial unix /run/cri-dockerd", "dial unix /var/run/docker"};

/// Letters of either case are alike; trailing words of the rows are empty.
bool holds_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return !word.empty() && mentions(text, word); });
}

/// Of "cgroup" and "cgroups:", not of "cgroup-exporter".
bool holds_apart(std::string_view text, std::string_view word) {
  const std::string lower = base::lower_case(text.substr(0, 4096));
  const auto in_name = [&](std::size_t at) {
    return at < lower.size() &&
           (base::is_alphanumeric(lower[at]) || lower[at] == '-' || lower[at] == '_');
  };
  for (std::size_t at = 0; (at = lower.find(word, at)) != lower.npos; at += word.size()) {
    const std::size_t end = at + word.size();
    const std::size_t plural = end < lower.size() && lower[end] == 's' ? 1 : 0;
    if (!in_name(end + plural) && (at == 0 || !in_name(at - 1))) return true;
  }
  return false;
}

template <typename Failure>
bool fits(const MeaningRow<Failure>& row, std::string_view text) {
  const bool is_there = row.apart ? holds_apart(text, row.any[0]) : holds_one_of(text, row.any);
  return is_there && (row.also[0].empty() || holds_one_of(text, row.also));
}

/// The first row that fits: the more telling words stand first.
template <typename Failure, std::size_t N>
Meaning<Failure> first_meaning(const std::array<MeaningRow<Failure>, N>& rows,
                               std::string_view text) {
  for (const MeaningRow<Failure>& row : rows) {
    if (fits(row, text)) return row.meaning;
  }
  return {Failure::Other, "", "other"};
}

using VolumeRow = MeaningRow<VolumeFailure>;

constexpr std::array before_objects = {
    VolumeRow{{VolumeFailure::Elsewhere, "its volume is attached to another node", "elsewhere"},
              {"Multi-Attach error"}},
    VolumeRow{{VolumeFailure::Provider, "the Secrets Store provider does not run on the node",
               "provider"},
              {"provider not found", "error connecting to provider"}},
    VolumeRow{{VolumeFailure::Driver, "the CSI driver is not registered on the node", "driver"},
              {"not found in the list of registered CSI drivers", "CSINode", "no CSI driver",
               "driver name"}},
};

constexpr std::array after_objects = {
    VolumeRow{
        {VolumeFailure::Unread, "the kubelet has not read the object that it is made of", "unread"},
        {"failed to sync configmap cache", "failed to sync secret cache", "\" not registered"}},
    VolumeRow{{VolumeFailure::Unread, "the kubelet cannot reach the API server", "unread"},
              {"failed to fetch token", "failed to fetch PVC from API server"},
              {"connection refused", "connection reset", "i/o timeout", "no route to host",
               "no such host", "deadline exceeded", "Client.Timeout", "TLS handshake timeout"}},
    VolumeRow{{VolumeFailure::Driver, "the CSI driver on the node does not answer", "socket"},
              {"dial unix"},
              {"csi.sock", "/plugins/"}},
    VolumeRow{{VolumeFailure::Path, "the hostPath is missing or has another type", "path"},
              {"hostPath type check failed"}},
    VolumeRow{{VolumeFailure::Path, "its path does not exist on the node", "path"},
              {": path \""},
              {"\" does not exist"}},
    VolumeRow{{VolumeFailure::Count, "the node cannot have another volume", "count"},
              {"maximum number of data disks", "AttachmentLimitExceeded",
               "attachment limit exceeded", "max volume count"}},
    VolumeRow{{VolumeFailure::Disk, "the disk of the node is full", "disk"},
              {"no space left on device"}},
    VolumeRow{{VolumeFailure::Denied, "access is denied", "denied"},
              {"permission denied", "access denied", "AccessDenied", "not authorized",
               "UnauthorizedOperation", "Code: 403"}},
    VolumeRow{
        {VolumeFailure::Helper, "the node may lack the mount program of the file system", "helper"},
        {"you might need a /sbin/mount"}},
    VolumeRow{{VolumeFailure::Attacher, "the controller of the CSI driver does not attach it",
               "attacher"},
              {"external-attacher"}},
    VolumeRow{{VolumeFailure::Busy, "an earlier operation on the volume has not ended", "busy"},
              {"operation with the given Volume ID"}},
    VolumeRow{{VolumeFailure::Damaged, "its file system needs a repair", "damaged"},
              {"'fsck' found errors", "UNEXPECTED INCONSISTENCY", "structure needs cleaning"}},
    VolumeRow{{VolumeFailure::ReadOnly, "its file system is read-only", "read-only"},
              {"read-only file system"}},
    VolumeRow{{VolumeFailure::Host, "the name of its server cannot be resolved", "host"},
              {"failed to resolve \"", "no such host"}},
    VolumeRow{{VolumeFailure::Network, "its storage cannot be reached", "network"},
              {"connection refused", "no route to host", "connection timed out", "i/o timeout"}},
    VolumeRow{{VolumeFailure::Slow, "it takes too long", "slow"},
              {"timed out", "deadline exceeded", "timeout"}},
};

using SandboxRow = MeaningRow<SandboxFailure>;

constexpr std::array sandbox_rows = {
    SandboxRow{
        {SandboxFailure::Addresses, "no IP address is free", "addresses"},
        {"failed to assign an IP", "no available IP", "no IP addresses available", "no free IP",
         "no addresses available", "not enough IPs available", "range is full", "No more IPs",
         "Assigned 0 out of", "Could not allocate IP in range", "No more free affine blocks"}},
    SandboxRow{{SandboxFailure::Binary, "a CNI plugin is not installed on the node", "binary"},
               {"failed to find plugin"}},
    SandboxRow{{SandboxFailure::Handler, "the node's runtime has no such handler", "handler"},
               {"no runtime for", "unknown runtime", "RuntimeHandler", "runtime handler"}},
    SandboxRow{{SandboxFailure::Image, "the sandbox image cannot be pulled", "image"},
               {"failed to get sandbox image", "failed pulling image"}},
    SandboxRow{{SandboxFailure::CgroupDriver,
                "kubelet and container runtime use different cgroup drivers", "cgroup-driver"},
               {"cgroup should be a valid slice", "expected cgroupsPath to be of format"}},
    SandboxRow{
        {SandboxFailure::Cgroup, "the cgroup cannot be created", "cgroup"}, {"cgroup"}, {}, true},
    SandboxRow{{SandboxFailure::Disk, "a file system of the node is full", "disk"},
               {"no space left on device"}},
    SandboxRow{{SandboxFailure::Name, "an earlier sandbox still has the name", "name"},
               {"is reserved for"}},
    SandboxRow{{SandboxFailure::Port, "a host port is in use on the node", "port"},
               {"address already in use"}},
    SandboxRow{{SandboxFailure::Agent, "the network plugin on the node does not answer", "cni"},
               {"dial unix", "dial tcp 127.0.0.1", "dial tcp [::1]", "http://localhost",
                "Cilium API client timeout"},
               {"plugin type", "networkPlugin", "network for sandbox", "network sandbox", "CNI "}},
    SandboxRow{
        {SandboxFailure::Network, "the network plugin fails", "cni"},
        {"plugin type", "networkPlugin", "network plugin", "network for sandbox", "network sandbox",
         "CNI network", "CNI request", "CNI configuration", "cni plugin", "cni config"}},
    SandboxRow{{SandboxFailure::Slow, "the container runtime does not answer", "slow"},
               runtime_sockets},
    SandboxRow{{SandboxFailure::Slow, "the container runtime does not answer in time", "slow"},
               {"deadline exceeded", "timed out"}},
};

using ContainerRow = MeaningRow<ContainerFailure>;

constexpr std::array container_rows = {
    ContainerRow{{ContainerFailure::Busy, "the container runtime of the node lacks a program"},
                 {"unable to retrieve OCI runtime error"},
                 {"executable file", "fork/exec"}},
    ContainerRow{{ContainerFailure::Tool, "the node lacks the program apparmor_parser"},
                 {"\"apparmor_parser\""},
                 {"executable file", "no such file or directory"}},
    ContainerRow{{ContainerFailure::Command, "the command is not in the image"},
                 {"no such file or directory", "not a directory", "cannot find the file specified"},
                 {"exec: \"", "exec: \\\"", "CreateProcess"}},
    ContainerRow{{ContainerFailure::Command, "the command is not in the image"},
                 {"executable file"},
                 {"not found"}},
    ContainerRow{{ContainerFailure::Directory, "its working directory cannot be entered"},
                 {"chdir to cwd"}},
    ContainerRow{{ContainerFailure::Mount, "a file is mounted over a folder, or the reverse"},
                 {"not a directory"},
                 {"mount"}},
    // What a mount says of its source may read like a missing command.
    ContainerRow{{ContainerFailure::Mount, "a mount is refused"}, {"error mounting"}},
    ContainerRow{{ContainerFailure::Profile, "its AppArmor profile is not loaded on the node"},
                 {"apparmor"},
                 {"no such file or directory", "not found"},
                 true},
    ContainerRow{{ContainerFailure::Profile, "its seccomp profile is not on the node"},
                 {"seccomp profile"},
                 {"no such file or directory"}},
    ContainerRow{{ContainerFailure::Memory, "it runs out of memory while it starts"},
                 {"OOM-killed"}},
    ContainerRow{{ContainerFailure::Driver, "the NVIDIA driver of the node fails"},
                 {"nvml error", "libnvidia-ml"}},
    ContainerRow{{ContainerFailure::Driver, "the NVIDIA driver of the node fails"},
                 {"initialization error", "driver error", "driver rpc error"},
                 {"nvidia-container-cli"}},
    ContainerRow{{ContainerFailure::Gpu, "its image asks for another GPU or driver"},
                 {"unsatisfied condition"},
                 {"nvidia-container-cli"}},
    ContainerRow{{ContainerFailure::Device, "a device is missing or refused"},
                 {"unknown device"},
                 {"nvidia-container-cli"}},
    ContainerRow{{ContainerFailure::Toolkit, "the NVIDIA container toolkit of the node fails"},
                 {"nvidia-container-cli", "nvidia-container-runtime"}},
    // The runtime looks for it while it makes the container's spec.
    ContainerRow{{ContainerFailure::Device, "a device is missing or refused"},
                 {"stat /dev/"},
                 {"no such file or directory"}},
    ContainerRow{{ContainerFailure::Cgroup, "a cgroup setting is refused"}, {"cgroup"}, {}, true},
    ContainerRow{{ContainerFailure::Disk, "the disk of the node is full"},
                 {"no space left on device"}},
    ContainerRow{{ContainerFailure::Store, "the runtime cannot make its root file system"},
                 {"mount rootfs component", "mount container storage", "creating read-write layer",
                  "hcsshim::PrepareLayer"}},
    ContainerRow{{ContainerFailure::Command, "neither the pod nor the image has a command"},
                 {"no command specified"}},
    ContainerRow{{ContainerFailure::User, "its user is not in the image"},
                 {"no matching entries in passwd file", "no matching entries in group file",
                  "unable to find user", "unable to find group"}},
    ContainerRow{{ContainerFailure::Busy, "the container runtime does not answer"},
                 runtime_sockets},
    ContainerRow{{ContainerFailure::Busy, "the container runtime does not answer in time"},
                 {"deadline exceeded", "timing out"}},
    ContainerRow{{ContainerFailure::Busy, "an earlier container still has the name"},
                 {"is reserved for", "name is reserved", "is already in use by container"}},
    ContainerRow{{ContainerFailure::Port, "a host port is in use on the node"},
                 {"address already in use", "port is already allocated"}},
    ContainerRow{{ContainerFailure::Device, "a device is missing or refused"},
                 {"device information", "custom device", "CDI device", "no such device",
                  "device plugin", "\"/dev/", "device node"}},
    ContainerRow{{ContainerFailure::Mount, "a mount is refused"},
                 {"is mounted on", "failed to mount", "bind mount", "mount source",
                  "mount destination", "mount through", "mountpoint"}},
    ContainerRow{{ContainerFailure::Command, "the command is not executable"},
                 {"permission denied"},
                 {"exec:", "exec /", "executable"}},
};

/// "kata" of `no runtime for "kata" is configured`; empty where none is named.
std::string handler_in(std::string_view text) {
  for (const std::string_view words : {"no runtime for ", "RuntimeHandler ", "runtime handler "}) {
    const std::size_t at = text.find(words);
    if (at == text.npos) continue;
    const std::string_view rest = text.substr(at + words.size());
    return excerpt(base::trimmed(rest.substr(0, rest.find_first_of(" ,;:")), "\"\\'"));
  }
  return {};
}

}  // namespace

Meaning<VolumeFailure> meaning_for_volume(std::string_view text) {
  // The driver's own name may speak of secrets.
  const Meaning<VolumeFailure> first = first_meaning(before_objects, text);
  if (first.failure != VolumeFailure::Other) return first;
  if (is_missing_object(text)) {
    return {VolumeFailure::Object, "an object or a key that it mounts does not exist", "object"};
  }
  return first_meaning(after_objects, text);
}

Meaning<SandboxFailure> meaning_for_sandbox(std::string_view text) {
  return first_meaning(sandbox_rows, text);
}

std::string sandbox_group(const Meaning<SandboxFailure>& meaning, std::string_view text) {
  if (meaning.failure != SandboxFailure::Handler) return std::string(meaning.key);
  return fmt::format("{}|{}", meaning.key, handler_in(text));
}

Meaning<ContainerFailure> meaning_for_container(std::string_view text) {
  if (is_of_program_format(text)) {
    return {ContainerFailure::Program,
            "the program is made for another architecture, or its file is damaged", ""};
  }
  return first_meaning(container_rows, text);
}

ConfigFailure meaning_for_configuration(std::string_view text) {
  if (mentions_any(text, {"runAsNonRoot", "breaks non-root policy"})) return ConfigFailure::Root;
  if (is_missing_object(text)) return ConfigFailure::Object;
  if (mentions_any(text, {"failed to sync", "have not yet been read", "\" not registered"})) {
    return ConfigFailure::Unread;
  }
  const bool no_path = mentions(text, "no such file or directory") && mentions(text, "stat /");
  return no_path ? ConfigFailure::Path : ConfigFailure::Other;
}

}  // namespace dsdoctor::diagnosis
