// SPDX-License-Identifier: Apache-2.0
#include "kube/client/api_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/printable.h"
#include "base/text.h"
#include "decode/bytes/sniff.h"
#include "decode/cluster/list_decoder.h"
#include "decode/protobuf/protobuf_status.h"

namespace dsdoctor::kube {
namespace {

using base::ErrorKind;
using nlohmann::json;

constexpr std::size_t longest_shown = 2048;  // bytes of a server's text that are shown

struct StatusBody {
  int code = 0;
  std::string reason;
  std::string message;
  std::string resource = {};  // from its details, like the name
  std::string name = {};
};

std::string text_of(const json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string()
             ? base::printable(at->get<std::string>(), longest_shown)
             : "";
}

std::optional<StatusBody> parse_status(std::string_view body) {
  if (const auto binary = decode::read_protobuf_status(body)) {
    if (binary->status != "Failure") return std::nullopt;
    return StatusBody{static_cast<int>(binary->code),
                      base::printable(binary->reason, longest_shown),
                      base::printable(binary->message, longest_shown)};
  }
  const auto document = json::parse(body, nullptr, false);
  if (!document.is_object() || text_of(document, "kind") != "Status" ||
      text_of(document, "status") != "Failure") {
    return std::nullopt;
  }
  StatusBody status{0, text_of(document, "reason"), text_of(document, "message")};
  const auto code = document.find("code");
  if (code != document.end() && code->is_number_integer()) status.code = code->get<int>();
  const auto details = document.find("details");
  if (details != document.end() && details->is_object()) {
    status.resource = text_of(*details, "kind");
    status.name = text_of(*details, "name");
  }
  return status;
}

struct Generic {
  int code;
  const char* reason;
  const char* message;
};
constexpr std::array<Generic, 10> generic{{
    {400, "BadRequest", "the server rejected our request for an unknown reason"},
    {401, "Unauthorized", "the server has asked for the client to provide credentials"},
    {403, "Forbidden", ""},
    {404, "NotFound", "the server could not find the requested resource"},
    {405, "MethodNotAllowed", "the server does not allow this method on the requested resource"},
    {406, "NotAcceptable", ""},
    {410, "Expired", "the list is too old"},
    {429, "TooManyRequests",
     "the server has received too many requests and has asked us to try again later"},
    {503, "ServiceUnavailable", "the server is currently unable to handle the request"},
    {504, "Timeout", "the server was unable to return a response in the time allotted"},
}};

bool is_text(const ResponseHead& head) {
  const std::string type = head.media_type();
  return type.empty() || type.starts_with("text/");
}

std::string shown_body(const ResponseHead& head, std::string_view body) {
  if (!is_text(head) || body.empty()) return "unknown";
  std::string text = base::printable(body, longest_shown);
  text.erase(text.find_last_not_of(" \t\n") + 1);
  return text;
}

StatusBody made_up(const ResponseHead& head, std::string_view body, const ResourceName& resource) {
  const auto known = std::ranges::find(generic, head.status, &Generic::code);
  StatusBody status{head.status, "", ""};
  if (known != generic.end()) {
    status.reason = known->reason;
    status.message = *known->message != '\0' ? known->message : shown_body(head, body);
  } else if (head.status >= 500) {
    status.reason = "InternalError";
    status.message =
        fmt::format("an error on the server (\"{}\") has prevented the request from succeeding",
                    shown_body(head, body));
  } else {
    status.message = fmt::format(
        "the server responded with the status code {} but did not return more information",
        head.status);
  }
  status.message += fmt::format(" (get {})", base::printable(resource));
  return status;
}

ErrorKind kind_of(int code, const std::string& reason) {
  if (reason == "Forbidden" || code == 403) return ErrorKind::Forbidden;
  if (reason == "Unauthorized" || code == 401) return ErrorKind::Unauthorized;
  if (reason == "NotFound" || code == 404) return ErrorKind::NotFound;
  if (code >= 400 && code < 429) return ErrorKind::Malformed;  // our request is at fault
  return ErrorKind::Unavailable;
}

bool looks_like_html(std::string_view body) { return base::trimmed(body).starts_with('<'); }

std::vector<std::string> hints_for(const ResponseHead& head, std::string_view body) {
  if (body.find("HTTP request to an HTTPS server") != std::string_view::npos) {
    return {"the server expects TLS: its URL must begin with https://"};
  }
  if (head.media_type() == "text/html" || looks_like_html(body)) {
    return {
        "this may be the login page of a proxy, or the server URL is not that of an API "
        "server"};
  }
  if (head.status == 407) return {"the proxy requires a user name and password"};
  return {};
}

ApiFailure to_failure(StatusBody status, int http_code, std::vector<std::string> hints) {
  const int code = http_code != 0 ? http_code : status.code;
  ApiFailure failure{code, status.reason, status.message, {}, status.resource, status.name};
  failure.error.kind = kind_of(code, status.reason);
  failure.error.hints = std::move(hints);
  if (failure.error.kind == ErrorKind::Unauthorized) {
    failure.error.what = fmt::format("You must be logged in to the server ({})", status.message);
    return failure;
  }
  failure.error.where = status.reason.empty()
                            ? "Error from server"
                            : fmt::format("Error from server ({})", status.reason);
  failure.error.what = status.message;
  return failure;
}

ApiFailure bad_answer(const ResponseHead& head, std::string_view body, const std::string& what) {
  ApiFailure failure{head.status, "", what, {}};
  failure.error = {ErrorKind::Malformed, "Error from server", what, hints_for(head, body)};
  return failure;
}

}  // namespace

bool is_absence(const ApiFailure& failure, std::string_view resource, std::string_view name) {
  return failure.status != 0 && failure.error.kind == ErrorKind::NotFound &&
         failure.resource == resource && failure.name == name;
}

ApiFailure failure_of(base::Error error) {
  ApiFailure failure;
  failure.message = error.what;
  failure.error = std::move(error);
  return failure;
}

ApiFailure failure_of(const ResponseHead& head, std::string_view body,
                      const ResourceName& resource) {
  if (auto status = parse_status(body)) {
    if (status->message.empty()) status->message = made_up(head, body, resource).message;
    return to_failure(std::move(*status), head.status, {});
  }
  if (head.status >= 300 && head.status < 400) {
    ApiFailure failure{head.status, "", "the server redirects to another resource", {}};
    failure.error = {ErrorKind::Unavailable, "Error from server",
                     fmt::format("the server answered {} with a redirect, which is not followed: "
                                 "only the same resource of the configured server is read",
                                 head.status),
                     hints_for(head, body)};
    return failure;
  }
  return to_failure(made_up(head, body, resource), head.status, hints_for(head, body));
}

std::optional<ApiFailure> failure_in_body(std::string_view body) {
  auto status = parse_status(body);
  if (!status) return std::nullopt;
  const int code = status->code == 0 ? 500 : status->code;
  return to_failure(std::move(*status), code, {});
}

ApiFailure wrong_content(const ResponseHead& head, std::string_view body) {
  const std::string type = head.media_type();
  const std::string what =
      type.empty() ? "is not an answer of an API server"
                   : fmt::format("has the content type \"{}\", expected application/json",
                                 base::printable(type, 100));
  return bad_answer(head, body, "the answer " + what);
}

std::optional<ApiFailure> foreign_answer(const ResponseHead& head, std::string_view body) {
  constexpr std::size_t opening = 512;
  if (decode::encoding_of(head.media_type()) != decode::Encoding::Json) return std::nullopt;
  // The hints of foreign_content are about files; they do not apply to an answer.
  const auto foreign = decode::foreign_content(body.substr(0, opening));
  if (!foreign) return std::nullopt;
  return bad_answer(head, body, fmt::format("the answer is {}, expected JSON", foreign->what));
}

std::string kubectl_line(const base::Error& error) {
  std::string line = base::to_string(error);
  const bool complete = line.starts_with("Error ") || line.starts_with("Unable to ") ||
                        line.starts_with("The connection to ");
  return complete ? line : "error: " + line;
}

}  // namespace dsdoctor::kube
