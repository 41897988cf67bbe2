// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <string>
#include <vector>

#include "base/handle.h"
#include "kube/config/connection.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

using CurlEasy = base::Handle<CURL, curl_easy_cleanup>;
using CurlList = base::Handle<curl_slist, curl_slist_free_all>;

/// Data that must outlive the handle that was configured with it.
struct CurlLists {
  CurlList headers;
  CurlList connect_to;
  bool tls_started = false;      // written while the transfer runs
  bool reports_records = false;  // TLS records are passed to CURLOPT_DEBUGFUNCTION
};

/// Sets all options of the connection: URL, TLS, proxy, HTTP version, timeouts; nothing that
/// identifies the user. False: this libcurl's TLS library is not OpenSSL, so it cannot verify a
/// server by our rules; the handle must not be used. REQUIRES: `connection` and `lists` outlive the
/// handle.
[[nodiscard]] bool configure_connection(CURL* handle, const Connection& connection,
                                        const TransportLimits& limits, const std::string& target,
                                        CurlLists& lists);

/// Returns the headers of one request, secrets included.
[[nodiscard]] std::vector<Header> request_headers(const Connection& connection,
                                                  const HttpRequest& request,
                                                  const std::string& user_agent);

/// Sets the options of one request: headers, client certificate, time limit.
void configure_request(CURL* handle, const Connection& connection, const HttpRequest& request,
                       const std::string& user_agent, CurlLists& lists);

/// Reports whether a request offers gzip.
/// A server may compress the initial objects of a watch as a gzip member of its own (Kubernetes
/// v1.37), and libcurl reads only one member.
[[nodiscard]] bool wants_gzip(const Connection& connection, const HttpRequest& request);

}  // namespace dsdoctor::kube
