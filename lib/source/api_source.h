// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "kube/client/client.h"
#include "kube/client/list.h"
#include "kube/config/connection.h"
#include "kube/http/trace.h"
#include "kube/http/transport.h"
#include "kube/os/clock.h"
#include "kube/os/environment.h"
#include "source/cluster_source.h"

namespace dsdoctor::source {

/// Options of reading a cluster, besides the connection.
struct ApiSourceOptions {
  std::string program_version;  // for the User-Agent: "0.1.0"
  kube::Clock clock;
  kube::Trace trace = {};       // called for each request, one at a time; for -v=6
  std::size_t traced_body = 0;  // bytes of each body that a trace event holds
  /// Called before the first wait of more than 5 seconds, from any thread.
  kube::Client::WaitListener on_long_wait = {};
  /// Called with each `Warning` header of the server, each text once, on load's thread.
  std::function<void(const std::string&)> on_server_warning = {};
  /// Called with the progress of each list, from several threads.
  kube::OnProgress on_progress = {};
  std::chrono::milliseconds time_limit{0};  // of everything that is read; 0: unlimited
  int page_size = 500;  // objects per page, kubectl's --chunk-size; 0: no paging
};

/// Reads from an API server, with GET only: nodes, DaemonSets, their pods and revisions, and
/// /version; in a second step the objects that a diagnosis requests, at most four requests at a
/// time. Forbidden resources become omissions; only DaemonSets are required.
class ApiSource final : public ClusterSource {
 public:
  /// Sends nothing: load runs the login command and uses the network.
  ApiSource(const kube::Connection& connection, kube::Environment environment,
            const ApiSourceOptions& options);
  /// The same with another transport.
  ApiSource(kube::Connection connection, kube::Environment environment, ApiSourceOptions options,
            std::unique_ptr<kube::Transport> transport);
  ~ApiSource() override;

  /// Errors: Unavailable, Unauthorized, Forbidden (DaemonSets), Malformed; in kubectl's words,
  /// see kube::kubectl_line.
  [[nodiscard]] base::Result<Snapshot> load(const Query& query) override;
  [[nodiscard]] bool has_more() const override { return true; }
  void load_details(Snapshot& snapshot, const model::DetailQuery& query) override;

  /// Valid as long as this object.
  [[nodiscard]] kube::Client& client() { return client_; }
  [[nodiscard]] const ApiSourceOptions& options() const { return options_; }
  /// The server, and the current time.
  [[nodiscard]] model::SourceInfo info() const;

 private:
  [[nodiscard]] base::Result<Snapshot> load_cluster(const Query& query);
  /// Treats the names as those of DaemonSets, or of pods if the query permits it.
  [[nodiscard]] base::Result<Snapshot> load_named(const Query& query);

  kube::Connection connection_;
  ApiSourceOptions options_;
  std::unique_ptr<kube::Transport> transport_;
  kube::CredentialSource credentials_;
  kube::Client client_;
};

}  // namespace dsdoctor::source
