#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "kube/connection.h"
#include "kube/curl_transport.h"
#include "kube/transport.h"

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
};

/// Sets all that belongs to the connection: URL, TLS, proxy, HTTP version, timeouts.
/// Without `request` nothing that identifies the user is set.
void configure_connection(CURL* handle, const Connection& connection, const TransportLimits& limits,
                          const std::string& target, CurlLists& lists);

/// Sets what belongs to one request: headers, client certificate, time limit. Returns the lists
/// that the handle refers to.
void configure_request(CURL* handle, const Connection& connection, const HttpRequest& request,
                       const TransportLimits& limits, const std::string& user_agent,
                       CurlLists& lists);

}  // namespace dsdoctor::kube
