#pragma once

#include <string_view>

#include "diagnosis/catalogue/message.h"

/// What registries, runtimes and kubelets say of an image that is not pulled.
namespace dsdoctor::diagnosis {

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

/// `reason` is the container's, `said` the words of the newest event, else of the status.
[[nodiscard]] PullFailure classify_pull(std::string_view reason, std::string_view said,
                                        std::string_view image);

/// What follows "image x": "not found in the registry". An image that no pull was tried for cannot
/// be inspected.
[[nodiscard]] Message outcome(PullFailure failure, std::string_view reason);

}  // namespace dsdoctor::diagnosis
