// SPDX-License-Identifier: Apache-2.0
#include "commands/answer_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/printable.h"
#include "render/data/json.h"
#include "render/data/yaml.h"
#include "render/document/document.h"
#include "source/dumps/inputs.h"

namespace dsdoctor::cmd {
namespace {

/// Writes `first` before the first line and `next` before each other one.
class PrefixedLines final : public std::streambuf {
 public:
  /// `last`: whether the end of the last line is written.
  enum class LastEnd { Written, Dropped };
  PrefixedLines(std::ostream& to, std::string first, std::string next, LastEnd last)
      : to_(to), first_(std::move(first)), next_(std::move(next)), last_(last) {}

  [[nodiscard]] bool is_empty() const { return lines_ == 0; }

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    add(std::string_view(&one, 1));
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    add(std::string_view(text, static_cast<std::size_t>(size)));
    return size;
  }
  int sync() override { return to_.flush() ? 0 : -1; }

 private:
  void add(std::string_view text) {
    while (!text.empty()) {
      if (at_begin_) begin_line();
      const std::size_t end = text.find('\n');
      to_ << text.substr(0, end);
      if (end == text.npos) return;
      if (last_ == LastEnd::Written) to_ << '\n';
      at_begin_ = true;
      text.remove_prefix(end + 1);
    }
  }
  void begin_line() {
    if (lines_ != 0 && last_ == LastEnd::Dropped) to_ << '\n';
    to_ << (lines_++ == 0 ? first_ : next_);
    at_begin_ = false;
  }

  std::ostream& to_;
  std::string first_;
  std::string next_;
  LastEnd last_;
  std::size_t lines_ = 0;
  bool at_begin_ = true;
};

}  // namespace

/// The text around the answers in one format.
class AnswerList::Frame {
 public:
  Frame(OutputFormat format, bool has_headings, std::ostream& out)
      : format_(format), has_headings_(has_headings), out_(out) {
    if (format == OutputFormat::Json) {
      out_ << "{\n    \"apiVersion\": \"dsdoctor/v1\",\n    \"kind\": \"AnswerList\",\n"
              "    \"items\": [";
    } else if (format == OutputFormat::Yaml) {
      out_ << "apiVersion: dsdoctor/v1\nkind: AnswerList\nitems:\n";
    }
  }

  void begin(const std::string& input) {
    const bool is_first = std::exchange(is_first_, false);
    if (format_ == OutputFormat::Json) {
      out_ << (is_first ? "\n" : ",\n") << "        {\n            \"input\": " << quoted(input)
           << ",\n";
    } else if (format_ == OutputFormat::Yaml) {
      out_ << "- input: " << quoted(input) << "\n";
    } else if (!has_headings_) {
      return;
    } else if (format_ == OutputFormat::Markdown) {
      out_ << (is_first ? "" : "\n") << "# " << render::markdown_text(input) << "\n\n";
    } else {
      out_ << (is_first ? "" : "\n") << "==> " << base::printable_line(input) << " <==\n";
    }
  }

  /// The stream for the answer that has begun.
  [[nodiscard]] PrefixedLines answer() const {
    using enum PrefixedLines::LastEnd;
    if (format_ == OutputFormat::Json) {
      return {out_, "            \"answer\": ", "            ", Dropped};
    }
    if (format_ == OutputFormat::Yaml) return {out_, "  answer:\n    ", "    ", Written};
    return {out_, "", "", Written};
  }

  void end(const PrefixedLines& answer, ExitCode code, const std::vector<std::string>& errors) {
    if (format_ == OutputFormat::Json) {
      if (answer.is_empty()) out_ << "            \"answer\": null";
      out_ << ",\n            \"exitCode\": " << static_cast<int>(code)
           << ",\n            \"errors\": " << render::Json(errors).dump() << "\n        }";
      return;
    }
    if (format_ != OutputFormat::Yaml) return;
    if (answer.is_empty()) out_ << "  answer: null\n";
    out_ << "  exitCode: " << static_cast<int>(code)
         << "\n  errors: " << render::Json(errors).dump() << "\n";
  }

  void finish(const render::Json& problems) {
    if (format_ == OutputFormat::Json) {
      out_ << "\n    ]";
      if (!problems.is_null()) {
        PrefixedLines lines(out_, ",\n    \"problems\": ", "    ", PrefixedLines::LastEnd::Dropped);
        std::ostream(&lines) << problems.dump(4);
      }
      out_ << "\n}\n";
    } else if (format_ == OutputFormat::Yaml && !problems.is_null()) {
      out_ << render::yaml_text(render::Json{{"problems", problems}});
    }
  }

 private:
  /// As in JSON, which YAML includes.
  static std::string quoted(const std::string& input) {
    return render::Json(base::printable_line(input)).dump();
  }

  OutputFormat format_;
  bool has_headings_;
  std::ostream& out_;
  bool is_first_ = true;
};

AnswerList::AnswerList(OutputFormat format, std::size_t count, bool has_headings, Context& ctx)
    : frame_(std::make_unique<Frame>(format, has_headings, ctx.out)), count_(count), ctx_(ctx) {}

AnswerList::~AnswerList() = default;

void AnswerList::add(const std::string& name, const PrintAnswer& print) {
  frame_->begin(name);
  PrefixedLines answers = frame_->answer();
  const std::string mark = fmt::format("[{}] ", base::printable_line(name));
  PrefixedLines messages(ctx_.err, mark, mark, PrefixedLines::LastEnd::Written);
  std::ostream out(&answers);
  std::ostream err(&messages);
  std::vector<std::string> errors;
  Context each = context_for(out, err, ctx_);
  each.errors = &errors;
  each.answers = count_;
  const ExitCode code = print(each);
  frame_->end(answers, code, errors);
  highest_ = std::max(highest_, code);
}

ExitCode AnswerList::finish(const render::Json& problems) {
  frame_->finish(problems);
  return highest_;
}

Context context_for(std::ostream& out, std::ostream& err, const Context& ctx) {
  return {.out = out,
          .err = err,
          .in = ctx.in,
          .environment = ctx.environment,
          .program = ctx.program,
          .out_is_terminal = ctx.out_is_terminal,
          .err_is_terminal = ctx.err_is_terminal,
          .terminal_width = ctx.terminal_width,
          .terminal_rows = ctx.terminal_rows,
          .err_width = ctx.err_width,
          .now = ctx.now};
}

base::Result<std::vector<std::string>> separate_inputs(const std::vector<std::string>& files) {
  std::vector<std::string> result;
  std::unordered_set<std::string> seen;
  for (const std::string& file : files) {
    auto below = source::inputs_of(file);
    if (!below) return below;
    for (std::string& input : *below) {
      if (seen.insert(input).second) result.push_back(std::move(input));
    }
  }
  return result;
}

ExitCode answer_by_file(const std::vector<std::string>& files, OutputFormat format,
                        const AnswerTo& answer, Context& ctx) {
  const auto inputs = separate_inputs(files);
  if (!inputs) return fail(ctx, inputs.error());
  AnswerList list(format, inputs->size(), true, ctx);
  for (const std::string& input : *inputs) {
    list.add(input, [&](Context& each) { return answer(input, each); });
  }
  return list.finish(nullptr);
}

}  // namespace dsdoctor::cmd
