// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "fixes/explanation.h"
#include "line/options.h"
#include "live/outlet.h"
#include "question/context.h"
#include "question/question.h"

namespace dsdoctor::cmd {

/// A command whose answer stays current.
struct LiveCommand {
  const AnswerOptions& asked;
  const ListOptions& print;
  const WatchOptions& watch;
  diagnosis::Attention attention = {};  // which problems count
  Reads reads = {};
  /// The answer to one state of the cluster. Errors: NotFound, e.g. for a node that was deleted.
  std::function<base::Result<fixes::Explanation>(const Question&, Context&)> answer;
  /// The sentence if there is no problem; empty: that nothing is wrong.
  std::string calm = {};
  /// Saves the state of the cluster to a new file; returns the line to show.
  std::function<std::string(const source::Snapshot&)> save;
  /// How long to rest after an answer, in multiples of the time that it took: with 3, the program
  /// judges at most a quarter of the time.
  int rest_per_work = 3;
  /// Opens what shows the changes; empty: lines, or a screen.
  std::function<std::unique_ptr<Outlet>(const render::Presentation&)> outlet = {};
  /// Called with each answer, and with null before it ends; both on the thread of watch().
  std::function<void(const Question*, const fixes::Explanation*)> publish = {};
};

/// Shows the answer and its changes until the user quits, or until the requested state is reached:
/// then 0; 1 if the time is over or the state cannot be reached; 2 if too little could be read, or
/// if the first answer fails. Files are answered once. With WatchOptions::replay, shows that
/// recording instead.
[[nodiscard]] ExitCode watch(const LiveCommand& command, Context& ctx);

}  // namespace dsdoctor::cmd
