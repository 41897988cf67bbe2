// SPDX-License-Identifier: Apache-2.0
#include "kube/http/curl_failure.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/time.h"
#include "kube/http/curl_probe.h"
#include "kube/os/sockets.h"
#include "kube/text/certificate.h"
#include "kube/text/duration.h"

namespace dsdoctor::kube {
namespace {

using base::Error;
using base::ErrorKind;

// from openssl/x509_vfy.h; libcurl passes them on as numbers
constexpr long certificate_not_yet_valid = 9;
constexpr long certificate_has_expired = 10;
constexpr long wrong_host_name = 62;

TransportFailure failure(TransportFault fault, std::string what,
                         std::vector<std::string> hints = {}) {
  return {fault, Error{ErrorKind::Unavailable, "Unable to connect to the server", std::move(what),
                       std::move(hints)}};
}

bool holds(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

/// The peer of the TCP connection: the proxy if there is one, else the server.
std::string dialled(const Connection& connection) {
  return (connection.proxy ? connection.proxy->url : connection.server).address();
}

std::string dial_prefix(const Connection& connection) {
  return (connection.proxy ? "proxyconnect tcp: dial tcp " : "dial tcp ") + dialled(connection);
}

std::string_view words_of(ConnectProblem problem) {
  switch (problem) {
    case ConnectProblem::Refused: return "connect: connection refused";
    case ConnectProblem::NoRoute: return "connect: no route to host";
    case ConnectProblem::Unreachable: return "connect: network is unreachable";
    case ConnectProblem::TimedOut: return "connect: connection timed out";
    case ConnectProblem::Other: break;
  }
  return "connection failed";
}

TransportFailure connect_failure(const CurlOutcome& outcome, const Connection& connection) {
  const ConnectProblem problem = connect_problem(outcome.os_error);
  if (problem == ConnectProblem::Refused && !connection.proxy) {
    Error error{ErrorKind::Unavailable, "",
                fmt::format("The connection to the server {} was refused - did you specify the "
                            "right host or port?",
                            connection.server.authority())};
    if (connection.server_is_default) {
      error.hints.emplace_back(
          "no kubeconfig names a server: set KUBECONFIG, or use --kubeconfig or --context");
    }
    return {TransportFault::Refused, std::move(error)};
  }
  return failure(TransportFault::Setup,
                 fmt::format("{}: {}", dial_prefix(connection), words_of(problem)));
}

TransportFailure lookup_failure(const std::string& host, bool has_proxy) {
  std::vector<std::string> hints;
  if (!has_proxy) {
    hints.emplace_back("if that name is only known behind a proxy, set proxy-url or HTTPS_PROXY");
  }
  return failure(TransportFault::Setup,
                 fmt::format("dial tcp: lookup {}: no such host", base::printable(host)),
                 std::move(hints));
}

TransportFailure timeout_failure(const CurlOutcome& outcome, const Connection& connection,
                                 const HttpRequest& request, const TransportLimits& limits) {
  std::string what;
  const bool in_handshake = outcome.tls_started && !outcome.tls_connected;
  if (outcome.given_up == GivenUp::Stall) {
    what = fmt::format("no data from {} for {}", connection.server.authority(),
                       to_go_duration(outcome.head_received ? limits.stall : limits.first_byte));
  } else if (outcome.given_up == GivenUp::Handshake) {
    what = fmt::format(
        "net/http: TLS handshake timeout: {} accepted the connection, but was not "
        "ready within {}",
        dialled(connection), to_go_duration(limits.handshake));
  } else if (request.time_limit.count() > 0 && connection.request_timeout.count() > 0) {
    what = fmt::format(
        "net/http: request canceled: no complete answer within "
        "--request-timeout={} (Client.Timeout exceeded)",
        to_go_duration(connection.request_timeout));
  } else if (in_handshake) {
    what = fmt::format(
        "net/http: TLS handshake timeout: {} accepted the connection, but was not "
        "ready within {}",
        dialled(connection), to_go_duration(limits.connect));
  } else {
    what = fmt::format("{}: i/o timeout after {}", dial_prefix(connection),
                       to_go_duration(limits.connect));
  }
  return failure(TransportFault::TimedOut, std::move(what));
}

TransportFailure expired(const Connection& connection, bool not_yet, base::Time now) {
  std::string what = fmt::format(
      "tls: failed to verify certificate: x509: certificate has expired or is not yet "
      "valid: current time {}",
      base::rfc3339_seconds(now));
  if (const auto facts = probe_certificate(connection)) {
    what += not_yet ? " is before " + facts->not_before : " is after " + facts->not_after;
  }
  return failure(TransportFault::Setup, std::move(what), {"check this machine's clock as well"});
}

TransportFailure wrong_name(const Connection& connection) {
  const std::string& wanted =
      connection.tls.server_name.empty() ? connection.server.host : connection.tls.server_name;
  std::string names;
  if (const auto facts = probe_certificate(connection)) {
    for (const std::string& name : facts->names) names += (names.empty() ? "" : ", ") + name;
  }
  const std::string valid_for =
      names.empty() ? "certificate is not valid for any names, but wanted to match " + wanted +
                          ": the Common Name is ignored, only subjectAltName counts"
                    : fmt::format("certificate is valid for {}, not {}", names, wanted);
  return failure(TransportFault::Setup, "tls: failed to verify certificate: x509: " + valid_for,
                 {"use --tls-server-name with one of the names in the certificate, if this is the "
                  "right server"});
}

TransportFailure verification_failure(const CurlOutcome& outcome, const Connection& connection,
                                      base::Time now) {
  if (outcome.verify_result == certificate_has_expired) return expired(connection, false, now);
  if (outcome.verify_result == certificate_not_yet_valid) return expired(connection, true, now);
  if (outcome.verify_result == wrong_host_name || holds(outcome.text, "subject name"))
    return wrong_name(connection);
  return failure(TransportFault::Setup,
                 fmt::format("tls: failed to verify certificate: x509: certificate signed by "
                             "unknown authority ({})",
                             base::printable(outcome.text)),
                 {fmt::format("trusted: {}", base::printable(connection.tls.ca_source))});
}

TransportFailure no_tls(const Connection& connection) {
  const std::string server = connection.server.authority();
  if (answers_in_plain_http(connection)) {
    return failure(TransportFault::Setup,
                   server + " does not speak TLS: http: server gave HTTP response to HTTPS client",
                   {"the server URL may have to begin with http://"});
  }
  return failure(TransportFault::Setup,
                 server + " does not speak TLS: first record does not look like a TLS handshake");
}

TransportFailure handshake_failure(const CurlOutcome& outcome, const Connection& connection,
                                   base::Time now) {
  // Two authorities with the same name, as in every kubeadm cluster ("kubernetes"): OpenSSL tries
  // the wrong key and reports a failed signature, not an unknown issuer.
  if (holds(outcome.text, "EVP lib") || holds(outcome.text, "certificate verify failed")) {
    return verification_failure(outcome, connection, now);
  }
  if (holds(outcome.text, "wrong version number") ||
      holds(outcome.text, "packet length too long")) {
    return no_tls(connection);
  }
  // Closed or reset during the handshake, without an error (SSL_ERROR_SYSCALL) or with a system
  // error: a retry may reach a server that has started by then.
  if (holds(outcome.text, "SSL_ERROR_SYSCALL") || holds(outcome.text, "unexpected eof")) {
    return failure(TransportFault::Lost,
                   "EOF during the TLS handshake with " + connection.server.authority());
  }
  if (holds(outcome.text, "Connection reset by peer") || holds(outcome.text, "Broken pipe")) {
    return failure(TransportFault::Lost, "the connection was lost during the TLS handshake with " +
                                             connection.server.authority() + ": " +
                                             base::printable(outcome.text));
  }
  return failure(TransportFault::Setup, "tls: handshake failure: " + base::printable(outcome.text));
}

/// Reports whether the server closed with an alert because it rejects our certificate; with TLS 1.3
/// that happens only after the handshake.
bool is_client_certificate_alert(const CurlOutcome& outcome) {
  return holds(outcome.text, "certificate required") || holds(outcome.text, "bad certificate") ||
         holds(outcome.text, "alert unknown ca") || holds(outcome.text, "certificate expired") ||
         holds(outcome.text, "alert certificate unknown") ||
         holds(outcome.text, "alert decrypt error");  // signed by another authority with that name
}

TransportFailure rejected_certificate(const CurlOutcome& outcome, const HttpRequest& request,
                                      base::Time now) {
  std::string hint = "no client certificate was presented";
  if (!request.client_cert_pem.empty()) {
    const auto expiry = expiry_of(request.client_cert_pem);
    if (!expiry) {
      hint = "the client certificate cannot be read";
    } else if (*expiry < now) {
      hint = fmt::format("the client certificate expired on {}", base::rfc3339_seconds(*expiry));
    } else {
      hint = fmt::format(
          "the client certificate is valid until {}: it may be of another cluster's authority",
          base::rfc3339_seconds(*expiry));
    }
  }
  return failure(TransportFault::Setup,
                 "remote error: tls: the server rejected the client certificate: " +
                     base::printable(outcome.text),
                 {std::move(hint)});
}

/// libcurl supports gzip data with a single member only; if more follows, it reports a failed
/// write.
TransportFailure bad_gzip(const Connection& connection) {
  return {TransportFault::CutBody,
          Error{ErrorKind::Unavailable, connection.server.authority(),
                "the answer cannot be decompressed: its gzip data continues after its end"}};
}

/// The names of RFC 9113.
std::string http2_error(std::uint32_t code) {
  constexpr std::array<std::string_view, 14> names = {"NO_ERROR",
                                                      "PROTOCOL_ERROR",
                                                      "INTERNAL_ERROR",
                                                      "FLOW_CONTROL_ERROR",
                                                      "SETTINGS_TIMEOUT",
                                                      "STREAM_CLOSED",
                                                      "FRAME_SIZE_ERROR",
                                                      "REFUSED_STREAM",
                                                      "CANCEL",
                                                      "COMPRESSION_ERROR",
                                                      "CONNECT_ERROR",
                                                      "ENHANCE_YOUR_CALM",
                                                      "INADEQUATE_SECURITY",
                                                      "HTTP_1_1_REQUIRED"};
  return code < names.size() ? std::string(names[code]) : fmt::format("error {}", code);
}

/// Why an HTTP/2 request ended, if that is known; empty: the connection was closed.
std::string http2_reason(const CurlOutcome& outcome) {
  if (outcome.goaway) return "GOAWAY, " + http2_error(*outcome.goaway);
  // libcurl does not say which of these, nor with which code.
  if (outcome.code == CURLE_GOT_NOTHING) return "the server reset the stream or broke the protocol";
  const bool is_closed = holds(outcome.text, "end of the underlying stream");
  const bool says_why = outcome.code == CURLE_HTTP2 || outcome.code == CURLE_HTTP2_STREAM;
  if (is_closed || (!says_why && !holds(outcome.text, "HTTP/2"))) return {};
  return outcome.text.empty() ? curl_easy_strerror(outcome.code) : base::printable(outcome.text);
}

/// A retry may succeed, if the server was only about to end; a broken server gets few.
TransportFailure http2_failure(const CurlOutcome& outcome, const Connection& connection,
                               const std::string& reason) {
  return {
      outcome.head_received ? TransportFault::CutBody : TransportFault::Ended,
      Error{ErrorKind::Unavailable, connection.server.authority(),
            fmt::format("the HTTP/2 request ended before {}: {}",
                        outcome.head_received ? "the end of the answer" : "an answer", reason)}};
}

TransportFailure broken_connection(const CurlOutcome& outcome, const Connection& connection,
                                   const HttpRequest& request, base::Time now) {
  if (is_client_certificate_alert(outcome)) return rejected_certificate(outcome, request, now);
  if (holds(outcome.text, "CONNECT tunnel failed")) {
    const bool unauthenticated = holds(outcome.text, "407");
    return failure(TransportFault::Setup, unauthenticated
                                              ? "proxyconnect: Proxy Authentication Required"
                                              : "proxyconnect: " + base::printable(outcome.text));
  }
  if (outcome.http2) {
    if (const std::string reason = http2_reason(outcome); !reason.empty()) {
      return http2_failure(outcome, connection, reason);
    }
  }
  if (outcome.head_received) {
    return {TransportFault::CutBody, Error{ErrorKind::Unavailable, connection.server.authority(),
                                           "the answer is incomplete: unexpected EOF (" +
                                               base::printable(outcome.text) + ")"}};
  }
  return failure(TransportFault::Lost, "the connection was closed before an answer: EOF");
}

}  // namespace

TransportFailure to_failure(const CurlOutcome& outcome, const Connection& connection,
                            const HttpRequest& request, const TransportLimits& limits,
                            base::Time now) {
  if (outcome.given_up != GivenUp::No) {
    return timeout_failure(outcome, connection, request, limits);
  }
  if (holds(outcome.text,
            "Too large response headers")) {  // libcurl's own limit, also for a proxy's headers
    return failure(TransportFault::TooLarge, base::printable(outcome.text));
  }
  switch (static_cast<int>(outcome.code)) {
    case CURLE_COULDNT_CONNECT: return connect_failure(outcome, connection);
    case CURLE_COULDNT_RESOLVE_HOST:
      return lookup_failure(connection.server.host, connection.proxy.has_value());
    case CURLE_COULDNT_RESOLVE_PROXY:
      return lookup_failure(connection.proxy ? connection.proxy->url.host : "", true);
    case CURLE_OPERATION_TIMEDOUT: return timeout_failure(outcome, connection, request, limits);
    case CURLE_PEER_FAILED_VERIFICATION: return verification_failure(outcome, connection, now);
    case CURLE_SSL_CONNECT_ERROR:
      if (is_client_certificate_alert(outcome))
        return broken_connection(outcome, connection, request, now);
      return handshake_failure(outcome, connection, now);
    case CURLE_SSL_CERTPROBLEM:
      return failure(TransportFault::Setup,
                     "tls: the client certificate and key cannot be used together: " +
                         base::printable(outcome.text));
    case CURLE_SSL_CACERT_BADFILE:
      return failure(TransportFault::Setup, fmt::format("unable to load root certificates from {}",
                                                        base::printable(connection.tls.ca_source)));
    case CURLE_PROXY:
      return failure(TransportFault::Setup, "proxyconnect: " + base::printable(outcome.text));
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_BAD_CONTENT_ENCODING: return broken_connection(outcome, connection, request, now);
    case CURLE_WRITE_ERROR: return bad_gzip(connection);
    default:  // libcurl's own codes, whose list grows
      return failure(TransportFault::Setup,
                     base::printable(outcome.text.empty() ? curl_easy_strerror(outcome.code)
                                                          : outcome.text.c_str()));
  }
}

}  // namespace dsdoctor::kube
