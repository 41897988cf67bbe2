// SPDX-License-Identifier: Apache-2.0
#include "question/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/text.h"
#include "kube/client/api_error.h"
#include "line/values.h"

namespace dsdoctor::cmd {
namespace {

/// Decides without --color. NO_COLOR takes precedence over variables that force color; see
/// no-color.org, bixense.com/clicolors and force-color.org.
bool color_allowed(const Context& ctx) {
  const kube::Environment& environment = ctx.environment;
  if (environment.variables.contains("NO_COLOR")) return false;
  for (const char* name : {"CLICOLOR_FORCE", "FORCE_COLOR"}) {
    const std::string value = environment.get(name);
    if (!value.empty() && value != "0" && value != "false") return true;
  }
  if (environment.get("CLICOLOR") == "0" || environment.get("FORCE_COLOR") == "0") return false;
  const std::string term = environment.get("TERM");
  return ctx.out_is_terminal && !term.empty() && term != "dumb";
}

/// The width of the terminal, else COLUMNS, which a shell exports only if the user wants it.
std::size_t width_of(const Context& ctx) {
  constexpr std::size_t most_columns = 10'000;
  if (ctx.terminal_width != 0) return ctx.terminal_width;
  const auto columns = base::to_number<std::size_t>(ctx.environment.get("COLUMNS"));
  return columns && *columns <= most_columns ? *columns : 0;
}

/// Like the C library: the first variable that is set decides.
bool locale_is_utf8(const Context& ctx) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = base::lower_case(ctx.environment.get(name));
    if (value.empty()) continue;
    return value.find("utf-8") != value.npos || value.find("utf8") != value.npos;
  }
  return false;
}

/// The flags that a printed command must repeat to reach the same cluster.
std::vector<std::string> kubectl_flags(const SourceOptions& options) {
  std::vector<std::string> flags;
  if (!reads_cluster(options)) return flags;
  for (const auto& [flag, value] : given_cluster_flags(options)) {
    flags.push_back(fmt::format("{}={}", flag, value));
  }
  return flags;
}

/// Prints a hint, which may have several lines, e.g. a login command's. Indents the lines after the
/// first, so that none looks like one of ours.
void print_hint(Context& ctx, std::string_view hint) {
  constexpr std::size_t longest_hint = 16'384;
  std::string_view indent;
  for (const std::string_view line :
       base::split(base::trimmed(hint.substr(0, longest_hint)), "\n")) {
    ctx.err << (line.empty() ? "" : indent) << base::shortened_line(line) << "\n";
    indent = "  ";
  }
}

}  // namespace

ExitCode fail(Context& ctx, const base::Error& error) {
  // Several problems of a kubeconfig are a list, as kubectl prints them. We print no other line
  // breaks.
  constexpr std::string_view next = "\n* ";
  std::string_view mark;
  const std::string text = kube::kubectl_line(error);
  if (ctx.errors != nullptr) ctx.errors->push_back(base::printable_line(base::to_string(error)));
  for (const std::string_view line : base::split(text, next)) {
    ctx.err << mark << base::shortened_line(line);
    mark = next;
  }
  ctx.err << "\n";
  for (const std::string& hint : error.hints) print_hint(ctx, hint);
  return ExitCode::Failed;
}

void warn(Context& ctx, const std::vector<model::Warning>& warnings) {
  constexpr std::size_t shown = 20;
  for (std::size_t i = 0; i < std::min(shown, warnings.size()); ++i) {
    ctx.err << "warning: "
            << base::shortened_line(fmt::format("{}: {}", warnings[i].where, warnings[i].what))
            << "\n";
  }
  if (warnings.size() > shown) {
    ctx.err << fmt::format("warning: and {} more; -o json has them all\n", warnings.size() - shown);
  }
}

void warn(Context& ctx, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    ctx.err << "warning: " << base::shortened_line(line) << "\n";
  }
}

render::Presentation style_for(const ListOptions& options, const Context& ctx) {
  render::Presentation style;
  style.color = options.color == ColorMode::Always ||
                (options.color == ColorMode::Auto && color_allowed(ctx));
  style.unicode = locale_is_utf8(ctx);
  style.width = width_of(ctx);
  if (ctx.out_is_terminal && style.width != 0) {
    constexpr std::size_t least_columns = 40;  // below this width most names would be cut
    style.width = std::max(style.width, least_columns);
    style.rows = ctx.terminal_rows;
  }
  if (is_document(options.format)) {
    style.color = false;  // the viewer of these formats wraps and colors
    style.unicode = true;
    style.width = 0;
    style.rows = 0;
  }
  style.all_nodes = options.all_nodes;
  style.by_class = options.group;
  style.limit = options.limit;
  style.headers = !options.no_headers;
  style.sort_by = options.sort_by;
  style.wide = options.format == OutputFormat::Wide;
  style.address.program = ctx.program;
  return style;
}

std::vector<std::string> without_folders(std::vector<std::string> words) {
  constexpr std::string_view flags[] = {"-f",
                                        "--filename",
                                        "--taints-file",
                                        "--add-node",
                                        "--manifest",
                                        "--since",
                                        "--report",
                                        "--kubeconfig",
                                        "--client-key",
                                        "--cache-dir",
                                        "--certificate-authority",
                                        "--client-certificate"};
  const auto shorten = [](std::string& word, std::size_t from) {
    const std::size_t end = word.find_last_of("/\\");
    // A word that ends with a separator is a folder.
    if (end == std::string::npos || end < from || end + 1 == word.size()) return;
    word.erase(from, end + 1 - from);
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string_view flag = std::string_view(words[i]).substr(0, equals);
    if (std::ranges::find(flags, flag) == std::end(flags)) {
      if (words[i].starts_with("-f") && words[i].size() > 2) shorten(words[i], 2);
    } else if (equals != std::string::npos) {
      shorten(words[i], equals + 1);
    } else if (i + 1 < words.size()) {
      shorten(words[++i], 0);
    }
  }
  return words;
}

render::Address address_for(const AnswerOptions& options, const GivenFlags& what_if,
                            const Context& ctx) {
  const SourceOptions& source = options.input.source;
  render::Address address;
  address.program = ctx.program;
  address.kubectl_flags = kubectl_flags(source);
  std::vector<std::string>& own = address.own_flags;
  own = source.demo ? std::vector<std::string>{"--demo"} : address.kubectl_flags;
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) own.insert(own.end(), {std::string(flag), value});
  };
  if (!source.demo) {
    for (const std::string& file : source.files) add("-f", file);
  }
  add("--now", options.input.now.text);
  add("--feature-gates", options.rules.feature_gates.text);
  for (const std::string& file : options.rules.taints_files) add("--taints-file", file);
  for (const auto& [flag, value] : what_if) {
    own.emplace_back(flag);
    if (!value.empty()) own.push_back(value);
  }
  return address;
}

}  // namespace dsdoctor::cmd
