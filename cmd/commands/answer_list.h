// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/result.h"
#include "line/options.h"
#include "question/context.h"
#include "render/data/json.h"

namespace dsdoctor::cmd {

/// Prints an answer.
using PrintAnswer = std::function<ExitCode(Context& ctx)>;

/// Several answers, each under a heading with its name; as data, one document of kind AnswerList.
/// `format` is text, Markdown, JSON or YAML.
class AnswerList {
 public:
  /// `count`: the answers to come. `has_headings`: false for text that only the last one prints.
  AnswerList(OutputFormat format, std::size_t count, bool has_headings, Context& ctx);
  ~AnswerList();
  AnswerList(const AnswerList&) = delete;
  AnswerList& operator=(const AnswerList&) = delete;

  /// Lines that `print` writes on stderr begin with the name in brackets.
  void add(const std::string& name, const PrintAnswer& print);
  /// Ends the document, with the value of `problems` unless it is null. Returns the highest exit
  /// code.
  ExitCode finish(const render::Json& problems);

 private:
  class Frame;

  std::unique_ptr<Frame> frame_;
  std::size_t count_;
  Context& ctx_;
  ExitCode highest_ = ExitCode::Clean;
};

/// A copy for an answer that is printed to other streams, without a terminal's screen.
[[nodiscard]] Context context_for(std::ostream& out, std::ostream& err, const Context& ctx);

/// The inputs that are answered separately: see source::inputs_of. Each once.
/// Errors: NotFound and Unreadable.
[[nodiscard]] base::Result<std::vector<std::string>> separate_inputs(
    const std::vector<std::string>& files);

/// Prints the answer about one input.
using AnswerTo = std::function<ExitCode(const std::string& input, Context& ctx)>;

/// Answers for each input of `files`. Returns the highest exit code.
ExitCode answer_by_file(const std::vector<std::string>& files, OutputFormat format,
                        const AnswerTo& answer, Context& ctx);

}  // namespace dsdoctor::cmd
