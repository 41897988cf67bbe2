// SPDX-License-Identifier: Apache-2.0
#include "kube/http/curl_options.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "kube/os/sockets.h"

namespace dsdoctor::kube {
namespace {

/// libcurl 7.77, the oldest we support, knows every option here, so the result is ignored.
template <typename Value>
void set(CURL* handle, CURLoption option, Value value) {
  (void)curl_easy_setopt(handle, option, value);  // NOLINT(*-vararg)
}

void set_blob(CURL* handle, CURLoption option, const std::string& bytes) {
  // libcurl copies and only reads, although the field is not const
  curl_blob blob{const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_COPY};  // NOLINT
  set(handle, option, &blob);
}

void append(CurlList& list, const std::string& line) {
  if (curl_slist* longer = curl_slist_append(list.get(), line.c_str())) {
    (void)list.release();
    list.reset(longer);
  }
}

/// libcurl takes the name to verify, which is also the SNI, from the URL: so the URL has that name,
/// and CONNECT_TO leads to the real host.
void set_url(CURL* handle, const Connection& connection, const std::string& target,
             CurlLists& lists) {
  const Url& server = connection.server;
  std::string authority = server.authority();
  if (server.scheme == "https" && !connection.tls.server_name.empty()) {
    Url named = server;
    named.host = connection.tls.server_name;
    authority = named.address();
    append(lists.connect_to, authority + ":" + server.address());
    set(handle, CURLOPT_CONNECT_TO, lists.connect_to.get());
  }
  const std::string url = server.scheme + "://" + authority + target;
  set(handle, CURLOPT_URL, url.c_str());
}

/// The options for the server or for an https proxy.
struct TrustOptions {
  CURLoption version, verify_peer, verify_host, ca_file, ca_folder, ca_bytes;
};
constexpr TrustOptions server_trust = {CURLOPT_SSLVERSION,     CURLOPT_SSL_VERIFYPEER,
                                       CURLOPT_SSL_VERIFYHOST, CURLOPT_CAINFO,
                                       CURLOPT_CAPATH,         CURLOPT_CAINFO_BLOB};
constexpr TrustOptions proxy_trust = {CURLOPT_PROXY_SSLVERSION,     CURLOPT_PROXY_SSL_VERIFYPEER,
                                      CURLOPT_PROXY_SSL_VERIFYHOST, CURLOPT_PROXY_CAINFO,
                                      CURLOPT_PROXY_CAPATH,         CURLOPT_PROXY_CAINFO_BLOB};

void set_trust(CURL* handle, const TlsSettings& tls, const TrustOptions& options) {
  set(handle, options.version, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(handle, options.verify_peer, tls.insecure ? 0L : 1L);
  set(handle, options.verify_host, tls.insecure ? 0L : 2L);
  // reset both, else libcurl's built-in defaults would be trusted as well
  set(handle, options.ca_file, static_cast<const char*>(nullptr));
  set(handle, options.ca_folder, static_cast<const char*>(nullptr));
  if (!tls.ca_pem.empty()) set_blob(handle, options.ca_bytes, tls.ca_pem);
}

/// Ends a connection whose peer is gone: kubectl pings over HTTP/2, but libcurl does not wait for
/// the answer of a ping, so TCP keepalive probes do it. A host that is gone does not answer them; a
/// slow one does.
int on_socket(void* user, curl_socket_t socket, curlsocktype /*purpose*/) {
  const auto& health = *static_cast<const ConnectionHealth*>(user);
  limit_unanswered(static_cast<std::intptr_t>(socket), health.idle + health.answer);
  return CURL_SOCKOPT_OK;
}

/// REQUIRES: `health` outlives the handle.
void set_health_check(CURL* handle, const ConnectionHealth& health) {
  if (health.idle.count() == 0) return;
  set(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  set(handle, CURLOPT_TCP_KEEPIDLE, static_cast<long>(health.idle.count()));
  set(handle, CURLOPT_TCP_KEEPINTVL, static_cast<long>(health.answer.count()));
  set(handle, CURLOPT_SOCKOPTFUNCTION, &on_socket);
  set(handle, CURLOPT_SOCKOPTDATA, &health);
}

void set_proxy(CURL* handle, const Connection& connection) {
  // Never null: libcurl would read the environment by its own rules, ALL_PROXY included.
  set(handle, CURLOPT_NOPROXY, "");
  if (!connection.proxy) {
    set(handle, CURLOPT_PROXY, "");
    return;
  }
  const Url& proxy = connection.proxy->url;
  // socks5h: the proxy resolves the name; the port is explicit, since libcurl's default is 1080
  const std::string scheme = proxy.scheme == "socks5" ? "socks5h" : proxy.scheme;
  const std::string url = scheme + "://" + proxy.address();
  set(handle, CURLOPT_PROXY, url.c_str());
  set(handle, CURLOPT_HTTPPROXYTUNNEL, connection.server.scheme == "https" ? 1L : 0L);
  set(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (proxy.user) {
    set(handle, CURLOPT_PROXYUSERNAME, proxy.user->c_str());
    set(handle, CURLOPT_PROXYPASSWORD, proxy.password.c_str());
    set(handle, CURLOPT_PROXYAUTH, static_cast<long>(CURLAUTH_BASIC));
  }
  if (proxy.scheme == "https") set_trust(handle, connection.tls, proxy_trust);
}

bool has_alternative_name(const X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      &GENERAL_NAMES_free);
  if (!names) return false;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const int type = sk_GENERAL_NAME_value(names.get(), i)->type;
    if (type == GEN_DNS || type == GEN_IPADD) return true;
  }
  return false;
}

/// Called after OpenSSL's own checks of one certificate of the chain.
int on_verified(int good, X509_STORE_CTX* chain) {
  if (good != 1 || X509_STORE_CTX_get_error_depth(chain) != 0) return good;
  if (has_alternative_name(X509_STORE_CTX_get_current_cert(chain))) return good;
  X509_STORE_CTX_set_error(chain, X509_V_ERR_HOSTNAME_MISMATCH);
  return 0;
}

/// Called for every TLS connection that libcurl sets up, after it has set the verification mode.
CURLcode on_tls_context(CURL* /*handle*/, void* context, void* of_handle) {
  auto& lists = *static_cast<CurlLists*>(of_handle);
  lists.tls_started = true;
  auto* tls = static_cast<SSL_CTX*>(context);
  const int mode = SSL_CTX_get_verify_mode(tls);
  if (mode != SSL_VERIFY_NONE) SSL_CTX_set_verify(tls, mode, &on_verified);
  if (!lists.reports_records) SSL_CTX_set_msg_callback(tls, nullptr);
  return CURLE_OK;
}

/// Makes the handle reject servers, and https proxies, whose certificate has neither a DNS name nor
/// an address in subjectAltName: libcurl would compare the Common Name, which Go and RFC 9525
/// ignore. Changes nothing without verification (CURLOPT_SSL_VERIFYPEER 0).
/// `lists.tls_started` becomes true when a TLS handshake begins; `lists` must outlive the handle.
/// False: this libcurl's TLS library is not OpenSSL.
bool require_alternative_names(CURL* handle, CurlLists& lists) {
  set(handle, CURLOPT_SSL_CTX_DATA, &lists);
  // NOLINTNEXTLINE(*-vararg)
  return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, &on_tls_context) == CURLE_OK;
}

}  // namespace

bool configure_connection(CURL* handle, const Connection& connection, const TransportLimits& limits,
                          const std::string& target, CurlLists& lists) {
  set(handle, CURLOPT_NOSIGNAL, 1L);
  set(handle, CURLOPT_FOLLOWLOCATION, 0L);
  set(handle, CURLOPT_PATH_AS_IS, 1L);
  set(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  // The _STR options exist since 7.85; this covers both.
#if LIBCURL_VERSION_NUM >= 0x075500
  set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  set(handle, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  set(handle, CURLOPT_HTTP_VERSION,
      static_cast<long>(connection.disable_http2 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
  set(handle, CURLOPT_PIPEWAIT, 1L);
  set_health_check(handle, connection.health);
  set(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
  set_url(handle, connection, target, lists);
  set_proxy(handle, connection);
  const bool proxy_tls = connection.proxy && connection.proxy->url.scheme == "https";
  if (connection.server.scheme == "https") set_trust(handle, connection.tls, server_trust);
  return (connection.server.scheme != "https" && !proxy_tls) ||
         require_alternative_names(handle, lists);
}

namespace {}  // namespace

bool wants_gzip(const Connection& connection, const HttpRequest& request) {
  return !connection.disable_compression && !request.is_watch;
}

std::vector<Header> request_headers(const Connection& connection, const HttpRequest& request,
                                    const std::string& user_agent) {
  std::vector<Header> headers;
  if (!connection.tls.server_name.empty())
    headers.push_back({"Host", connection.server.authority()});
  headers.push_back({"User-Agent", user_agent});
  if (wants_gzip(connection, request)) headers.push_back({"Accept-Encoding", "gzip"});
  headers.insert(headers.end(), request.headers.begin(), request.headers.end());
  return headers;
}

void configure_request(CURL* handle, const Connection& connection, const HttpRequest& request,
                       const std::string& user_agent, CurlLists& lists) {
  for (const Header& header : request_headers(connection, request, user_agent)) {
    if (header.name == "Accept-Encoding") continue;  // set below, so that libcurl inflates
    // `Name;` is libcurl's syntax for a header without a value
    append(lists.headers,
           header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
  }
  set(handle, CURLOPT_HTTPHEADER, lists.headers.get());
  // else Authorization and Impersonate-* would be sent to the proxy as well
  set(handle, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
  // "" would offer br and zstd too
  if (wants_gzip(connection, request)) set(handle, CURLOPT_ACCEPT_ENCODING, "gzip");
  if (request.time_limit.count() > 0) {
    constexpr std::int64_t most = 0x7FFFFFFF;  // libcurl's maximum: 24 days
    set(handle, CURLOPT_TIMEOUT_MS,
        static_cast<long>(std::min<std::int64_t>(request.time_limit.count(), most)));
  }
  if (connection.server.scheme == "https" && !request.client_cert_pem.empty()) {
    set(handle, CURLOPT_SSLCERTTYPE, "PEM");
    set(handle, CURLOPT_SSLKEYTYPE, "PEM");
    set_blob(handle, CURLOPT_SSLCERT_BLOB, request.client_cert_pem);
    set_blob(handle, CURLOPT_SSLKEY_BLOB, request.client_key_pem);
    set(handle, CURLOPT_KEYPASSWD, "");  // else libcurl would ask for an encrypted key's password
  }
}

}  // namespace dsdoctor::kube
