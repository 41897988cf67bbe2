// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "complete/complete.h"
#include "question/context.h"

namespace dsdoctor::cmd {

/// Reads names from the source on the command line: files, the demo, or the cluster of the
/// kubeconfig, which gets one request with a limit of three seconds. Prints nothing; a login
/// command may run, but cannot prompt.
class SourceNames : public NameSource {
 public:
  /// `ctx` must outlive this object.
  explicit SourceNames(Context& ctx);

  std::vector<std::string> daemon_sets(const SourceOptions& source) override;
  std::vector<std::string> nodes(const SourceOptions& source) override;
  std::vector<std::string> namespaces(const SourceOptions& source) override;
  std::vector<std::string> pods(const SourceOptions& source) override;
  std::vector<std::string> taints(const SourceOptions& source, const std::string& node) override;
  std::vector<std::string> contexts(const SourceOptions& source) override;
  std::vector<std::string> clusters(const SourceOptions& source) override;
  std::vector<std::string> users(const SourceOptions& source) override;
  [[nodiscard]] bool has_failed() const override { return failed_; }

 private:
  /// `from_snapshot` returns the names in files and the demo, `from_cluster` those of a live
  /// cluster. Keeps only names of letters, digits, `._-` and the characters in `also`.
  template <typename Offline, typename Live>
  std::vector<std::string> ask(const SourceOptions& source, Offline from_snapshot,
                               Live from_cluster, std::string_view also = "");

  Context& ctx_;
  kube::Environment environment_;  // without a terminal
  bool failed_ = false;
};

}  // namespace dsdoctor::cmd
