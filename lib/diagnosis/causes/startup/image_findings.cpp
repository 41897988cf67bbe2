// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/image_findings.h"

#include <fmt/format.h>

#include <optional>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/causes/startup/image_reference.h"
#include "diagnosis/causes/startup/pull_failure.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

std::string_view image_of(const model::Pod& pod, const model::ContainerStatus& status) {
  const model::Container* container = find_container(pod, status.name);
  return container == nullptr ? std::string_view() : container->image.view();
}

/// The image that cannot be pulled; an image that the kubelet names can belong to a volume.
std::string_view image_to_pull(const model::Pod& pod, const model::ContainerStatus& status) {
  const std::string_view own = image_of(pod, status);
  const auto named = quoted_image(status.waiting->message);
  return named && !own.empty() && !is_same_image(*named, own) ? *named : own;
}

bool is_denied(PullFailure failure) {
  return failure == PullFailure::Denied || failure == PullFailure::DeniedOrNotFound;
}

/// True if the event quotes this image, or quotes no image and is about the container.
bool is_about(const model::Event& event, const model::Pod& pod, std::string_view container,
              std::string_view image) {
  const auto quoted = quoted_image(event.message);
  return quoted && !image.empty() ? is_same_image(*quoted, image)
                                  : is_of_container(event, pod, container);
}

/// The newest event about this image; the back-off's own event does not show the cause.
const model::Event* newest_pull_failure(const Facts::Events& events, const model::Pod& pod,
                                        std::string_view container, std::string_view image) {
  const model::Event* result = nullptr;
  for (const model::Event* event : events) {
    if (!is_one_of(event->reason, {"Failed", "InspectFailed"})) continue;
    if (!mentions_any(event->message, {"pull", "image", "inspect"})) continue;
    if (mentions_any(event->message, {"Error: ErrImagePull", "Error: ImagePullBackOff"})) continue;
    if (!is_about(*event, pod, container, image)) continue;
    if (result == nullptr || last_seen(*event) >= last_seen(*result)) result = event;
  }
  return result;
}

/// Names of the imagePullSecrets that the kubelet could not read, as in its event: "a, b".
std::string_view missing_secrets(const Facts::Events& events) {
  const model::Event* event = newest(events, {"FailedToRetrieveImagePullSecret"});
  if (event == nullptr) return {};
  const std::string_view text = event->message;
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')', std::min(open, text.size()));
  if (open == text.npos || close == text.npos) return {};
  return text.substr(open + 1, close - open - 1);
}

/// The missing pull secret, else the node or the image; empty if the image is unknown.
std::string object_at_fault(PullFailure failure, std::string_view image, std::string_view secrets) {
  if (!secrets.empty()) return fmt::format("Secret/{}", secrets.substr(0, secrets.find(',')));
  const bool is_the_node = failure == PullFailure::Disk || failure == PullFailure::Store ||
                           failure == PullFailure::Runtime || failure == PullFailure::Paced;
  if (is_the_node) return "Node";
  return image.empty() ? std::string() : fmt::format("Image/{}", image);
}

/// True if the kubelet retries an image that is no longer in the template, and the update strategy
/// is OnDelete.
bool only_deletion_replaces(const NodeCase& c, const model::Pod& pod, std::string_view container,
                            std::string_view image) {
  if (c.of.ds.update_strategy != "OnDelete" || !is_outdated(c, pod)) return false;
  const model::Container* now = find_container(pod, container);
  const model::Container* next = find_container(c.of.ds.pod_template.spec, container);
  const bool is_its_own = now != nullptr && now->image == image;  // else it is a volume's image
  return is_its_own && next != nullptr && next->image != now->image;
}

/// Facts about an image that cannot be pulled.
struct Pull {
  PullFailure failure = PullFailure::Other;
  std::string_view reason;
  std::string_view image;
  std::string_view secrets;  // missing ones
  std::string said;
  std::optional<std::int64_t> attempts = {};  // lower bound
  bool is_changed = false;                    // only deleting the pod helps
};

finding::ImagePull pull_kind(const Pull& pull) {
  // Selects the fix; no flag is set if the template has already been changed.
  const auto is = [&](PullFailure failure) { return !pull.is_changed && pull.failure == failure; };
  const bool secret = !pull.is_changed && !pull.secrets.empty();
  return {.a_part_is_missing = is(PullFailure::Part),
          .a_policy_rejects_it = is(PullFailure::Policy),
          .a_pull_secret_is_missing = secret,
          .access_is_denied = is(PullFailure::Denied) && !secret,
          .access_is_denied_or_it_is_missing = is(PullFailure::DeniedOrNotFound) && !secret,
          .attempts = pull.attempts,
          .image = pull.image,
          .missing_secrets = excerpt(pull.secrets),
          .nothing_else_is_known = is(PullFailure::Other),
          .object = object_at_fault(pull.failure, pull.image, pull.secrets),
          .only_deletion_replaces_the_pod = pull.is_changed,
          .outcome = outcome(pull.failure, pull.reason),
          .pulls_are_limited = is(PullFailure::Limited),
          .reason = pull.reason,
          .said = pull.said,
          .the_certificate_has_another_name = is(PullFailure::OtherName) || is(PullFailure::NoName),
          .the_certificate_has_expired = is(PullFailure::Expired),
          .the_certificate_is_untrusted = is(PullFailure::Untrusted),
          .the_disk_is_full = is(PullFailure::Disk),
          .the_format_is_outdated = is(PullFailure::Format),
          .the_image_is_missing = is(PullFailure::NotFound),
          .the_kubelet_paces_pulls = is(PullFailure::Paced),
          .the_name_is_short = is(PullFailure::ShortName),
          .the_platform_is_missing = is(PullFailure::Platform),
          .the_proxy_wants_a_login = is(PullFailure::Proxy),
          .the_registry_fails = is(PullFailure::Failing),
          .the_registry_has_no_encryption = is(PullFailure::PlainHttp),
          .the_registry_is_unreachable = is(PullFailure::Network) || is(PullFailure::Slow),
          .the_registry_sends_a_page = is(PullFailure::Page),
          .the_runtime_is_slow = is(PullFailure::Runtime),
          .the_store_is_damaged = is(PullFailure::Store)};
}

/// The runtime's message about a pull; empty if it only repeats the failure.
std::string pull_words(std::string_view text, PullFailure failure) {
  const std::string words = error_excerpt(text);
  const bool tells_no_more = words.starts_with("Back-off pulling image") ||
                             (failure == PullFailure::NotFound && words == "not found");
  return tells_no_more ? std::string() : words;
}

/// Equal for failures with the same cause on other nodes. After a denied pull it can be unknown
/// whether the image exists.
std::string pull_group(const Pull& pull, bool is_of_node) {
  const auto key = static_cast<int>(is_denied(pull.failure) ? PullFailure::Denied : pull.failure);
  // A problem of the node does not depend on the image.
  return is_of_node ? std::to_string(key) : fmt::format("{}|{}", pull.image, key);
}

Finding pull_finding(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                     const Facts::Events& events) {
  const std::string_view image = image_to_pull(pod, status);
  const model::Event* failed = newest_pull_failure(events, pod, status.name, image);
  const std::string_view text =
      failed != nullptr ? failed->message.view() : status.waiting->message.view();
  Pull pull{.failure = classify_pull(waiting_reason(status), text, image),
            .reason = waiting_reason(status),
            .image = image,
            .secrets = {},
            .said = {},
            .is_changed = only_deletion_replaces(c, pod, status.name, image)};
  pull.said = pull_words(text, pull.failure);
  if (is_denied(pull.failure)) pull.secrets = missing_secrets(events);
  if (failed != nullptr && failed->count > 1) pull.attempts = failed->count;
  std::vector<Evidence> evidence = {waiting_evidence(pod, status)};
  if (failed != nullptr) evidence.push_back(event_evidence(*failed));
  Finding finding = make_finding(pull_kind(pull), std::move(evidence), names_of(c, pod.meta.name));
  finding.group = pull_group(pull, finding.root == "Node");
  // A new node pulls all its images at the same time, and the kubelet retries.
  if (pull.failure == PullFailure::Paced &&
      is_younger(pod.start_time, threshold::creating, c.of.facts.now())) {
    finding.severity = Severity::Info;
    finding.transient = true;
  }
  return finding;
}

}  // namespace

std::vector<Finding> image_findings(const NodeCase& c, const model::Pod& pod,
                                    const model::ContainerStatus& status,
                                    const Facts::Events& events) {
  const std::string_view reason = waiting_reason(status);
  const std::string_view image = image_of(pod, status);
  const auto simple = [&](const FindingKind& kind) {
    Finding finding = make_finding(kind, {waiting_evidence(pod, status)}, names_of(c));
    finding.group = fmt::format("{}|{}", status.name.view(), image);
    return finding;
  };
  if (is_one_of(reason, {"ErrImagePull", "ImagePullBackOff", "RegistryUnavailable",
                         "SignatureValidationFailed", "ImageInspectError"})) {
    return {pull_finding(c, pod, status, events)};
  }
  if (reason == "InvalidImageName") {
    return {simple(finding::ImageInvalid{.container = status.name, .image = excerpt(image)})};
  }
  if (reason == "ErrImageNeverPull") {
    return {simple(finding::ImageNever{.container = status.name, .image = image})};
  }
  return {};
}

}  // namespace dsdoctor::diagnosis
