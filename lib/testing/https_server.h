#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testing/certificates.h"

namespace dsdoctor::testing {

struct ServedRequest {
  std::string method;
  std::string target;                               // path and query as sent
  std::string path;                                 // percent-decoded
  std::map<std::string, std::string> query;         // decoded
  std::multimap<std::string, std::string> headers;  // names in lower case
  std::string client_name;  // CN of the verified client certificate; empty: none
  std::string sni;
  std::string alpn;  // the protocols that the client offered: "h2,http/1.1"

  /// The first value; empty where absent. `name` in lower case.
  [[nodiscard]] std::string header(const std::string& name) const;
};

/// How an answer goes wrong on the wire.
enum class Fault {
  None,
  CloseBeforeHead,  // the connection ends without a byte
  CutBody,          // ends after 60 % of the body
  StallBeforeHead,  // nothing, until the server stops or 20 s are over
  StallWithinBody,  // the same after 60 % of the body
  EndlessHeads,     // `100 Continue` again and again, until nobody takes it
  EndlessHeaders,   // headers without end
  EndlessBody,      // the body again and again, in chunks
};

struct Reply {
  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";  // empty: no such header
  std::multimap<std::string, std::string> headers = {};
  Fault fault = Fault::None;
  bool close_delimited = false;  // no Content-Length; the end of the connection ends the body
};
/// Called from several threads.
using Handler = std::function<Reply(const ServedRequest&)>;

struct ServerOptions {
  bool tls = true;
  KeyPair identity = {};
  std::string client_ca = {};   // PEM; empty: no client certificate is asked for
  bool require_client = false;  // else a request without one is served as anonymous
  int max_tls_version = 0;      // TLS1_1_VERSION, ...; 0: the newest
  bool gzip = false;            // compresses when the client accepts it
};

/// HTTP/1.1 over TLS on 127.0.0.1, any free port, with a thread a connection. Ends with the object.
class HttpsServer {
 public:
  HttpsServer(ServerOptions options, Handler handler);
  ~HttpsServer();
  HttpsServer(const HttpsServer&) = delete;
  HttpsServer& operator=(const HttpsServer&) = delete;

  [[nodiscard]] int port() const;
  /// "https://127.0.0.1:PORT"
  [[nodiscard]] std::string url() const;
  /// All requests so far, in the order in which they came.
  [[nodiscard]] std::vector<ServedRequest> requests() const;
  [[nodiscard]] int connections() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsdoctor::testing
