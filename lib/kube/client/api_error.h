// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// Why a request failed.
struct ApiFailure {
  int status = 0;       // HTTP code; 0: no answer
  std::string reason;   // "Forbidden", "Expired", ...; empty if the server gives no reason
  std::string message;  // the server's sentence, printable
  base::Error error;    // the same in kubectl's words
  /// From the details of a Status: "daemonsets" and "fluentd". Empty without details.
  std::string resource = {};
  std::string name = {};
};

/// Reports whether the API server states that the object does not exist. Other 404s (an unserved
/// path, a proxy that does not know the cluster) and local errors do not prove that.
[[nodiscard]] bool is_absence(const ApiFailure& failure, std::string_view resource,
                              std::string_view name);

/// A failure without an answer; its message is the error's.
[[nodiscard]] ApiFailure failure_of(base::Error error);

/// The requested resource, for messages that the server did not write: "nodes", "daemonsets.apps
/// fluentd".
using ResourceName = std::string;

/// The failure in an answer with an error code. `body` may be cut after some kilobytes. Uses the
/// Status in the body if there is one, else the code.
/// Source of truth: k8s.io/apimachinery, pkg/api/errors (NewGenericServerResponse).
[[nodiscard]] ApiFailure failure_of(const ResponseHead& head, std::string_view body,
                                    const ResourceName& resource);

/// The failure in an answer with code 200 whose body is a Status instead of a list or an object;
/// null if `body` is anything else.
[[nodiscard]] std::optional<ApiFailure> failure_in_body(std::string_view body);

/// The failure in an answer with code 200 that is not from an API server: a login page, an unknown
/// content type.
[[nodiscard]] ApiFailure wrong_content(const ResponseHead& head, std::string_view body);

/// The failure in an answer that should be JSON but begins like something else: compressed data, a
/// web page. Null if it may be JSON.
[[nodiscard]] std::optional<ApiFailure> foreign_answer(const ResponseHead& head,
                                                       std::string_view body);

/// The whole line for stderr: kubectl's own sentences unchanged, others after `error: `.
[[nodiscard]] std::string kubectl_line(const base::Error& error);

}  // namespace dsdoctor::kube
