#include "diagnosis/causes/startup/pull_failure.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"
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
  if (mentions_any(text, {"Source image rejected", "signature validation failed"})) {
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

/// No pull takes place where the runtime does not tell whether it has the image.
PullFailure classify_inspection(std::string_view text) {
  if (mentions(text, "no space left")) return PullFailure::Disk;
  const bool is_silent = mentions_any(text, {"deadline exceeded", "timed out", "dial unix"});
  return is_silent ? PullFailure::Runtime : PullFailure::Other;
}

}  // namespace

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

std::string outcome(PullFailure failure, std::string_view reason) {
  constexpr std::string_view pulled = "cannot be pulled";
  const std::string_view text = to_string(failure);
  if (reason != "ImageInspectError" || !text.starts_with(pulled)) return std::string(text);
  return fmt::format("cannot be inspected{}", text.substr(pulled.size()));
}

}  // namespace dsdoctor::diagnosis
