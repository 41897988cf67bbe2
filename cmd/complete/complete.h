#pragma once

#include <string>
#include <vector>

#include "line/options.h"

namespace dsdoctor::cmd {

/// What a shell does besides offering the candidates; bits of Cobra's protocol, which kubectl and
/// its completion scripts speak.
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

/// Where the names come from that a command line can hold. Quick, silent, and empty where a name
/// cannot be known: the shell is stuck meanwhile.
class NameSource {
 public:
  virtual ~NameSource() = default;
  /// In the namespace that `source` looks at, or in all.
  [[nodiscard]] virtual std::vector<std::string> daemon_sets(const SourceOptions& source) = 0;
  [[nodiscard]] virtual std::vector<std::string> nodes(const SourceOptions& source) = 0;
  [[nodiscard]] virtual std::vector<std::string> namespaces(const SourceOptions& source) = 0;
  /// In that namespace.
  [[nodiscard]] virtual std::vector<std::string> pods(const SourceOptions& source) = 0;
  /// Of one node, as "key:effect".
  [[nodiscard]] virtual std::vector<std::string> taints(const SourceOptions& source,
                                                        const std::string& node) = 0;
  /// Of the merged kubeconfig.
  [[nodiscard]] virtual std::vector<std::string> contexts(const SourceOptions& source) = 0;
  [[nodiscard]] virtual std::vector<std::string> clusters(const SourceOptions& source) = 0;
  [[nodiscard]] virtual std::vector<std::string> users(const SourceOptions& source) = 0;
  /// Names could not be read: none is not an answer.
  [[nodiscard]] virtual bool has_failed() const { return false; }
};

/// Candidates for the last of `words`, which may be empty; the others stand before it on the line.
/// REQUIRES: !words.empty().
[[nodiscard]] Completion complete(const std::vector<std::string>& words, NameSource& names);

/// The lines of the protocol: `value<TAB>description`, then `:directive`.
[[nodiscard]] std::string completion_lines(const Completion& completion, bool descriptions);

/// What the protocol says on stderr: "Completion ended with directive: ShellCompDirective...".
[[nodiscard]] std::string completion_note(const Completion& completion);

}  // namespace dsdoctor::cmd
