#include "diagnosis/causes/startup/image_findings.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"
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
  NoName,   // the certificate has its name in a field that no longer counts
  Proxy,    // it asks for a login
  Page,     // a web page comes instead of the image
  Failing,  // the registry itself
  Network,
  Slow,
  Platform,
  Disk,
  Store,    // of images on the node
  Runtime,  // of the node: it does not answer
  Paced,    // by the kubelet itself
  Part,     // of it is not there
  Format,   // is none that the runtime still knows
  Policy,   // of signatures
  ShortName,
  Other,
};

PullFailure classify_certificate(std::string_view text) {
  if (mentions(text, "has expired or is not yet valid")) return PullFailure::Expired;
  if (mentions(text, "legacy Common Name")) return PullFailure::NoName;
  const bool other_name =
      mentions_any(text, {"certificate is valid for", "doesn't contain any IP SANs",
                          "not valid for any names", "certificate is not valid for any"});
  return other_name ? PullFailure::OtherName : PullFailure::Untrusted;
}

bool is_about_network(std::string_view text) {
  return mentions_any(
      text,
      {"no such host", "server misbehaving", "i/o timeout", "connection refused",
       "connection timed out", "connection reset", "network is unreachable", "no route to host",
       ": Try again", "lame referral", "TLS handshake timeout", "Client.Timeout", "proxyconnect",
       "connect: permission denied", "connect: operation not permitted"});
}

/// `mkdir /var/lib/containerd/x: permission denied`; registries deny access to no file.
bool is_refused_file(std::string_view said) {
  const std::size_t at = said.substr(0, 4096).find(": permission denied");
  if (at == said.npos) return false;
  const std::string_view before = base::trimmed(said.substr(0, at), "\"'\\");
  return before.substr(before.find_last_of(" \"'") + 1).starts_with('/');
}

/// What the runtime says of images that it has got and cannot keep: containerd, Docker, CRI-O.
bool is_about_store(std::string_view text) {
  return mentions_any(text, {"failed to extract layer", "content store", "content digest",
                             "extraction snapshot", "parent snapshot", "image on snapshotter",
                             "failed to register layer", "adding layer with blob"});
}

/// What the node itself lacks, whatever the registry says.
std::optional<PullFailure> classify_node(std::string_view said, std::string_view text) {
  if (mentions_any(
          text, {"no match for platform", "no matching manifest", "no image found in manifest list",
                 "no image found in image index", "based image is incompatible with"})) {
    return PullFailure::Platform;
  }
  if (mentions(text, "no space left")) return PullFailure::Disk;
  if (mentions(text, "dial unix")) return PullFailure::Runtime;
  if (mentions(said, "media type text/html")) return PullFailure::Page;
  if (mentions(text, "unexpected media type")) return PullFailure::Other;
  if (mentions(text, "pull QPS exceeded")) return PullFailure::Paced;
  if (mentions_any(text, {"Source image rejected", "signature validation failed",
                          "is rejected by policy"})) {
    return PullFailure::Policy;
  }
  if (mentions(said, "did not resolve to an alias")) return PullFailure::ShortName;
  if (mentions(said, "is no longer supported since")) return PullFailure::Format;
  if (is_about_network(text)) return std::nullopt;
  if (is_about_store(text) || is_refused_file(said)) return PullFailure::Store;
  return std::nullopt;
}

/// By what the registry or the runtime says, in `text` without names of images: a tag may be 429.
/// Of several words the more telling one stands first: Docker Hub says "denied" and "not found" of
/// one and the same missing repository.
PullFailure classify_registry(std::string_view text) {
  if (mentions_any(text, {"toomanyrequests", "429 Too Many Requests"})) {
    return PullFailure::Limited;
  }
  if (mentions_any(text, {"x509"})) return classify_certificate(text);
  if (mentions(text, "server gave HTTP response to HTTPS client")) return PullFailure::PlainHttp;
  if (mentions(text, "Proxy Authentication Required")) return PullFailure::Proxy;
  if (is_about_network(text) || text.find("EOF") != text.npos) return PullFailure::Network;
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
    if (mentions_any(text, {"content descriptor", "httpReadSeeker"})) return PullFailure::Part;
    return PullFailure::NotFound;
  }
  return mentions(text, "deadline exceeded") ? PullFailure::Slow : PullFailure::Other;
}

/// No pull takes place where the runtime does not tell whether it has the image.
PullFailure classify_inspection(std::string_view text) {
  if (mentions(text, "no space left")) return PullFailure::Disk;
  const bool is_silent = mentions_any(text, {"deadline exceeded", "timed out", "dial unix"});
  return is_silent ? PullFailure::Runtime : PullFailure::Other;
}

PullFailure classify_pull(std::string_view reason, std::string_view said, std::string_view image) {
  const std::string text = without_references(said, image);
  if (reason == "ImageInspectError") return classify_inspection(text);
  const auto by_node = classify_node(said.substr(0, 4096), text);
  return by_node ? *by_node : classify_registry(text);
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
    case PullFailure::NoName:
      return "cannot be pulled: the registry's certificate has no subject alternative name";
    case PullFailure::Proxy: return "cannot be pulled: the proxy asks for a login";
    case PullFailure::Page: return "cannot be pulled: a web page comes instead of it";
    case PullFailure::PlainHttp: return "cannot be pulled: the registry answers without TLS";
    case PullFailure::Failing: return "cannot be pulled: the registry fails";
    case PullFailure::Network: return "cannot be pulled: the registry cannot be reached";
    case PullFailure::Slow: return "cannot be pulled: it takes too long";
    case PullFailure::Platform: return "is not built for the platform of the node";
    case PullFailure::Disk: return "cannot be pulled: the disk of the node is full";
    case PullFailure::Store: return "cannot be pulled: the image store of the node fails";
    case PullFailure::Runtime:
      return "cannot be pulled: the container runtime of the node does not answer";
    case PullFailure::Paced: return "cannot be pulled yet: the kubelet limits the rate of pulls";
    case PullFailure::Part: return "cannot be pulled: a part of it is not in the registry";
    case PullFailure::Format:
      return "cannot be pulled: the runtime of the node no longer supports its format";
    case PullFailure::Policy:
      return "cannot be pulled: the signature policy of the node rejects it";
    case PullFailure::ShortName: return "cannot be pulled: its name has no registry";
    case PullFailure::Other: return "cannot be pulled";
  }
  return "";
}

/// The same of an image that no pull was tried for.
std::string outcome(PullFailure failure, std::string_view reason) {
  constexpr std::string_view pulled = "cannot be pulled";
  const std::string_view text = to_string(failure);
  if (reason != "ImageInspectError" || !text.starts_with(pulled)) return std::string(text);
  return fmt::format("cannot be inspected{}", text.substr(pulled.size()));
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

finding::ImagePull pull_kind(PullFailure failure, std::string_view image,
                             std::string_view secrets) {
  const bool secret = !secrets.empty();
  return {.a_part_is_missing = failure == PullFailure::Part,
          .a_policy_rejects_it = failure == PullFailure::Policy,
          .a_pull_secret_is_missing = secret,
          .access_is_denied = failure == PullFailure::Denied && !secret,
          .access_is_denied_or_it_is_missing = failure == PullFailure::DeniedOrNotFound && !secret,
          .image = image,
          .missing_secrets = secrets,
          .nothing_else_is_known = failure == PullFailure::Other,
          .object = object_at_fault(failure, image, secrets),
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
  const std::string_view image = image_of(pod, status);
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
  std::vector<std::string> evidence = {waiting_evidence(pod, status)};
  if (failed != nullptr) evidence.push_back(event_evidence(*failed));
  Finding finding = make_finding(pull_kind(failure, image, secrets), std::move(message),
                                 std::move(evidence), names_of(c, pod.meta.name));
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
