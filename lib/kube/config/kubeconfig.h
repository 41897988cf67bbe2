// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kube/os/environment.h"

namespace dsdoctor::kube {

/// `users[].user.exec`: the login command.
struct ExecSpec {
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string api_version;
  std::string install_hint;
  bool provide_cluster_info = false;
  std::string interactive_mode;
};

/// `users[].user.auth-provider`: the predecessor of exec.
struct AuthProvider {
  std::string name;
  std::map<std::string, std::string> config;
};

struct ClusterEntry {
  std::string server;
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority;       // a path, resolved
  std::string certificate_authority_data;  // PEM
  std::string proxy_url;
  bool disable_compression = false;
  /// JSON text of the extension `client.authentication.k8s.io/exec`; empty without the extension.
  std::string exec_extension;
  std::string file;  // the file that defined the entry
};

struct UserEntry {
  std::string client_certificate;       // a path, resolved
  std::string client_certificate_data;  // PEM
  std::string client_key;               // a path, resolved
  std::string client_key_data;          // PEM
  std::string token;
  std::string token_file;  // a path, resolved
  std::string as;
  std::string as_uid;
  std::vector<std::string> as_groups;
  std::map<std::string, std::vector<std::string>> as_user_extra;
  std::string username;
  std::string password;
  std::optional<AuthProvider> auth_provider;
  std::optional<ExecSpec> exec;
  std::string file;
};

struct ContextEntry {
  std::string cluster;
  std::string user;
  std::string ns;
  std::string file;
};

/// One kubeconfig file, or several merged.
struct Kubeconfig {
  std::string current_context;
  std::map<std::string, ClusterEntry> clusters;
  std::map<std::string, UserEntry> users;
  std::map<std::string, ContextEntry> contexts;
  std::vector<std::string> files;  // that were read, in order
  std::vector<std::string> notes;  // for -v=1: files not found, home folder unknown
};

/// Parses one kubeconfig (YAML or JSON; the first document; empty is valid). Relative paths are
/// resolved against the folder of `path`, and so is an exec command with a slash.
/// Errors: Malformed, with all problems; no error repeats a value of the file.
[[nodiscard]] base::Result<Kubeconfig> parse_kubeconfig(std::string_view text,
                                                        const std::string& path);

/// Finds and merges the kubeconfig files: `explicit_path` (--kubeconfig) alone, else the list in
/// KUBECONFIG, else $HOME/.kube/config. If several files define an entry, the first definition is
/// used, without merging. Missing files are skipped unless named by --kubeconfig; without any file
/// the Kubeconfig is empty.
/// Errors: NotFound, Unreadable or Malformed; every file that fails is named.
/// Source of truth: k8s.io/client-go v0.36, tools/clientcmd/loader.go. Unlike client-go, we use no
/// default file if HOME is not set: a file in the working directory is not trusted.
[[nodiscard]] base::Result<Kubeconfig> load_kubeconfig(const std::string& explicit_path,
                                                       const Environment& environment);

}  // namespace dsdoctor::kube
