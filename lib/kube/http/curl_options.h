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

/// What must live as long as the handle that was configured with it.
struct CurlLists {
  CurlList headers;
  CurlList connect_to;
  bool tls_started = false;  // written while the transfer runs
};

/// Sets all that belongs to the connection: URL, TLS, proxy, HTTP version, timeouts; nothing that
/// identifies the user. False: the TLS library of this libcurl is not OpenSSL, so that it
/// cannot verify a server as it should; the handle must not be used. REQUIRES: `connection` and
/// `lists` live as long as the handle.
[[nodiscard]] bool configure_connection(CURL* handle, const Connection& connection,
                                        const TransportLimits& limits, const std::string& target,
                                        CurlLists& lists);

/// The headers that one request carries, secrets included.
[[nodiscard]] std::vector<Header> request_headers(const Connection& connection,
                                                  const HttpRequest& request,
                                                  const std::string& user_agent);

/// Sets what belongs to one request: headers, client certificate, time limit.
void configure_request(CURL* handle, const Connection& connection, const HttpRequest& request,
                       const std::string& user_agent, CurlLists& lists);

}  // namespace dsdoctor::kube
