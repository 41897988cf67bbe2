// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/failure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/causes/startup/missing_object.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

/// Maps a text to a meaning: it must contain one of `any` and, unless empty, one of `also`.
template <typename Failure>
struct MeaningRow {
  Meaning<Failure> meaning;
  std::array<std::string_view, 12> any;
  std::array<std::string_view, 8> also = {};
  bool apart = false;  // a word of `any` must not be part of a longer name
};

/// Sockets that are unreachable if the container runtime is down.
constexpr std::array<std::string_view, 12> runtime_sockets = {
    "dial unix /run/containerd", "dial unix /run/crio", "dial unix /var/run/crio",
    "dial unix /run/cri-dockerd", "dial unix /var/run/docker"};

/// Ignores case and the empty words at the end of a row.
bool holds_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return !word.empty() && mentions(text, word); });
}

/// True for "cgroup" in "cgroup" and "cgroups:", but not in "cgroup-exporter".
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

template <typename Phrase>
Message clause() {
  return Phrase{};
}

template <typename Failure>
bool fits(const MeaningRow<Failure>& row, std::string_view text) {
  const bool is_there = row.apart ? holds_apart(text, row.any[0]) : holds_one_of(text, row.any);
  return is_there && (row.also[0].empty() || holds_one_of(text, row.also));
}

/// The first row that matches; more specific rows come first.
template <typename Failure, std::size_t N>
Meaning<Failure> first_meaning(const std::array<MeaningRow<Failure>, N>& rows,
                               std::string_view text) {
  for (const MeaningRow<Failure>& row : rows) {
    if (fits(row, text)) return row.meaning;
  }
  return {Failure::Other, nullptr, "other"};
}

using VolumeRow = MeaningRow<VolumeFailure>;

constexpr std::array before_objects = {
    VolumeRow{{VolumeFailure::Elsewhere, clause<phrase::VolumeAttachedElsewhere>, "elsewhere"},
              {"Multi-Attach error"}},
    VolumeRow{{VolumeFailure::Provider, clause<phrase::VolumeNoProvider>, "provider"},
              {"provider not found", "error connecting to provider"}},
    VolumeRow{{VolumeFailure::Driver, clause<phrase::VolumeNoDriver>, "driver"},
              {"not found in the list of registered CSI drivers", "CSINode", "no CSI driver",
               "driver name"}},
};

constexpr std::array after_objects = {
    VolumeRow{
        {VolumeFailure::Unread, clause<phrase::VolumeSourceUnread>, "unread"},
        {"failed to sync configmap cache", "failed to sync secret cache", "\" not registered"}},
    VolumeRow{{VolumeFailure::Unread, clause<phrase::VolumeKubeletOffline>, "unread"},
              {"failed to fetch token", "failed to fetch PVC from API server"},
              {"connection refused", "connection reset", "i/o timeout", "no route to host",
               "no such host", "deadline exceeded", "Client.Timeout", "TLS handshake timeout"}},
    VolumeRow{{VolumeFailure::Driver, clause<phrase::VolumeDriverSilent>, "socket"},
              {"dial unix"},
              {"csi.sock", "/plugins/"}},
    VolumeRow{{VolumeFailure::Path, clause<phrase::VolumeWrongHostPath>, "path"},
              {"hostPath type check failed"}},
    VolumeRow{{VolumeFailure::Path, clause<phrase::VolumeNoPath>, "path"},
              {": path \""},
              {"\" does not exist"}},
    VolumeRow{{VolumeFailure::Count, clause<phrase::VolumeTooMany>, "count"},
              {"maximum number of data disks", "AttachmentLimitExceeded",
               "attachment limit exceeded", "max volume count"}},
    VolumeRow{{VolumeFailure::Disk, clause<phrase::StartupDiskFull>, "disk"},
              {"no space left on device"}},
    VolumeRow{{VolumeFailure::Denied, clause<phrase::VolumeDenied>, "denied"},
              {"permission denied", "access denied", "AccessDenied", "not authorized",
               "UnauthorizedOperation", "Code: 403"}},
    VolumeRow{{VolumeFailure::Helper, clause<phrase::VolumeNoHelper>, "helper"},
              {"you might need a /sbin/mount"}},
    VolumeRow{{VolumeFailure::Attacher, clause<phrase::VolumeNotAttached>, "attacher"},
              {"external-attacher"}},
    VolumeRow{{VolumeFailure::Busy, clause<phrase::VolumeBusy>, "busy"},
              {"operation with the given Volume ID"}},
    VolumeRow{{VolumeFailure::Damaged, clause<phrase::VolumeDamaged>, "damaged"},
              {"'fsck' found errors", "UNEXPECTED INCONSISTENCY", "structure needs cleaning"}},
    VolumeRow{{VolumeFailure::ReadOnly, clause<phrase::VolumeReadOnly>, "read-only"},
              {"read-only file system"}},
    VolumeRow{{VolumeFailure::Host, clause<phrase::VolumeUnknownServer>, "host"},
              {"failed to resolve \"", "no such host"}},
    VolumeRow{{VolumeFailure::Network, clause<phrase::VolumeUnreachable>, "network"},
              {"connection refused", "no route to host", "connection timed out", "i/o timeout"}},
    VolumeRow{{VolumeFailure::Slow, clause<phrase::StartupTooSlow>, "slow"},
              {"timed out", "deadline exceeded", "timeout"}},
};

using SandboxRow = MeaningRow<SandboxFailure>;

constexpr std::array sandbox_rows = {
    SandboxRow{
        {SandboxFailure::Addresses, clause<phrase::SandboxNoAddress>, "addresses"},
        {"failed to assign an IP", "no available IP", "no IP addresses available", "no free IP",
         "no addresses available", "not enough IPs available", "range is full", "No more IPs",
         "Assigned 0 out of", "Could not allocate IP in range", "No more free affine blocks"}},
    SandboxRow{{SandboxFailure::Binary, clause<phrase::SandboxNoPlugin>, "binary"},
               {"failed to find plugin"}},
    SandboxRow{{SandboxFailure::Handler, clause<phrase::SandboxNoHandler>, "handler"},
               {"no runtime for", "unknown runtime", "RuntimeHandler", "runtime handler"}},
    SandboxRow{{SandboxFailure::Image, clause<phrase::SandboxNoImage>, "image"},
               {"failed to get sandbox image", "failed pulling image"}},
    SandboxRow{
        {SandboxFailure::CgroupDriver, clause<phrase::SandboxCgroupDrivers>, "cgroup-driver"},
        {"cgroup should be a valid slice", "expected cgroupsPath to be of format"}},
    SandboxRow{
        {SandboxFailure::Cgroup, clause<phrase::SandboxCgroup>, "cgroup"}, {"cgroup"}, {}, true},
    SandboxRow{{SandboxFailure::Disk, clause<phrase::SandboxDiskFull>, "disk"},
               {"no space left on device"}},
    SandboxRow{{SandboxFailure::Name, clause<phrase::SandboxNameTaken>, "name"},
               {"is reserved for"}},
    SandboxRow{{SandboxFailure::Port, clause<phrase::StartupPortInUse>, "port"},
               {"address already in use"}},
    SandboxRow{{SandboxFailure::Agent, clause<phrase::SandboxPluginSilent>, "cni"},
               {"dial unix", "dial tcp 127.0.0.1", "dial tcp [::1]", "http://localhost",
                "Cilium API client timeout"},
               {"plugin type", "networkPlugin", "network for sandbox", "network sandbox", "CNI "}},
    SandboxRow{
        {SandboxFailure::Network, clause<phrase::SandboxPluginFails>, "cni"},
        {"plugin type", "networkPlugin", "network plugin", "network for sandbox", "network sandbox",
         "CNI network", "CNI request", "CNI configuration", "cni plugin", "cni config"}},
    SandboxRow{{SandboxFailure::Slow, clause<phrase::StartupRuntimeDown>, "slow"}, runtime_sockets},
    SandboxRow{{SandboxFailure::Slow, clause<phrase::StartupRuntimeSlow>, "slow"},
               {"deadline exceeded", "timed out"}},
};

using ContainerRow = MeaningRow<ContainerFailure>;

constexpr std::array container_rows = {
    ContainerRow{{ContainerFailure::Busy, clause<phrase::StartRuntimeProgram>, "runtime-program"},
                 {"unable to retrieve OCI runtime error"},
                 {"executable file", "fork/exec"}},
    ContainerRow{{ContainerFailure::Tool, clause<phrase::StartApparmorParser>, "apparmor-parser"},
                 {"\"apparmor_parser\""},
                 {"executable file", "no such file or directory"}},
    ContainerRow{{ContainerFailure::Command, clause<phrase::StartCommandMissing>, "command"},
                 {"no such file or directory", "not a directory", "cannot find the file specified"},
                 {"exec: \"", "exec: \\\"", "CreateProcess"}},
    ContainerRow{{ContainerFailure::Command, clause<phrase::StartCommandMissing>, "command"},
                 {"executable file"},
                 {"not found"}},
    ContainerRow{{ContainerFailure::Directory, clause<phrase::StartDirectory>, "directory"},
                 {"chdir to cwd"}},
    ContainerRow{{ContainerFailure::Mount, clause<phrase::StartFileOverFolder>, "file-over-folder"},
                 {"not a directory"},
                 {"mount"}},
    // A mount's error about its source can look like a missing command.
    ContainerRow{{ContainerFailure::Mount, clause<phrase::StartMountRefused>, "mount"},
                 {"error mounting"}},
    ContainerRow{{ContainerFailure::Profile, clause<phrase::StartApparmor>, "apparmor"},
                 {"apparmor"},
                 {"no such file or directory", "not found"},
                 true},
    ContainerRow{{ContainerFailure::Profile, clause<phrase::StartSeccomp>, "seccomp"},
                 {"seccomp profile"},
                 {"no such file or directory"}},
    ContainerRow{{ContainerFailure::Memory, clause<phrase::StartMemory>, "memory"}, {"OOM-killed"}},
    ContainerRow{{ContainerFailure::Driver, clause<phrase::StartGraphicsDriver>, "driver"},
                 {"nvml error", "libnvidia-ml"}},
    ContainerRow{{ContainerFailure::Driver, clause<phrase::StartGraphicsDriver>, "driver"},
                 {"initialization error", "driver error", "driver rpc error"},
                 {"nvidia-container-cli"}},
    ContainerRow{{ContainerFailure::Gpu, clause<phrase::StartOtherGpu>, "gpu"},
                 {"unsatisfied condition"},
                 {"nvidia-container-cli"}},
    ContainerRow{{ContainerFailure::Device, clause<phrase::StartDevice>, "device"},
                 {"unknown device"},
                 {"nvidia-container-cli"}},
    ContainerRow{{ContainerFailure::Toolkit, clause<phrase::StartGraphicsToolkit>, "toolkit"},
                 {"nvidia-container-cli", "nvidia-container-runtime"}},
    // The runtime looks for the device while it creates the container's spec.
    ContainerRow{{ContainerFailure::Device, clause<phrase::StartDevice>, "device"},
                 {"stat /dev/"},
                 {"no such file or directory"}},
    ContainerRow{
        {ContainerFailure::Cgroup, clause<phrase::StartCgroup>, "cgroup"}, {"cgroup"}, {}, true},
    ContainerRow{{ContainerFailure::Disk, clause<phrase::StartupDiskFull>, "disk"},
                 {"no space left on device"}},
    ContainerRow{{ContainerFailure::Store, clause<phrase::StartRootFileSystem>, "store"},
                 {"mount rootfs component", "mount container storage", "creating read-write layer",
                  "hcsshim::PrepareLayer"}},
    ContainerRow{{ContainerFailure::Command, clause<phrase::StartNoCommand>, "no-command"},
                 {"no command specified"}},
    ContainerRow{{ContainerFailure::User, clause<phrase::StartNoUser>, "user"},
                 {"no matching entries in passwd file", "no matching entries in group file",
                  "unable to find user", "unable to find group"}},
    ContainerRow{{ContainerFailure::Busy, clause<phrase::StartupRuntimeDown>, "runtime"},
                 runtime_sockets},
    ContainerRow{{ContainerFailure::Busy, clause<phrase::StartupRuntimeSlow>, "runtime-slow"},
                 {"deadline exceeded", "timing out"}},
    ContainerRow{{ContainerFailure::Busy, clause<phrase::StartNameTaken>, "name"},
                 {"is reserved for", "name is reserved", "is already in use by container"}},
    ContainerRow{{ContainerFailure::Port, clause<phrase::StartupPortInUse>, "port"},
                 {"address already in use", "port is already allocated"}},
    ContainerRow{{ContainerFailure::Device, clause<phrase::StartDevice>, "device"},
                 {"device information", "custom device", "CDI device", "no such device",
                  "device plugin", "\"/dev/", "device node"}},
    ContainerRow{{ContainerFailure::Mount, clause<phrase::StartMountRefused>, "mount"},
                 {"is mounted on", "failed to mount", "bind mount", "mount source",
                  "mount destination", "mount through", "mountpoint"}},
    ContainerRow{
        {ContainerFailure::Command, clause<phrase::StartCommandNotExecutable>, "not-executable"},
        {"permission denied"},
        {"exec:", "exec /", "executable"}},
};

/// "kata" from `no runtime for "kata" is configured`; empty if the text names no handler.
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
  // A driver's name can contain "secret".
  const Meaning<VolumeFailure> first = first_meaning(before_objects, text);
  if (first.failure != VolumeFailure::Other) return first;
  if (is_missing_object(text)) {
    return {VolumeFailure::Object, clause<phrase::VolumeNoSource>, "object"};
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
    return {ContainerFailure::Program, clause<phrase::StartProgram>, "program"};
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
