// SPDX-License-Identifier: Apache-2.0
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

/// TLS settings for the API server. Bytes, not paths: files are read once, while the connection is
/// resolved. One process answers one question, so a rotated file is read by the next process; only
/// token files, which rotate within minutes, are read again (see credentials.h).
struct TlsSettings {
  bool insecure = false;    // if true, neither chain nor name is verified
  std::string server_name;  // SNI and name to verify; empty: the URL's host
  std::string ca_pem;       // the trust anchors: only the cluster's, else the system's
  std::string ca_source;    // for messages: a file name, "inline data", "the system's roots"
  std::string ca_given;     // as in the kubeconfig, for the login command; empty: the system's
  std::string client_cert_pem;
  std::string client_key_pem;
};

struct Impersonation {
  std::string user;  // empty: no impersonation, and the rest is empty too
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

/// The user's credentials. At most one of token/token_file, username, exec and auth_provider is
/// set.
struct Identity {
  std::string token;
  std::string token_file;  // takes precedence over `token`; read again when it is old
  std::string username;
  std::string password;
  std::optional<ExecSpec> exec;
  std::optional<AuthProvider> auth_provider;
};

/// After how much silence a connection is probed, and how long the answer may take; kubectl's names
/// are HTTP2_READ_IDLE_TIMEOUT_SECONDS and HTTP2_PING_TIMEOUT_SECONDS.
struct ConnectionHealth {
  std::chrono::seconds idle{30};  // 0: never probed
  std::chrono::seconds answer{15};
};

/// All settings that a client needs, from flags, environment and kubeconfig. Holds secrets: never
/// print it. A plain value without references to files or the environment.
struct Connection {
  std::string context;  // name; empty in-cluster and without a kubeconfig
  std::string cluster;
  std::string user;
  std::string ns;           // never empty: "default" as a last resort
  Url server;               // no userinfo, no trailing slash
  std::string server_path;  // as given, for the login command
  /// True if no flag and no kubeconfig names a server, so that the built-in default is used.
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
  std::chrono::milliseconds request_timeout{0};  // of one request with its retries; 0: unlimited
  std::chrono::milliseconds exec_time_limit = std::chrono::minutes(10);  // of the login command
  /// Why requests are anonymous although a user is named; else empty.
  std::string anonymous_because;
  std::vector<std::string> notes;      // for -v=1
  std::vector<std::string> decisions;  // for -v=4: the choices and their reasons
  std::vector<std::string> warnings;   // always shown, once
};

/// `https://host:port/prefix`, without credentials, for output.
[[nodiscard]] std::string server_text(const Connection& connection);

/// `https://host:port`, the same without the path.
[[nodiscard]] std::string origin_text(const Connection& connection);

}  // namespace dsdoctor::kube
