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

/// "key:effect", as `kubectl taint` takes one off; in their order.
[[nodiscard]] std::vector<std::string> taint_words(const model::Node& node);

/// Names of a live cluster's objects, for completion: the first page only, as metadata only,
/// sorted. Whatever goes wrong gives no names. Bounded by the connection's request_timeout, set to
/// `time_limit` where it is longer or absent.
class NameLookup {
 public:
  static constexpr std::chrono::milliseconds time_limit{3000};

  NameLookup(kube::Connection connection, kube::Environment environment, const kube::Clock& clock,
             const std::string& program_version);
  ~NameLookup();
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  /// In `ns`; empty: everywhere.
  [[nodiscard]] std::vector<std::string> daemon_sets(const std::string& ns);
  [[nodiscard]] std::vector<std::string> nodes();
  [[nodiscard]] std::vector<std::string> namespaces();
  /// In `ns`, of every owner; empty: everywhere.
  [[nodiscard]] std::vector<std::string> pods(const std::string& ns);
  /// Of one node, which is read whole, as taint_words has them.
  [[nodiscard]] std::vector<std::string> taints(const std::string& node);
  /// A lookup has failed.
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
