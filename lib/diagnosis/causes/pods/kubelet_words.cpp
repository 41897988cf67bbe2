#include "diagnosis/causes/pods/kubelet_words.h"

#include <algorithm>
#include <charconv>

#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::string_view rejected = "Pod was rejected: ";

/// What follows the first `words`; empty where they are not there.
std::string_view behind(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + words.size());
}

}  // namespace

std::string_view own_words(std::string_view message) {
  if (message.starts_with(rejected)) message.remove_prefix(rejected.size());
  return message;
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view word) {
  text = behind(text, word);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

std::string_view bracketed(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  return text.substr(open + 1, close - open - 1);
}

AdmissionFault admission_fault(std::string_view message) {
  if (mentions_any(message, {"set of pods to preempt", "no set of running pods found"})) {
    return AdmissionFault::Room;
  }
  if (mentions(message, "no space left on device")) return AdmissionFault::DiskSpace;
  if (mentions(message, "failed to write checkpoint file")) return AdmissionFault::Writing;
  if (mentions_any(message, {"not enough cpus available", "cpumanager", "memorymanager"})) {
    return AdmissionFault::CpuPolicy;
  }
  return mentions_any(message, {"device", "plugin"}) ? AdmissionFault::Device
                                                     : AdmissionFault::Other;
}

std::string_view starved_resource(std::string_view message) {
  const std::string_view rest = behind(message, "low on resource: ");
  return rest.substr(0, std::min(rest.find(". "), rest.find(' ')));
}

EvictionShortage eviction_shortage(std::string_view message) {
  const std::string_view resource = starved_resource(message);
  if (mentions(resource, "memory")) return EvictionShortage::Memory;
  if (resource.starts_with("inodes")) return EvictionShortage::Inodes;
  if (mentions(resource, "pid")) return EvictionShortage::ProcessIds;
  if (!resource.empty()) return EvictionShortage::DiskSpace;
  return volume_at_limit(message).empty() ? EvictionShortage::OwnLimit
                                          : EvictionShortage::VolumeLimit;
}

std::string_view volume_at_limit(std::string_view message) {
  const std::string_view name = behind(message, "Usage of EmptyDir volume \"");
  return name.substr(0, name.find('"'));
}

}  // namespace dsdoctor::diagnosis
