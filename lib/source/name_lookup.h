// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/config/connection.h"
#include "kube/os/clock.h"
#include "kube/os/environment.h"
#include "model/cluster.h"

namespace dsdoctor::source {

/// Returns "key:effect", as `kubectl taint` expects for a removal; in the node's order.
[[nodiscard]] std::vector<std::string> taint_words(const model::Node& node);

/// Reads names of a live cluster's objects for completion: only the first page, as metadata only,
/// sorted. Returns no names after any failure. Limited by the connection's request_timeout, which
/// is reduced to `time_limit` if it is longer or absent.
class NameLookup {
 public:
  static constexpr std::chrono::milliseconds time_limit{3000};

  NameLookup(kube::Connection connection, kube::Environment environment, const kube::Clock& clock,
             const std::string& program_version);
  ~NameLookup();
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  /// In `ns`; empty: in all namespaces.
  [[nodiscard]] std::vector<std::string> daemon_sets(const std::string& ns);
  [[nodiscard]] std::vector<std::string> nodes();
  [[nodiscard]] std::vector<std::string> namespaces();
  /// In `ns`, of all owners; empty: in all namespaces.
  [[nodiscard]] std::vector<std::string> pods(const std::string& ns);
  /// The node's taints as in taint_words; reads the whole node.
  [[nodiscard]] std::vector<std::string> taints(const std::string& node);
  /// Reports whether a lookup has failed.
  [[nodiscard]] bool has_failed() const { return failed_; }

 private:
  std::vector<std::string> read(const std::string& path, const std::string& resource);

  kube::Connection connection_;
  std::unique_ptr<kube::Transport> transport_;
  kube::CredentialSource credentials_;
  kube::Client client_;
  bool failed_ = false;
};

}  // namespace dsdoctor::source
