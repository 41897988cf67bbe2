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

/// The image that cannot be pulled: one that the kubelet names may be of a volume.
std::string_view image_to_pull(const model::Pod& pod, const model::ContainerStatus& status) {
  const std::string_view own = image_of(pod, status);
  const auto named = quoted_image(status.waiting->message);
  return named && !own.empty() && !is_same_image(*named, own) ? *named : own;
}

bool is_denied(PullFailure failure) {
  return failure == PullFailure::Denied || failure == PullFailure::DeniedOrNotFound;
}

/// It quotes this image, or no image, and is about the container.
bool is_about(const model::Event& event, const model::Pod& pod, std::string_view container,
              std::string_view image) {
  const auto quoted = quoted_image(event.message);
  return quoted && !image.empty() ? is_same_image(*quoted, image)
                                  : is_of_container(event, pod, container);
}

/// The newest text that is about this image; the back-off's own says nothing of the cause.
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

/// Names of imagePullSecrets that the kubelet could not read, as it says them: "a, b".
std::string_view missing_secrets(const Facts::Events& events) {
  const model::Event* event = newest(events, {"FailedToRetrieveImagePullSecret"});
  if (event == nullptr) return {};
  const std::string_view text = event->message;
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')', std::min(open, text.size()));
  if (open == text.npos || close == text.npos) return {};
  return text.substr(open + 1, close - open - 1);
}

/// The pull secret that is missing, else the node, the image or, where that is not known, nothing.
std::string object_at_fault(PullFailure failure, std::string_view image, std::string_view secrets) {
  if (!secrets.empty()) return fmt::format("Secret/{}", secrets.substr(0, secrets.find(',')));
  const bool is_the_node = failure == PullFailure::Disk || failure == PullFailure::Store ||
                           failure == PullFailure::Runtime || failure == PullFailure::Paced;
  if (is_the_node) return "Node";
  return image.empty() ? std::string() : fmt::format("Image/{}", image);
}

/// The kubelet goes on trying an image that the template does not have any more.
bool only_deletion_replaces(const NodeCase& c, const model::Pod& pod, std::string_view container,
                            std::string_view image) {
  if (c.of.ds.update_strategy != "OnDelete" || !is_outdated(c, pod)) return false;
  const model::Container* now = find_container(pod, container);
  const model::Container* next = find_container(c.of.ds.pod_template.spec, container);
  const bool is_its_own = now != nullptr && now->image == image;  // else that of a volume
  return is_its_own && next != nullptr && next->image != now->image;
}

/// Without a `failure` only a deletion of the pod helps.
finding::ImagePull pull_kind(std::optional<PullFailure> failure, std::string_view image,
                             std::string_view secrets, std::string_view object) {
  const bool secret = failure && !secrets.empty();
  return {.a_part_is_missing = failure == PullFailure::Part,
          .a_policy_rejects_it = failure == PullFailure::Policy,
          .a_pull_secret_is_missing = secret,
          .access_is_denied = failure == PullFailure::Denied && !secret,
          .access_is_denied_or_it_is_missing = failure == PullFailure::DeniedOrNotFound && !secret,
          .image = image,
          .missing_secrets = secrets,
          .nothing_else_is_known = failure == PullFailure::Other,
          .object = object,
          .only_deletion_replaces_the_pod = !failure,
          .pulls_are_limited = failure == PullFailure::Limited,
          .the_certificate_has_another_name =
              failure == PullFailure::OtherName || failure == PullFailure::NoName,
          .the_certificate_has_expired = failure == PullFailure::Expired,
          .the_certificate_is_untrusted = failure == PullFailure::Untrusted,
          .the_disk_is_full = failure == PullFailure::Disk,
          .the_format_is_outdated = failure == PullFailure::Format,
          .the_image_is_missing = failure == PullFailure::NotFound,
          .the_kubelet_paces_pulls = failure == PullFailure::Paced,
          .the_name_is_short = failure == PullFailure::ShortName,
          .the_platform_is_missing = failure == PullFailure::Platform,
          .the_proxy_wants_a_login = failure == PullFailure::Proxy,
          .the_registry_fails = failure == PullFailure::Failing,
          .the_registry_has_no_encryption = failure == PullFailure::PlainHttp,
          .the_registry_is_unreachable =
              failure == PullFailure::Network || failure == PullFailure::Slow,
          .the_registry_sends_a_page = failure == PullFailure::Page,
          .the_runtime_is_slow = failure == PullFailure::Runtime,
          .the_store_is_damaged = failure == PullFailure::Store};
}

/// The runtime's words about a pull; empty where there is nothing but the back-off.
std::string pull_words(std::string_view text) {
  const std::string words = error_excerpt(text);
  return words.starts_with("Back-off pulling image") ? std::string() : words;
}

Finding pull_finding(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                     const Facts::Events& events) {
  const std::string_view image = image_to_pull(pod, status);
  const model::Event* failed = newest_pull_failure(events, pod, status.name, image);
  const std::string_view text =
      failed != nullptr ? failed->message.view() : status.waiting->message.view();
  const PullFailure failure = classify_pull(waiting_reason(status), text, image);
  std::string message =
      fmt::format("{}: image {} {}", waiting_reason(status), image.empty() ? "(not read)" : image,
                  outcome(failure, waiting_reason(status)));
  const std::string said = pull_words(text);
  if (to_string(failure).find(said) == std::string_view::npos) {
    message += fmt::format(" ({})", said);
  }
  if (failed != nullptr && failed->count > 1) {
    message += fmt::format(", at least {} attempts", failed->count);
  }
  const std::string_view secrets = is_denied(failure) ? missing_secrets(events) : "";
  if (!secrets.empty()) message += fmt::format("; pull secret not found: {}", excerpt(secrets));
  std::vector<Evidence> evidence = {waiting_evidence(pod, status)};
  if (failed != nullptr) evidence.push_back(event_evidence(*failed));
  const bool is_changed = only_deletion_replaces(c, pod, status.name, image);
  const std::string object = object_at_fault(failure, image, secrets);
  Finding finding = make_said_finding(
      pull_kind(is_changed ? std::nullopt : std::optional(failure), image, secrets, object),
      std::move(message), std::move(evidence), names_of(c, pod.meta.name));
  // What ails the node ails it whatever the image is.
  finding.group = finding.root == "Node" ? std::string(to_string(failure))
                                         : fmt::format("{}|{}", image, to_string(failure));
  // A node that has just come pulls all its images at once, and the kubelet tries again.
  if (failure == PullFailure::Paced &&
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
  const auto simple = [&](const FindingKind& kind, std::string message) {
    Finding finding =
        make_said_finding(kind, std::move(message), {waiting_evidence(pod, status)}, names_of(c));
    finding.group = fmt::format("{}|{}", status.name.view(), image);
    return finding;
  };
  if (is_one_of(reason, {"ErrImagePull", "ImagePullBackOff", "RegistryUnavailable",
                         "SignatureValidationFailed", "ImageInspectError"})) {
    return {pull_finding(c, pod, status, events)};
  }
  if (reason == "InvalidImageName") {
    return {simple(FindingId::ImageInvalid,
                   fmt::format("InvalidImageName: image \"{}\" of container {}", excerpt(image),
                               status.name.view()))};
  }
  if (reason == "ErrImageNeverPull") {
    return {
        simple(finding::ImageNever{.image = image},
               fmt::format("ErrImageNeverPull: image {} is not on the node, and container {} has "
                           "imagePullPolicy Never",
                           image, status.name.view()))};
  }
  return {};
}

}  // namespace dsdoctor::diagnosis
