// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/pull_failure.h"

#include <optional>

#include "base/text.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/causes/startup/image_reference.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

PullFailure classify_certificate(std::string_view text) {
  if (mentions(text, "has expired or is not yet valid")) return PullFailure::Expired;
  if (mentions(text, "legacy Common Name")) return PullFailure::NoName;
  const bool other_name =
      mentions_any(text, {"certificate is valid for", "doesn't contain any IP SANs",
                          "not valid for any names", "certificate is not valid for any"});
  return other_name ? PullFailure::OtherName : PullFailure::Untrusted;
}

bool is_about_network(std::string_view text) {
  const bool is_of_dns = text.find("lookup ") != text.npos && text.ends_with(": Try again");
  if (is_of_dns) return true;
  return mentions_any(
      text, {"no such host", "server misbehaving", "i/o timeout", "connection refused",
             "connection timed out", "connection reset", "network is unreachable",
             "no route to host", "lame referral", "TLS handshake timeout", "Client.Timeout",
             "proxyconnect", "connect: permission denied", "connect: operation not permitted"});
}

/// True for `mkdir /var/lib/containerd/x: permission denied`; a registry's denial names no file
/// path.
bool is_refused_file(std::string_view said) {
  const std::size_t at = said.substr(0, 4096).find(": permission denied");
  if (at == said.npos) return false;
  const std::string_view before = base::trimmed(said.substr(0, at), "\"'\\");
  return before.substr(before.find_last_of(" \"'") + 1).starts_with('/');
}

/// Messages about images that were pulled but cannot be stored: containerd, Docker, CRI-O.
bool is_about_store(std::string_view text) {
  return mentions_any(text, {"failed to extract layer", "content store", "content digest",
                             "extraction snapshot", "parent snapshot", "image on snapshotter",
                             "failed to register layer", "adding layer with blob"});
}

/// A problem of the node itself, independent of the registry.
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
  if (mentions_any(text, {"Source image rejected", "signature validation failed"})) {
    return PullFailure::Policy;
  }
  if (mentions(said, "did not resolve to an alias")) return PullFailure::ShortName;
  if (mentions(said, "is no longer supported since")) return PullFailure::Format;
  if (is_about_network(text)) return std::nullopt;
  if (is_about_store(text) || is_refused_file(said)) return PullFailure::Store;
  return std::nullopt;
}

/// Classifies the registry's or the runtime's message. `text` has no image names, because a tag can
/// be "429". More specific words come first: Docker Hub reports both "denied" and "not found" for
/// the same missing repository.
PullFailure classify_registry(std::string_view text) {
  if (mentions_any(text, {"toomanyrequests", "429 Too Many Requests", "429 (Too Many Requests)",
                          "too many requests to registry"})) {
    return PullFailure::Limited;
  }
  if (mentions_any(text, {"x509"})) return classify_certificate(text);
  if (mentions(text, "server gave HTTP response to HTTPS client")) return PullFailure::PlainHttp;
  if (mentions(text, "Proxy Authentication Required")) return PullFailure::Proxy;
  if (is_about_network(text) || text.find("EOF") != text.npos) return PullFailure::Network;
  if (mentions_any(text, {"500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable",
                          "504 Gateway Time", "500 (Internal Server Error)", "502 (Bad Gateway)",
                          "503 (Service Unavailable)", "504 (Gateway Time"})) {
    return PullFailure::Failing;
  }
  if (mentions(text, "no basic auth credentials")) return PullFailure::Denied;
  if (mentions(text, "repository does not exist or may require")) {
    return PullFailure::DeniedOrNotFound;
  }
  if (mentions_any(text, {"unauthorized", "authentication required", "denied", "403 Forbidden",
                          "403 (Forbidden)"})) {
    return PullFailure::Denied;
  }
  if (mentions_any(text, {"not found", "manifest unknown", "name unknown"})) {
    if (mentions_any(text, {"content descriptor", "httpReadSeeker"})) return PullFailure::Part;
    return PullFailure::NotFound;
  }
  return mentions(text, "deadline exceeded") ? PullFailure::Slow : PullFailure::Other;
}

/// The kubelet does not pull if the runtime fails to report whether it has the image.
PullFailure classify_inspection(std::string_view text) {
  if (mentions(text, "no space left")) return PullFailure::Disk;
  const bool is_silent = mentions_any(text, {"deadline exceeded", "timed out", "dial unix"});
  return is_silent ? PullFailure::Runtime : PullFailure::Other;
}

/// Why an image cannot be pulled; absent if unknown or if another text states it.
std::optional<Message> why_of(PullFailure failure) {
  switch (failure) {
    case PullFailure::Denied:
    case PullFailure::DeniedOrNotFound: return phrase::PullDenied{};
    case PullFailure::Limited: return phrase::PullLimited{};
    case PullFailure::Untrusted: return phrase::PullUntrusted{};
    case PullFailure::Expired: return phrase::PullExpired{};
    case PullFailure::OtherName: return phrase::PullOtherName{};
    case PullFailure::NoName: return phrase::PullNoName{};
    case PullFailure::Proxy: return phrase::PullProxy{};
    case PullFailure::Page: return phrase::PullPage{};
    case PullFailure::PlainHttp: return phrase::PullPlainHttp{};
    case PullFailure::Failing: return phrase::PullRegistryFails{};
    case PullFailure::Network: return phrase::PullUnreachable{};
    case PullFailure::Slow: return phrase::StartupTooSlow{};
    case PullFailure::Disk: return phrase::StartupDiskFull{};
    case PullFailure::Store: return phrase::PullStore{};
    case PullFailure::Runtime: return phrase::PullRuntime{};
    case PullFailure::Part: return phrase::PullPartMissing{};
    case PullFailure::Format: return phrase::PullFormat{};
    case PullFailure::Policy: return phrase::PullPolicy{};
    case PullFailure::ShortName: return phrase::PullShortName{};
    case PullFailure::NotFound:
    case PullFailure::Platform:
    case PullFailure::Paced:
    case PullFailure::Other: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

PullFailure classify_pull(std::string_view reason, std::string_view said, std::string_view image) {
  const std::string text = without_references(said, image);
  if (reason == "ImageInspectError") return classify_inspection(text);
  const auto by_node = classify_node(said.substr(0, 4096), text);
  return by_node ? *by_node : classify_registry(text);
}

Message outcome(PullFailure failure, std::string_view reason) {
  if (reason == "ImageInspectError") return phrase::ImageNotInspected{.why = why_of(failure)};
  if (failure == PullFailure::NotFound) return phrase::ImageNotFound{};
  if (failure == PullFailure::Platform) return phrase::ImageOfOtherPlatform{};
  if (failure == PullFailure::Paced) return phrase::ImagePullPaced{};
  return phrase::ImageNotPulled{.why = why_of(failure)};
}

}  // namespace dsdoctor::diagnosis
