// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/shell_word.h"
#include "question/context.h"
#include "question/question.h"
#include "render/data/json.h"
#include "render/document/document.h"
#include "render/document/page/page.h"

namespace dsdoctor::cmd {

/// The formats of one answer; only the requested one is generated. Formats that the answer does not
/// have are empty; the command line parser rejects them.
struct Forms {
  std::function<std::string()> text;
  std::function<render::Json()> json;
  std::function<std::string()> names;
  std::function<render::Document()> document;               // Markdown, and HTML without `page`
  std::function<std::string(render::AboutPage)> page = {};  // HTML
  std::function<std::string()> junit = {};
  std::function<render::Json()> sarif = {};
  std::function<std::string()> prometheus = {};
  /// json_text and yaml_text of `json`, written incrementally; empty: generated as a whole.
  std::function<void(const render::Write&)> written_json = {};
  std::function<void(const render::Write&)> written_yaml = {};
};

/// Sets how `explanation` is written incrementally. All but `forms` must outlive its use.
void write_as_it_is_made(Forms& forms, const fixes::Explanation& explanation,
                         const Question& question, const render::Presentation& style);

void print(OutputFormat format, const Forms& forms, Context& ctx,
           std::size_t markdown_limit = std::string::npos, bool redacted = false);

/// The style of an answer about hypothetical changes.
[[nodiscard]] render::Presentation style_for(const Question& question, const ListOptions& options,
                                             const Context& ctx);

/// Prints the answer; in text formats the hypothetical changes come first, as comments if the text
/// is a script.
void print(const Question& question, OutputFormat format, Forms forms,
           const render::Presentation& style, Context& ctx,
           std::optional<base::Shell> script = std::nullopt);

/// A name as one word, however the line is split: a blank becomes U+0020, which no object's name
/// contains.
[[nodiscard]] std::string one_word(std::string_view name);

/// For `-o name`: each of `names` on a line after `type`, e.g. "node".
template <typename Names>
[[nodiscard]] std::string name_lines(std::string_view type, const Names& names) {
  std::string result;
  for (const std::string_view name : names)
    result.append(type).append("/").append(one_word(name)) += '\n';
  return result;
}

/// For `-o name`: "daemonset.apps/agent"; if DaemonSets of all namespaces are selected (`ns` is
/// empty), the arguments that select it again: "-n mon ds/agent".
[[nodiscard]] std::string name_line(const std::string& ns, std::string_view own_ns,
                                    std::string_view name);

/// The DaemonSet names of `items`, which have a `name` and an `ns` or a `report`.
template <typename Items>
[[nodiscard]] std::string daemon_set_names(const std::string& ns, const Items& items) {
  std::string result;
  for (const auto& item : items) {
    if constexpr (requires { item.report; }) {
      result += name_line(ns, item.report.ns, item.report.name);
    } else {
      result += name_line(ns, item.ns, item.name);
    }
  }
  return result;
}

}  // namespace dsdoctor::cmd
