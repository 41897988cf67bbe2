#include "diagnosis/taint_knowledge.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace dsdoctor::diagnosis {
namespace {

struct Entry {
  std::string_view key;
  TaintKnowledge knowledge;
};

// The keys that Kubernetes itself, cloud providers and the two autoscalers set.
constexpr std::array entries = {
    Entry{"node.kubernetes.io/not-ready",
          {"the node is not ready, or has just been registered", TaintLifecycle::UntilReady}},
    Entry{"node.kubernetes.io/unreachable",
          {"the control plane has lost contact with the kubelet", TaintLifecycle::Transient}},
    Entry{"node.kubernetes.io/memory-pressure",
          {"the node is short of memory", TaintLifecycle::Transient}},
    Entry{"node.kubernetes.io/disk-pressure",
          {"the node is short of disk space", TaintLifecycle::Transient}},
    Entry{"node.kubernetes.io/pid-pressure",
          {"the node is short of process ids", TaintLifecycle::Transient}},
    Entry{"node.kubernetes.io/network-unavailable",
          {"the node's network is not set up yet", TaintLifecycle::UntilReady}},
    Entry{"node.kubernetes.io/unschedulable", {"the node is cordoned", TaintLifecycle::Transient}},
    Entry{"node.kubernetes.io/out-of-service",
          {"an administrator declared the node out of service", TaintLifecycle::Transient}},
    Entry{"node.cloudprovider.kubernetes.io/uninitialized",
          {"the cloud controller has not initialized the node yet", TaintLifecycle::UntilReady}},
    Entry{"node.cloudprovider.kubernetes.io/shutdown",
          {"the cloud reports the instance as stopped", TaintLifecycle::Transient}},
    Entry{"node-role.kubernetes.io/control-plane",
          {"the node belongs to the control plane", TaintLifecycle::Lasting}},
    Entry{
        "node-role.kubernetes.io/master",
        {"the node belongs to the control plane (key of older releases)", TaintLifecycle::Lasting}},
    Entry{to_be_deleted_key, {"cluster-autoscaler is removing this node", TaintLifecycle::Leaving}},
    Entry{"karpenter.sh/disrupted", {"Karpenter is replacing this node", TaintLifecycle::Leaving}},
    Entry{"karpenter.sh/unregistered",
          {"Karpenter has not finished registering the node", TaintLifecycle::UntilReady}},
    Entry{"nvidia.com/gpu", {"the node is reserved for GPU work", TaintLifecycle::Lasting}},
};

// A number that can only be a time: Unix seconds since 2001, as all who write such taints use.
constexpr std::int64_t first_timestamp = 1'000'000'000;
constexpr std::int64_t last_timestamp = 9'999'999'999;

}  // namespace

std::optional<TaintKnowledge> knowledge_of(const model::Taint& taint) {
  const auto at = std::ranges::find(entries, taint.key.view(), &Entry::key);
  return at == entries.end() ? std::nullopt : std::optional(at->knowledge);
}

std::optional<model::Time> timestamp_value(std::string_view value) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  if (seconds < first_timestamp || seconds > last_timestamp) return std::nullopt;
  return model::Time(std::chrono::seconds(seconds));
}

bool has_volatile_value(const model::Taint& taint, std::string_view node_name) {
  return timestamp_value(taint.value).has_value() ||
         (!taint.value.empty() && taint.value == node_name);
}

std::string format_utc(model::Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

}  // namespace dsdoctor::diagnosis
