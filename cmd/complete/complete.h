// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "line/options.h"

namespace dsdoctor::cmd {

/// Instructions to the shell besides the candidates; bits of Cobra's protocol, which kubectl and
/// its completion scripts use.
enum class Directive {
  Default = 0,
  NoSpace = 2,
  NoFileComp = 4,
  NoSpaceNoFiles = 6,
  FilterDirs = 16
};

struct Candidate {
  std::string value;
  std::string description;  // may be empty
};

struct Completion {
  std::vector<Candidate> candidates;
  Directive directive = Directive::NoFileComp;
};

/// Supplies the names for a command line. Fast, prints nothing, and returns no names if they are
/// unknown: the shell waits for it.
class NameSource {
 public:
  virtual ~NameSource() = default;
  /// In the namespace of `source`, or in all.
  [[nodiscard]] virtual std::vector<std::string> daemon_sets(const SourceOptions& source) = 0;
  [[nodiscard]] virtual std::vector<std::string> nodes(const SourceOptions& source) = 0;
  [[nodiscard]] virtual std::vector<std::string> namespaces(const SourceOptions& source) = 0;
  /// In that namespace.
  [[nodiscard]] virtual std::vector<std::string> pods(const SourceOptions& source) = 0;
  /// The taints of one node, as "key:effect".
  [[nodiscard]] virtual std::vector<std::string> taints(const SourceOptions& source,
                                                        const std::string& node) = 0;
  /// From the merged kubeconfig.
  [[nodiscard]] virtual std::vector<std::string> contexts(const SourceOptions& source) = 0;
  [[nodiscard]] virtual std::vector<std::string> clusters(const SourceOptions& source) = 0;
  [[nodiscard]] virtual std::vector<std::string> users(const SourceOptions& source) = 0;
  /// Names could not be read: an empty list is then not an answer.
  [[nodiscard]] virtual bool has_failed() const { return false; }
};

/// Returns the candidates for the last of `words`, which may be empty; the other words precede it
/// on the line. REQUIRES: !words.empty().
[[nodiscard]] Completion complete(const std::vector<std::string>& words, NameSource& names);

/// Formats the lines of the protocol: `value<TAB>description`, then `:directive`.
[[nodiscard]] std::string completion_lines(const Completion& completion, bool descriptions);

/// The protocol's line for stderr: "Completion ended with directive: ShellCompDirective...".
[[nodiscard]] std::string completion_note(const Completion& completion);

}  // namespace dsdoctor::cmd
