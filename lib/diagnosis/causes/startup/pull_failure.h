// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "diagnosis/catalogue/message.h"

/// Meaning of the messages of registries, runtimes and kubelets about a failed image pull.
namespace dsdoctor::diagnosis {

enum class PullFailure {
  NotFound,
  Denied,
  DeniedOrNotFound,  // the registry does not distinguish them
  Limited,
  Untrusted,
  Expired,
  OtherName,  // the certificate is for another name
  PlainHttp,
  NoName,   // the certificate has its name only in the obsolete common name
  Proxy,    // requires authentication
  Page,     // the server returns a web page instead of the image
  Failing,  // the registry itself fails
  Network,
  Slow,
  Platform,
  Disk,
  Store,    // of images on the node
  Runtime,  // the node's runtime does not respond
  Paced,    // rate-limited by the kubelet itself
  Part,     // a part of the image is missing
  Format,   // no longer supported by the runtime
  Policy,   // signature policy
  ShortName,
  Other,
};

/// `reason` is the container's; `said` is the newest event's message, else the status's.
[[nodiscard]] PullFailure classify_pull(std::string_view reason, std::string_view said,
                                        std::string_view image);

/// The words after "image x": "not found in the registry". If no pull was tried, the image cannot
/// be inspected.
[[nodiscard]] Message outcome(PullFailure failure, std::string_view reason);

}  // namespace dsdoctor::diagnosis
