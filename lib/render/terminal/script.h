// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "render/terminal/table.h"
#include "render/words/style.h"

namespace dsdoctor::render {

/// Indentation of the lines about a fix.
inline constexpr std::size_t detail_indent = 4;

/// Writes comments and commands in the syntax of a shell. Keeps a reference to the style.
class Script {
 public:
  explicit Script(const Presentation& style);

  void comment(std::size_t indent, std::string_view text, Color color = Color::Plain);
  /// Writes one line of a table as a comment.
  void comment_line(const std::string& line);
  /// Writes an empty line, unless it would be the first.
  void blank();
  /// Writes a command that changes the cluster, after its dry run. If not `runs`, both are
  /// comments.
  void command(const std::optional<std::string>& line, bool runs);
  /// Writes a command as a comment.
  void later(std::string_view label, const std::optional<std::string>& line);

  /// Another script in the same syntax.
  [[nodiscard]] Script part() const { return Script(style_); }
  void add(Script part);

  [[nodiscard]] const Presentation& style() const { return style_; }
  /// The style of comments, with the width that the mark leaves.
  [[nodiscard]] const Style& narrow() const { return narrow_; }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] std::string take() const;

 private:
  [[nodiscard]] std::string live(std::string_view command) const;

  const Presentation& style_;
  std::string_view mark_;
  Style narrow_;
  Lines lines_;
};

}  // namespace dsdoctor::render
