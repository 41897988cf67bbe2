#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/catalogue/message.h"

/// What texts of kubelets, runtimes and drivers about a pod that does not start mean.
namespace dsdoctor::diagnosis {

enum class VolumeFailure {
  Elsewhere,  // attached to another node
  Driver,     // the CSI driver is not on the node
  Provider,   // nor is the provider of the Secrets Store CSI driver
  Object,     // an object or a key does not exist
  Unread,     // the kubelet has not read the object
  Path,
  Count,  // the node has no room for another volume
  Disk,
  Denied,
  Helper,
  Attacher,
  Busy,
  Damaged,
  ReadOnly,
  Host,  // its name does not resolve
  Network,
  Slow,
  Other,
};

enum class SandboxFailure {
  Addresses,
  Binary,  // a CNI plugin is not on the node
  Handler,
  Image,
  CgroupDriver,
  Cgroup,
  Disk,
  Name,
  Port,
  Agent,  // the network plugin does not answer
  Network,
  Slow,
  Other,
};

enum class ContainerFailure {
  Program,  // exec format error
  Command,
  Directory,  // its workingDir
  User,
  Mount,
  Device,
  Memory,
  Profile,  // of AppArmor or seccomp
  Driver,   // of a GPU
  Gpu,      // it is another than the image asks for
  Toolkit,  // of NVIDIA, between the runtime and the driver
  Store,    // of images and containers on the node
  Cgroup,
  Disk,
  Port,
  Tool,  // a program of the node that the runtime calls
  Busy,  // the runtime is
  Other,
};

enum class ConfigFailure { Root, Object, Unread, Path, Other };

template <typename Failure>
struct Meaning {
  Failure failure = Failure::Other;
  Message (*clause)() = nullptr;  // null where the text's own words have to do
  std::string_view key = {};      // what it is about: tells groups apart

  [[nodiscard]] std::optional<Message> cause() const {
    return clause == nullptr ? std::nullopt : std::optional(clause());
  }
};

/// Of the events FailedMount, FailedAttachVolume and FailedMapVolume.
[[nodiscard]] Meaning<VolumeFailure> meaning_for_volume(std::string_view text);
/// Of the event FailedCreatePodSandBox.
[[nodiscard]] Meaning<SandboxFailure> meaning_for_sandbox(std::string_view text);
/// What such failures are grouped by: what they are about, of a handler with its name.
[[nodiscard]] std::string sandbox_group(const Meaning<SandboxFailure>& meaning,
                                        std::string_view text);
/// Of a container that the runtime does not create or start.
[[nodiscard]] Meaning<ContainerFailure> meaning_for_container(std::string_view text);
/// Of CreateContainerConfigError.
[[nodiscard]] ConfigFailure meaning_for_configuration(std::string_view text);

}  // namespace dsdoctor::diagnosis
