// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/catalogue/message.h"

/// Meaning of error texts from kubelets, runtimes and drivers about a pod that does not start.
namespace dsdoctor::diagnosis {

enum class VolumeFailure {
  Elsewhere,  // attached to another node
  Driver,     // the CSI driver is not on the node
  Provider,   // the provider of the Secrets Store CSI driver is not on the node
  Object,     // an object or a key does not exist
  Unread,     // the kubelet has not read the object yet
  Path,
  Count,  // the node's limit of attached volumes is reached
  Disk,
  Denied,
  Helper,
  Attacher,
  Busy,
  Damaged,
  ReadOnly,
  Host,  // the host name does not resolve
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
  Driver,   // of the GPU
  Gpu,      // not the model that the image needs
  Toolkit,  // NVIDIA's, between the runtime and the driver
  Store,    // of images and containers on the node
  Cgroup,
  Disk,
  Port,
  Tool,  // a program of the node that the runtime calls
  Busy,  // the runtime is busy
  Other,
};

enum class ConfigFailure { Root, Object, Unread, Path, Other };

template <typename Failure>
struct Meaning {
  Failure failure = Failure::Other;
  Message (*clause)() = nullptr;  // null: quote the text itself
  std::string_view key = {};      // separates groups of findings by their subject

  [[nodiscard]] std::optional<Message> cause() const {
    return clause == nullptr ? std::nullopt : std::optional(clause());
  }
};

/// Meaning of the events FailedMount, FailedAttachVolume and FailedMapVolume.
[[nodiscard]] Meaning<VolumeFailure> meaning_for_volume(std::string_view text);
/// Meaning of the event FailedCreatePodSandBox.
[[nodiscard]] Meaning<SandboxFailure> meaning_for_sandbox(std::string_view text);
/// The key that groups sandbox failures: their subject, plus the runtime handler's name if it is
/// about one.
[[nodiscard]] std::string sandbox_group(const Meaning<SandboxFailure>& meaning,
                                        std::string_view text);
/// Meaning of a runtime's error when it does not create or start a container.
[[nodiscard]] Meaning<ContainerFailure> meaning_for_container(std::string_view text);
/// Meaning of CreateContainerConfigError.
[[nodiscard]] ConfigFailure meaning_for_configuration(std::string_view text);

}  // namespace dsdoctor::diagnosis
