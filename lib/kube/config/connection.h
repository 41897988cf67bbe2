#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/config/kubeconfig.h"
#include "kube/config/kuberc.h"
#include "kube/config/proxy.h"
#include "kube/text/url.h"

namespace dsdoctor::kube {

/// What TLS to the API server needs. Bytes, not paths: files are read once, when it is resolved. A
/// process of ours answers one question and ends, so that a file that rotates is read again by the
/// next one; only token files, which rotate within minutes, are read again (see credentials.h).
struct TlsSettings {
  bool insecure = false;    // neither chain nor name is checked
  std::string server_name;  // SNI and name to verify; empty: the URL's host
  std::string ca_pem;       // the trust anchors: the cluster's alone, else the system's
  std::string ca_source;    // for messages: a file's name, "inline data", "the system's roots"
  std::string ca_given;     // as the kubeconfig has it, for the login command; empty: the system's
  std::string client_cert_pem;
  std::string client_key_pem;
};

struct Impersonation {
  std::string user;  // empty: none, then the rest is empty too
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

/// Who we are. At most one of token/token_file, username, exec and auth_provider is set.
struct Identity {
  std::string token;
  std::string token_file;  // wins over `token`; read again as it ages
  std::string username;
  std::string password;
  std::optional<ExecSpec> exec;
  std::optional<AuthProvider> auth_provider;
};

/// When a connection on which nothing arrives is asked for a sign of life, and how long that may
/// take; kubectl's names are HTTP2_READ_IDLE_TIMEOUT_SECONDS and HTTP2_PING_TIMEOUT_SECONDS.
struct ConnectionHealth {
  std::chrono::seconds idle{30};  // 0: never asked
  std::chrono::seconds answer{15};
};

/// All that a client needs to know, from flags, environment and kubeconfig. Holds secrets: never
/// print it. A plain value; nothing refers back to files or the environment.
struct Connection {
  std::string context;  // name; empty in-cluster and without a kubeconfig
  std::string cluster;
  std::string user;
  std::string ns;           // never empty: "default" at last
  Url server;               // no userinfo, no trailing slash
  std::string server_path;  // as given, for the login command
  /// True when nothing named a server and the built-in default is used.
  bool server_is_default = false;
  bool in_cluster = false;
  TlsSettings tls;
  Identity identity;  // empty over plain http
  Impersonation impersonation;
  std::optional<Proxy> proxy;
  std::string proxy_url;       // as configured, for the login command
  std::string exec_extension;  // JSON, for the login command
  PluginPolicy plugin_policy;  // whether the login command may run
  bool disable_compression = false;
  bool disable_http2 = false;
  ConnectionHealth health;
  std::chrono::milliseconds request_timeout{0};  // of one request with its repetitions; 0: none
  std::chrono::milliseconds exec_time_limit = std::chrono::minutes(10);  // of the login command
  /// Why requests are anonymous though a user is named; else empty.
  std::string anonymous_because;
  std::vector<std::string> notes;      // for -v=1
  std::vector<std::string> decisions;  // for -v=4: what was chosen, and why
  std::vector<std::string> warnings;   // for everyone, once
};

/// `https://host:port/prefix`: no credentials, fit for output.
[[nodiscard]] std::string server_text(const Connection& connection);

/// `https://host:port`, the same without a path.
[[nodiscard]] std::string origin_text(const Connection& connection);

}  // namespace dsdoctor::kube
