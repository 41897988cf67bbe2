// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace dsdoctor::kube {

/// The connection flags that every kubectl plugin accepts, as typed; an empty text, false or an
/// empty list means "not given", as in k8s.io/cli-runtime/pkg/genericclioptions.
struct ConfigFlags {
  std::string kubeconfig;       // --kubeconfig: a path
  std::string kuberc;           // --kuberc: a path
  std::string context;          // --context
  std::string cluster;          // --cluster
  std::string user;             // --user
  std::string ns;               // -n, --namespace
  bool all_namespaces = false;  // -A, --all-namespaces: `ns` is ignored
  std::string server;           // -s, --server: a URL
  std::string tls_server_name;  // --tls-server-name
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority;       // --certificate-authority: a path
  std::string client_certificate;          // --client-certificate: a path
  std::string client_key;                  // --client-key: a path
  std::string token;                       // --token
  std::string as;                          // --as
  std::vector<std::string> as_groups;      // --as-group: one group per flag, commas included
  std::string as_uid;                      // --as-uid
  std::vector<std::string> as_user_extra;  // --as-user-extra: `key=value`
  std::string request_timeout = "0";       // --request-timeout: seconds or a Go duration
  bool disable_compression = false;
};

}  // namespace dsdoctor::kube
