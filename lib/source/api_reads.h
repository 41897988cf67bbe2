// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decode/objects/kind.h"
#include "kube/client/client.h"
#include "kube/client/list.h"
#include "kube/text/url.h"
#include "model/cluster.h"
#include "source/cluster_source.h"

namespace dsdoctor::source {

constexpr std::string_view core_group = "/api/v1";
constexpr std::string_view apps_group = "/apis/apps/v1";

/// Returns "/apis/apps/v1/namespaces/NS/daemonsets"; without a namespace
/// "/apis/apps/v1/daemonsets".
[[nodiscard]] inline std::string collection_path(std::string_view group, const std::string& ns,
                                                 std::string_view plural) {
  std::string path(group);
  if (!ns.empty()) path.append("/namespaces/").append(kube::encode_segment(ns));
  return path.append("/").append(plural);
}

/// The consequence of a kind of object that was not read.
struct Lack {
  const char* resource;
  const char* consequence;
  const char* permission = "";  // "list pods": the RBAC permission to ask for
};
/// Returns an omission with the server's message, if there is one.
[[nodiscard]] model::Omission omission_of(const kube::ApiFailure& failure, const Lack& lack,
                                          const std::string& ns);

/// Reads one object; it is returned in the list of its kind.
[[nodiscard]] kube::ListAnswer get_object(kube::Client& client, const std::string& path,
                                          const kube::ResourceName& resource, decode::Kind kind);

/// The single reads of a snapshot. Each blocks; they may run in parallel.
class ApiReads {
 public:
  /// The client must outlive this object.
  ApiReads(kube::Client& client, int page_size, kube::OnProgress on_progress)
      : client_(client), page_size_(page_size), on_progress_(std::move(on_progress)) {}

  /// Null if it cannot be read. Not retried; `enough` ends the request early.
  [[nodiscard]] std::optional<model::ServerVersion> version(const std::atomic<bool>& enough) const;
  [[nodiscard]] kube::ListAnswer nodes() const;
  [[nodiscard]] kube::ListAnswer node(const std::string& name) const;
  /// Lists in `ns` (empty: in all namespaces), or gets each of `query.names` in `query.ns`.
  [[nodiscard]] kube::ListAnswer daemon_sets(const Query& query) const;
  [[nodiscard]] kube::ListAnswer pods(const std::string& ns, const std::string& selector) const;
  /// The pods bound to `node`; if `node` is empty, the unbound pods.
  [[nodiscard]] kube::ListAnswer pods_on(const std::string& ns, const std::string& node) const;
  /// The pods with that name: at most one in each namespace.
  [[nodiscard]] kube::ListAnswer pods_named(const std::string& ns, const std::string& name) const;
  [[nodiscard]] kube::ListAnswer revisions(const std::string& ns) const;
  /// (namespace, name) of all DaemonSets: in all namespaces, or only in `ns` if that gives none.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> daemon_set_names(
      const std::string& ns) const;

 private:
  [[nodiscard]] kube::ListAnswer pods_where(const std::string& ns, const std::string& fields) const;
  [[nodiscard]] kube::ListAnswer named_daemon_sets(const Query& query) const;

  kube::Client& client_;
  int page_size_;
  kube::OnProgress on_progress_;
};

}  // namespace dsdoctor::source
