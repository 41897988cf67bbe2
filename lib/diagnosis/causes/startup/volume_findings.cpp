// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/volume_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "base/text.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/causes/startup/failure_text.h"
#include "diagnosis/causes/startup/missing_object.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

/// The names in `unmounted volumes=[x y]`; absent if the text has no such list.
std::optional<std::vector<std::string_view>> unmounted_volumes(std::string_view text) {
  constexpr std::string_view list = "unmounted volumes=[";
  const std::size_t open = text.find(list);
  if (open == std::string_view::npos) return std::nullopt;
  text.remove_prefix(open + list.size());
  return base::split(text.substr(0, text.find(']')), " ");
}

/// The quoted name after `MountVolume.SetUp failed for volume "x"`, or the only name in `unmounted
/// volumes=[x]`; empty if there is none.
std::string_view volume_name(std::string_view text) {
  if (const auto names = unmounted_volumes(text)) {
    return names->size() == 1 ? names->front() : std::string_view();
  }
  constexpr std::string_view words = "for volume \"";
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + words.size());
  return text.substr(0, text.find('"'));
}

bool has_only_optional_source(const model::Pod& pod, std::string_view volume) {
  const auto at =
      std::ranges::find(pod.spec->volumes, volume, [](const auto& v) { return v.name.view(); });
  return at != pod.spec->volumes.end() && at->optional;
}

/// The missing object that a volume is made of, as the event or the pod names it; "Node" if the
/// node's disk is full.
std::string source_at_fault(const model::Pod& pod, const model::Event& event,
                            VolumeFailure failure) {
  if (failure == VolumeFailure::Disk) return "Node";
  if (failure != VolumeFailure::Object) return {};
  std::string named = missing_object(event.message);
  return named.empty() ? mounted_object(*pod.spec, volume_name(event.message)) : named;
}

/// Whether the event is about a volume that has been attached since.
bool is_attached(const model::Event& event, const Facts::Events& events) {
  if (event.reason != "FailedAttachVolume") return false;
  return std::ranges::any_of(events, [&](const model::Event* other) {
    return other->reason == "SuccessfulAttachVolume" && last_seen(*other) > last_seen(event) &&
           volume_name(other->message) == volume_name(event.message);
  });
}

/// The kubelet's summary of the volumes it waits for, without a cause.
bool is_summary_of_volumes(const model::Event& event) {
  return event.message.view().starts_with("Unable to attach or mount volumes");
}

/// True for a volume that the summary no longer lists as unmounted. The summary uses the pod's
/// volume names; other texts can name the PersistentVolume.
bool is_mounted_since(const model::Pod& pod, std::string_view volume, std::string_view summary) {
  const auto waiting = unmounted_volumes(summary);
  const bool is_of_pod = std::ranges::find(pod.spec->volumes, volume, [](const auto& v) {
                           return v.name.view();
                         }) != pod.spec->volumes.end();
  return is_of_pod && waiting && std::ranges::find(*waiting, volume) == waiting->end();
}

/// The newest volume problem that the pod has not got past, preferably one with a cause. The
/// kubelet creates the sandbox after all volumes are mounted.
const model::Event* volume_trouble(const model::Pod& pod, const Facts::Events& events) {
  const TextList reasons = {"FailedMount", "FailedAttachVolume", "FailedMapVolume"};
  const TextList progress = {"FailedPrepareDynamicResources",
                             "FailedCreatePodSandBox",
                             "Pulling",
                             "Pulled",
                             "Created",
                             "Started"};
  Facts::Events standing;
  std::ranges::copy_if(events, std::back_inserter(standing),
                       [&](const model::Event* one) { return !is_attached(*one, events); });
  const model::Event* event = unresolved(standing, reasons, progress);
  if (event == nullptr || !is_summary_of_volumes(*event)) return event;
  Facts::Events telling;
  std::ranges::copy_if(standing, std::back_inserter(telling), [&](const model::Event* one) {
    return !is_summary_of_volumes(*one) &&
           !is_mounted_since(pod, volume_name(one->message), event->message);
  });
  const model::Event* cause = unresolved(telling, reasons, progress);
  return cause == nullptr ? event : cause;
}

Message volume_phrase(std::string_view volume) {
  if (volume.empty()) return phrase::VolumeAny{};
  return phrase::VolumeNamed{.volume = excerpt(volume)};
}

finding::VolumeMount volume_kind(const model::Pod& pod, const model::Event& event,
                                 const Meaning<VolumeFailure>& meaning) {
  using enum VolumeFailure;
  const VolumeFailure failure = meaning.failure;
  const bool attaches = event.reason == "FailedAttachVolume";
  const bool maps = event.reason == "FailedMapVolume";
  const bool is_plain = failure == ReadOnly || failure == Host ||
                        failure == VolumeFailure::Network || failure == VolumeFailure::Slow ||
                        failure == VolumeFailure::Other;
  return {.a_source_is_missing = failure == Object,
          .access_is_denied = failure == Denied,
          .an_operation_hangs = failure == Busy,
          .cause = meaning.cause(),
          .it_attaches = attaches,
          .it_is_attached_to_another_node = failure == Elsewhere,
          .it_maps = maps,
          .it_mounts = !attaches && !maps,
          .nothing_else_is_known = is_plain,
          .object = source_at_fault(pod, event, failure),
          .reason = event.reason,
          .said = error_excerpt(event.message),
          .the_attacher_is_slow = failure == Attacher,
          .the_disk_is_full = failure == VolumeFailure::Disk,
          .the_driver_is_missing = failure == Driver,
          .the_file_system_is_damaged = failure == Damaged,
          .the_helper_is_missing = failure == Helper,
          .the_host_path_is_wrong = failure == Path,
          .the_node_has_too_many_volumes = failure == Count,
          .the_object_is_not_read = failure == Unread,
          .the_provider_is_missing = failure == Provider,
          .volume = volume_phrase(volume_name(event.message))};
}

}  // namespace

std::optional<Finding> volume_finding(const NodeCase& c, const model::Pod& pod,
                                      const Facts::Events& events) {
  const model::Event* event = volume_trouble(pod, events);
  if (event == nullptr) return std::nullopt;
  const std::string_view volume = volume_name(event->message);
  if (has_only_optional_source(pod, volume)) return std::nullopt;
  const Meaning<VolumeFailure> meaning = meaning_for_volume(event->message);
  Finding finding = make_finding(volume_kind(pod, *event, meaning), {event_evidence(*event)},
                                 names_of(c, pod.meta.name));
  if (finding.root == "Node") {
    finding.group = meaning.key;
    return finding;
  }
  finding.group = fmt::format("{}|{}|{}", volume.starts_with("pvc-") ? "pvc" : volume,
                              event->reason.view(), meaning.key);
  return finding;
}

}  // namespace dsdoctor::diagnosis
