// SPDX-License-Identifier: Apache-2.0
#include "render/terminal/script.h"

#include <fmt/format.h>

#include <utility>

#include "base/printable.h"
#include "base/shell_word.h"
#include "render/terminal/problem_lines.h"

namespace dsdoctor::render {

Script::Script(const Presentation& style)
    : style_(style), mark_(base::comment_mark(style.address.shell)), narrow_(style) {
  if (style.width > mark_.size()) narrow_.width = style.width - mark_.size();
}

void Script::comment(std::size_t indent, std::string_view text, Color color) {
  const base::Shell shell = style_.address.shell;
  const std::string plain = base::comment_text(shell, base::printable_line(std::string(text)));
  for (const std::string& line : lines_of_text(wrapped(narrow_, indent, plain))) {
    lines_.push_back(paint(style_, color, std::string(mark_) + line));
  }
}

void Script::comment_line(const std::string& line) {
  lines_.push_back(std::string(mark_) +
                   base::comment_text(style_.address.shell, base::printable_line(line)));
}

void Script::blank() {
  if (!lines_.empty()) lines_.emplace_back();
}

void Script::command(const std::optional<std::string>& line, bool runs) {
  if (!line) {
    return comment(detail_indent,
                   "no command: a name in it is not valid, or this shell cannot quote it");
  }
  const std::string trial = *line + " --dry-run=server";
  if (runs) {
    append(lines_, lines_of_text(live(trial)));
    append(lines_, lines_of_text(live(*line)));
  } else {
    later("try", trial);
    later("do", line);
  }
}

void Script::later(std::string_view label, const std::optional<std::string>& line) {
  if (!line) return;
  lines_.push_back(paint(style_, Color::Dim,
                         fmt::format("{}{:{}}{}: {}", mark_, "", detail_indent, label, *line)));
}

void Script::add(Script part) { append(lines_, std::move(part.lines_)); }

std::string Script::take() const { return joined_lines(lines_); }

std::string Script::live(std::string_view command) const {
  return command_text(style_, {.indent = 2}, command, style_.address.shell);
}

}  // namespace dsdoctor::render
