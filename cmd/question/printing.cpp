// SPDX-License-Identifier: Apache-2.0
#include "question/printing.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/printable.h"
#include "base/shell_word.h"
#include "question/version.h"
#include "render/data/yaml.h"
#include "render/document/reports.h"
#include "render/what_if/what_if_text.h"

namespace dsdoctor::cmd {
namespace {

/// Formats text as comments of a script for `shell`.
std::string commented(const std::string& text, base::Shell shell) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    for (std::size_t at = line.find(" %"); at != line.npos; at = line.find(" %", at)) {
      line.replace(at, 2, " percent");  // no comment of cmd may contain the sign
    }
    if (!line.empty()) result += base::comment_mark(shell);
    result += base::comment_text(shell, line) + "\n";
  }
  return result;
}

/// The text before an answer about hypothetical changes.
std::string text_before(const fixes::Changed& changed, const render::Presentation& style) {
  return render::what_if_text(changed, style) + "\n";
}

/// The end of a page. A redacted one has no command, whose words are names.
render::AboutPage about_page(const Context& ctx, bool redacted) {
  render::AboutPage result;
  result.program = fmt::format("kubectl-dsdoctor {}", version);
  result.redacted = redacted;
  if (redacted) return result;
  result.again = ctx.program;
  for (const std::string& word : without_folders(ctx.words)) {
    result.again += " " + base::shell_word(word);
  }
  return result;
}

}  // namespace

std::string one_word(std::string_view name) {
  std::string result;
  for (const char c : base::printable_line(name)) {
    result += c == ' ' ? std::string("U+0020") : std::string(1, c);
  }
  return result;
}

std::string name_line(const std::string& ns, std::string_view own_ns, std::string_view name) {
  if (!ns.empty()) return fmt::format("daemonset.apps/{}\n", one_word(name));
  return fmt::format("-n {} ds/{}\n", one_word(own_ns), one_word(name));
}

void write_as_it_is_made(Forms& forms, const fixes::Explanation& explanation,
                         const Question& question, const render::Presentation& style) {
  forms.written_json = [&](const render::Write& write) {
    render::write_json(explanation, question.envelope(), style, write);
  };
  forms.written_yaml = [&](const render::Write& write) {
    render::write_yaml(explanation, question.envelope(), style, write);
  };
}

void print(OutputFormat format, const Forms& forms, Context& ctx, std::size_t markdown_limit,
           bool redacted) {
  const auto write = [&](std::string_view piece) { ctx.out << piece; };
  switch (format) {
    case OutputFormat::Table:
    case OutputFormat::Wide: ctx.out << forms.text(); break;
    case OutputFormat::Json:
      forms.written_json ? forms.written_json(write) : write(render::json_text(forms.json()));
      break;
    case OutputFormat::Yaml:
      forms.written_yaml ? forms.written_yaml(write) : write(render::yaml_text(forms.json()));
      break;
    case OutputFormat::Name: ctx.out << forms.names(); break;
    case OutputFormat::Markdown:
      ctx.out << render::markdown(forms.document(), markdown_limit);
      break;
    case OutputFormat::Html: {
      const render::AboutPage about = about_page(ctx, redacted);
      ctx.out << (forms.page ? forms.page(about) : render::document_page(forms.document(), about));
      break;
    }
    case OutputFormat::Junit: ctx.out << forms.junit(); break;
    case OutputFormat::Sarif: write(render::json_text(forms.sarif())); break;
    case OutputFormat::Prometheus: ctx.out << forms.prometheus(); break;
  }
}

render::Presentation style_for(const Question& question, const ListOptions& options,
                               const Context& ctx) {
  render::Presentation style = style_for(options, ctx);
  style.address = question.choice.address;
  if (is_document(options.format)) {  // for other people: without the sender's folders
    style.address.own_flags = without_folders(std::move(style.address.own_flags));
    style.address.kubectl_flags = without_folders(std::move(style.address.kubectl_flags));
  }
  if (question.changed && is_for_people(options.format)) {
    const std::string above = text_before(*question.changed, style);
    style.lines_above = static_cast<std::size_t>(std::ranges::count(above, '\n'));
  }
  return style;
}

void print(const Question& question, OutputFormat format, Forms forms,
           const render::Presentation& style, Context& ctx, std::optional<base::Shell> script) {
  if (question.changed) {
    const fixes::Changed& changed = *question.changed;
    forms.text = [text = std::move(forms.text), &changed, &style, script] {
      std::string answer = text();
      if (answer.empty()) return answer;
      const std::string before = text_before(changed, style);
      return (script ? commented(before, *script) : before) + answer;
    };
    forms.document = [document = std::move(forms.document), &changed, &style] {
      render::Document answer = document();
      render::prepend(answer, changed, style);
      return answer;
    };
  }
  const bool everything = style.limit == 0U;
  print(format, forms, ctx, everything ? std::string::npos : render::comment_limit / ctx.answers,
        question.renames != nullptr);
}

}  // namespace dsdoctor::cmd
