#include "diagnosis/causes/startup/image_findings.h"

#include <fmt/format.h>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/causes/startup/image_reference.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

std::string_view image_of(const model::Pod& pod, const model::ContainerStatus& status) {
  const model::Container* container = find_container(pod, status.name);
  return container == nullptr ? std::string_view() : container->image.view();
}

enum class PullFailure {
  NotFound,
  Denied,
  DeniedOrNotFound,  // the registry does not tell which
  Limited,
  Untrusted,
  Expired,
  OtherName,  // of the certificate
  PlainHttp,
  Failing,  // the registry itself
  Network,
  Slow,
  Platform,
  Disk,
  Other,
};

PullFailure classify_certificate(std::string_view text) {
  if (mentions(text, "has expired or is not yet valid")) return PullFailure::Expired;
  const bool other_name =
      mentions_any(text, {"certificate is valid for", "doesn't contain any IP SANs",
                          "not valid for any names", "certificate is not valid for any"});
  return other_name ? PullFailure::OtherName : PullFailure::Untrusted;
}

bool is_about_network(std::string_view text) {
  return mentions_any(text, {"no such host", "server misbehaving", "i/o timeout",
                             "connection refused", "connection timed out", "connection reset",
                             "network is unreachable", "no route to host", "TLS handshake timeout",
                             "Client.Timeout", "proxyconnect"}) ||
         text.substr(0, 4096).find("EOF") != text.npos;
}

/// By what the registry or the runtime says, in `text` without names of images: a tag may be 429.
/// Of several words the more telling one stands first: Docker Hub says "denied" and "not found" of
/// one and the same missing repository.
PullFailure classify_pull(std::string_view text) {
  if (mentions_any(
          text, {"no match for platform", "no matching manifest", "no image found in manifest list",
                 "no image found in image index", "based image is incompatible with"})) {
    return PullFailure::Platform;
  }
  if (mentions_any(text, {"no space left"})) return PullFailure::Disk;
  if (mentions_any(text, {"toomanyrequests", "429 Too Many Requests"})) {
    return PullFailure::Limited;
  }
  if (mentions_any(text, {"x509"})) return classify_certificate(text);
  if (mentions(text, "server gave HTTP response to HTTPS client")) return PullFailure::PlainHttp;
  if (is_about_network(text)) return PullFailure::Network;
  if (mentions_any(text, {"500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable",
                          "504 Gateway Time"})) {
    return PullFailure::Failing;
  }
  if (mentions(text, "no basic auth credentials")) return PullFailure::Denied;
  if (mentions(text, "repository does not exist or may require")) {
    return PullFailure::DeniedOrNotFound;
  }
  if (mentions_any(text, {"unauthorized", "authentication required", "denied", "403 Forbidden"})) {
    return PullFailure::Denied;
  }
  if (mentions_any(text, {"not found", "manifest unknown", "name unknown"})) {
    return PullFailure::NotFound;
  }
  return mentions(text, "deadline exceeded") ? PullFailure::Slow : PullFailure::Other;
}

std::string_view to_string(PullFailure failure) {
  switch (failure) {
    case PullFailure::NotFound: return "not found in the registry";
    case PullFailure::Denied:
    case PullFailure::DeniedOrNotFound: return "cannot be pulled: the registry denies access";
    case PullFailure::Limited: return "cannot be pulled: the registry limits the pull rate";
    case PullFailure::Untrusted:
      return "cannot be pulled: the registry's certificate is not trusted";
    case PullFailure::Expired:
      return "cannot be pulled: the registry's certificate has expired or is not yet valid";
    case PullFailure::OtherName:
      return "cannot be pulled: the registry's certificate is for another name";
    case PullFailure::PlainHttp: return "cannot be pulled: the registry answers without TLS";
    case PullFailure::Failing: return "cannot be pulled: the registry fails";
    case PullFailure::Network: return "cannot be pulled: the registry cannot be reached";
    case PullFailure::Slow: return "cannot be pulled: it takes too long";
    case PullFailure::Platform: return "is not built for the platform of the node";
    case PullFailure::Disk: return "cannot be pulled: the disk of the node is full";
    case PullFailure::Other: return "cannot be pulled";
  }
  return "";
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

/// The pull secret that is missing, else the image; empty where neither is to blame.
std::string object_at_fault(PullFailure failure, std::string_view image, std::string_view secrets) {
  if (!secrets.empty()) return fmt::format("Secret/{}", secrets.substr(0, secrets.find(',')));
  const bool is_the_image = failure != PullFailure::Disk && !image.empty();
  return is_the_image ? fmt::format("Image/{}", image) : std::string();
}

finding::ImagePull pull_kind(PullFailure failure, std::string_view image,
                             std::string_view secrets) {
  const bool secret = !secrets.empty();
  return {.a_pull_secret_is_missing = secret,
          .access_is_denied = failure == PullFailure::Denied && !secret,
          .access_is_denied_or_it_is_missing = failure == PullFailure::DeniedOrNotFound && !secret,
          .image = image,
          .missing_secrets = secrets,
          .nothing_else_is_known = failure == PullFailure::Other,
          .object = object_at_fault(failure, image, secrets),
          .pulls_are_limited = failure == PullFailure::Limited,
          .the_certificate_has_another_name = failure == PullFailure::OtherName,
          .the_certificate_has_expired = failure == PullFailure::Expired,
          .the_certificate_is_untrusted = failure == PullFailure::Untrusted,
          .the_disk_is_full = failure == PullFailure::Disk,
          .the_image_is_missing = failure == PullFailure::NotFound,
          .the_platform_is_missing = failure == PullFailure::Platform,
          .the_registry_fails = failure == PullFailure::Failing,
          .the_registry_has_no_encryption = failure == PullFailure::PlainHttp,
          .the_registry_is_unreachable =
              failure == PullFailure::Network || failure == PullFailure::Slow};
}

/// The runtime's words about a pull; empty where there is nothing but the back-off.
std::string pull_words(std::string_view text) {
  const std::string words = error_excerpt(text);
  return words.starts_with("Back-off pulling image") ? std::string() : words;
}

Finding pull_finding(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                     const Facts::Events& events) {
  const std::string_view image = image_of(pod, status);
  const model::Event* failed = newest_pull_failure(events, pod, status.name, image);
  const std::string_view text =
      failed != nullptr ? failed->message.view() : status.waiting->message.view();
  const PullFailure failure = classify_pull(without_references(text, image));
  std::string message = fmt::format("{}: image {} {}", waiting_reason(status),
                                    image.empty() ? "(not read)" : image, to_string(failure));
  const std::string said = pull_words(text);
  if (to_string(failure).find(said) == std::string_view::npos) {
    message += fmt::format(" ({})", said);
  }
  if (failed != nullptr && failed->count > 1) {
    message += fmt::format(", at least {} attempts", failed->count);
  }
  const std::string_view secrets = is_denied(failure) ? missing_secrets(events) : "";
  if (!secrets.empty()) message += fmt::format("; pull secret not found: {}", excerpt(secrets));
  std::vector<std::string> evidence = {waiting_evidence(pod, status)};
  if (failed != nullptr) evidence.push_back(event_evidence(*failed));
  Finding finding = make_finding(pull_kind(failure, image, secrets), std::move(message),
                                 std::move(evidence), names_of(c, pod.meta.name));
  finding.group = fmt::format("{}|{}", image, to_string(failure));
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
        make_finding(kind, std::move(message), {waiting_evidence(pod, status)}, names_of(c));
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
