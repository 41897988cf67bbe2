#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>
#include <vector>

#include "kube/config/connection.h"
#include "kube/http/curl_transport.h"
#include "kube/http/transport.h"

namespace dsdoctor::kube {

struct CurlEasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct CurlListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlEasy = std::unique_ptr<CURL, CurlEasyDeleter>;
using CurlList = std::unique_ptr<curl_slist, CurlListDeleter>;

/// What must live as long as the handle that was configured with it.
struct CurlLists {
  CurlList headers;
  CurlList connect_to;
  bool tls_started = false;  // written while the transfer runs
};

/// Sets all that belongs to the connection: URL, TLS, proxy, HTTP version, timeouts; nothing that
/// identifies the user. False: the TLS library of this libcurl is not OpenSSL, so that it
/// cannot verify a server as it should; the handle must not be used.
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
