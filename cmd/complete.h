#pragma once

#include <string>
#include <vector>

namespace dsdoctor::cmd {

/// What a shell does besides offering the candidates; bits of Cobra's protocol, which kubectl and
/// its completion scripts speak.
enum class Directive { Default = 0, NoSpace = 2, NoFileComp = 4 };

struct Candidate {
  std::string value;
  std::string description;  // may be empty
};

struct Completion {
  std::vector<Candidate> candidates;
  Directive directive = Directive::NoFileComp;
};

/// Candidates for the last of `words`, which may be empty; the others stand before it on the line.
/// Knows commands, flags and the fixed values of flags. REQUIRES: !words.empty().
[[nodiscard]] Completion complete(const std::vector<std::string>& words);

/// The lines of the protocol: `value<TAB>description`, then `:directive`.
[[nodiscard]] std::string completion_lines(const Completion& completion, bool descriptions);

}  // namespace dsdoctor::cmd
