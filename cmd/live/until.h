// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fixes/explanation.h"
#include "line/options.h"
#include "question/question.h"

namespace dsdoctor::cmd {

/// Whether the state that a command waits for is reached.
struct Reached {
  enum class Verdict {
    Yes,
    NotYet,
    Never,    // it will not be reached without a change by someone
    Unknown,  // too little could be read
  };
  Verdict verdict = Verdict::NotYet;
  std::vector<std::string> left = {};   // lines: what is left, and why
  std::vector<std::string> hints = {};  // lines: what will not end without action
};

/// Judges one answer after the other.
class UntilJudge {
 public:
  /// `attention`: which problems count for `healthy`.
  UntilJudge(Until until, diagnosis::Attention attention)
      : until_(std::move(until)), attention_(std::move(attention)) {}

  [[nodiscard]] Reached judge(const Question& question, const fixes::Explanation& explanation);

 private:
  [[nodiscard]] Reached healthy(const Question& question,
                                const fixes::Explanation& explanation) const;
  [[nodiscard]] Reached resolved(const fixes::Explanation& explanation);
  [[nodiscard]] static Reached rolled_out(const Question& question,
                                          const fixes::Explanation& explanation);

  Until until_;
  diagnosis::Attention attention_;
  std::optional<std::set<std::string>> first_;  // ids of the problems of the first answer
};

/// Whether the question has a complete answer: then "nothing is wrong" is meaningful. Else why not,
/// sentences. `partial`: gaps that may hide problems are accepted.
[[nodiscard]] std::vector<std::string> unanswered(const Question& question,
                                                  const fixes::Explanation& explanation,
                                                  bool partial);

}  // namespace dsdoctor::cmd
