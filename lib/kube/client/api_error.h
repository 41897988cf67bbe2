#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

/// Why a request gave nothing.
struct ApiFailure {
  int status = 0;       // HTTP code; 0: there was no answer
  std::string reason;   // "Forbidden", "Expired", ...; empty where the server gives none
  std::string message;  // the server's sentence, printable
  base::Error error;    // the same in kubectl's words
  /// What the details of a Status name: "daemonsets" and "fluentd". Empty where it has none.
  std::string resource = {};
  std::string name = {};
};

/// The API server says that it has no such object. A 404 of anything else (of a path that is not
/// served, of a proxy that knows no such cluster) says nothing of the object, nor does a local
/// error.
[[nodiscard]] bool is_absence(const ApiFailure& failure, std::string_view resource,
                              std::string_view name);

/// Of what no server has answered: the message is the error's own sentence.
[[nodiscard]] ApiFailure failure_of(base::Error error);

/// What was asked for, for messages that the server did not write: "nodes",
/// "daemonsets.apps fluentd".
using ResourceName = std::string;

/// An answer whose code is no success. `body` may be cut after some kilobytes. Decides by the
/// Status in the body where there is one, else by the code.
/// Source of truth: k8s.io/apimachinery, pkg/api/errors (NewGenericServerResponse).
[[nodiscard]] ApiFailure failure_of(const ResponseHead& head, std::string_view body,
                                    const ResourceName& resource);

/// A Status of failure where a list or an object belongs, in an answer with code 200; null when
/// `body` is anything else.
[[nodiscard]] std::optional<ApiFailure> failure_in_body(std::string_view body);

/// An answer of code 200 that no API server gives: a login page, or no content type we know.
[[nodiscard]] ApiFailure wrong_content(const ResponseHead& head, std::string_view body);

/// An answer that should be JSON, and that begins as something else does: compressed data, a web
/// page. Null where nothing speaks against JSON.
[[nodiscard]] std::optional<ApiFailure> foreign_answer(const ResponseHead& head,
                                                       std::string_view body);

/// The whole line for stderr: kubectl's own sentences as they are, others after `error: `.
[[nodiscard]] std::string kubectl_line(const base::Error& error);

}  // namespace dsdoctor::kube
