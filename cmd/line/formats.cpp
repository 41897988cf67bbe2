// SPDX-License-Identifier: Apache-2.0
#include "line/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/edit_distance.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "render/terminal/table.h"

namespace dsdoctor::cmd {
namespace {

struct Format {
  std::string_view name;
  OutputFormat format;
};
constexpr Format all_formats[] = {
    {"table", OutputFormat::Table}, {"wide", OutputFormat::Wide},
    {"json", OutputFormat::Json},   {"yaml", OutputFormat::Yaml},
    {"name", OutputFormat::Name},   {"markdown", OutputFormat::Markdown},
    {"html", OutputFormat::Html},   {"junit", OutputFormat::Junit},
    {"sarif", OutputFormat::Sarif}, {"prometheus", OutputFormat::Prometheus}};

/// The documents for printing a fix.
struct Form {
  std::string_view name;
  render::PatchForm form;
};
constexpr Form all_forms[] = {{"json-patch", render::PatchForm::JsonPatch},
                              {"strategic", render::PatchForm::Strategic},
                              {"manifest", render::PatchForm::Manifest},
                              {"kustomize", render::PatchForm::Kustomize},
                              {"helm", render::PatchForm::Helm}};

bool is_identifier(std::string_view name) {
  return !name.empty() && !base::is_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) { return base::is_alphanumeric(c) || c == '_'; });
}

/// The key after a dot, up to the next step; `\\.` is a dot of the key. Removes it from `path`.
std::string taken_key(std::string_view& path) {
  std::string key;
  while (!path.empty() && path.front() != '.' && path.front() != '[') {
    if (path.starts_with("\\.")) path.remove_prefix(1);
    key += path.front();
    path.remove_prefix(1);
  }
  return key;
}

/// The text in brackets, which are removed from `path`; empty if it is not a key, an index or a
/// star.
std::string taken_brackets(std::string_view& path) {
  const std::size_t end = path.find(']');
  if (end == path.npos) return {};
  const std::string_view inside = path.substr(1, end - 1);
  path.remove_prefix(end + 1);
  if (inside == "*") return "[]";
  const std::string_view digits = inside.substr(inside.starts_with('-') ? 1 : 0);
  if (base::is_number(digits)) return fmt::format("[{}]", inside);
  const bool quoted = inside.size() > 2 && inside.front() == inside.back() &&
                      (inside.front() == '\'' || inside.front() == '"');
  const std::string_view key = quoted ? inside.substr(1, inside.size() - 2) : std::string_view();
  if (key.find_first_of("'\"\\") != key.npos || key.empty()) return {};
  return fmt::format("[\"{}\"]", key);
}

/// The filter of jq for a JSONPath of keys, indexes and stars; empty for other paths.
std::string jq_filter(std::string_view path) {
  if (path.ends_with(R"({"\n"})")) path.remove_suffix(std::string_view(R"({"\n"})").size());
  if (path.starts_with('{') && path.ends_with('}')) path = path.substr(1, path.size() - 2);
  if (path.starts_with('$')) path.remove_prefix(1);
  std::string filter;
  while (!path.empty()) {
    std::string step;
    if (path.front() == '[') {
      step = taken_brackets(path);
    } else if (path.front() == '.' && path.substr(1).starts_with('[')) {
      path.remove_prefix(1);
      continue;
    } else if (path.front() == '.') {
      path.remove_prefix(1);
      const std::string key = taken_key(path);
      const bool plain = std::ranges::all_of(key, [](char c) {
        return base::is_alphanumeric(c) ||
               std::string_view("_-./").find(c) != std::string_view::npos;
      });
      if (key == "*") {
        step = "[]";
      } else if (is_identifier(key)) {
        step = "." + key;
      } else if (plain && !key.empty()) {
        step = fmt::format("[\"{}\"]", key);
      }
    }
    if (step.empty()) return {};
    filter += step;
  }
  if (filter.starts_with('[')) filter.insert(0, ".");
  return filter;
}

}  // namespace

std::vector<std::string> table_columns(std::string_view command) {
  using Columns = std::span<const render::GridColumn>;
  std::vector<Columns> of_tables;
  if (command == "check") of_tables = {render::tables::overview};
  if (command == "explain") of_tables = {render::tables::overview, render::tables::node};
  if (command == "taints") of_tables = {render::tables::taints};
  if (command == "diff-nodes") of_tables = {render::tables::differences};
  if (command == "findings") of_tables = {render::tables::findings};
  std::vector<std::string> titles;
  for (const Columns columns : of_tables) {
    for (const render::GridColumn& column : columns) {
      const bool there = std::ranges::find(titles, column.title) != titles.end();
      if (!there) titles.emplace_back(column.title);
    }
  }
  return titles;
}

base::Status check_sort_by(const std::string& text, std::string_view command) {
  const std::vector<std::string> columns = table_columns(command);
  const bool known = text.empty() || std::ranges::any_of(columns, [&](const std::string& column) {
                       return base::same_ignoring_case(column, text);
                     });
  if (known) return std::monostate();
  return base::usage_error(fmt::format("--sort-by \"{}\": no such column; must be one of {}", text,
                                       fmt::join(columns, ", ")));
}

std::vector<std::string> output_formats(std::string_view command) {
  if (command == "version" || command == "rbac") return {"json", "yaml"};
  if (command == "check") {
    return {"table",    "wide", "json",  "yaml",  "name",
            "markdown", "html", "junit", "sarif", "prometheus"};
  }
  if (command == "suggest") {
    return {"kubectl", "table", "wide", "json-patch", "strategic", "manifest", "kustomize",
            "helm",    "json",  "yaml", "name",       "markdown",  "html"};
  }
  if (command == "snapshot" || command == "completion") return {};
  return {"table", "wide", "json", "yaml", "name", "markdown", "html"};
}

base::Result<OutputFormat> parse_format(const std::string& text, std::string_view command) {
  if (text.empty()) return OutputFormat::Table;
  std::vector<std::string> allowed = output_formats(command);
  const std::string lower = base::lower_case(text);
  const auto* const format = std::ranges::find(all_formats, lower, &Format::name);
  const bool is_allowed = std::ranges::find(allowed, lower) != allowed.end();
  if (format != std::end(all_formats) && is_allowed) return format->format;
  std::ranges::sort(allowed);
  base::Error error = base::usage_error(fmt::format(
      "unable to match a printer suitable for the output format \"{}\", allowed formats are: {}",
      text, fmt::join(allowed, ",")));
  for (const std::string& near : base::near_words(lower, allowed, 1)) {
    error.hints.push_back(fmt::format("did you mean: -o {}", near));
  }
  return error;
}

std::optional<base::Error> refused_template(std::string_view output, const std::string& line) {
  constexpr std::string_view templates[] = {
      "jsonpath",    "jsonpath-as-json", "jsonpath-file", "custom-columns", "custom-columns-file",
      "go-template", "go-template-file", "template",      "templatefile"};
  const std::size_t equals = std::min(output.find('='), output.size());
  const std::string name = base::lower_case(output.substr(0, equals));
  if (std::ranges::find(templates, name) == std::end(templates)) return std::nullopt;
  const bool is_path = name == "jsonpath" || name == "jsonpath-as-json";
  const std::string filter =
      is_path && equals < output.size() ? jq_filter(output.substr(equals + 1)) : std::string();
  const std::string jq = name == "jsonpath-as-json" ? "jq" : "jq -r";
  return base::usage_error(
      fmt::format("-o {} is not offered; {}: {} -o json | {} {}", name,
                  filter.empty() ? "write it as a filter of jq" : "the same with jq", line, jq,
                  filter.empty() ? "FILTER" : base::shell_word(filter)));
}

std::vector<std::string> completion_shells() { return {"bash", "fish", "kubectl", "zsh"}; }

std::optional<render::PatchForm> patch_form(std::string_view text) {
  const auto* const form = std::ranges::find(all_forms, text, &Form::name);
  return form == std::end(all_forms) ? std::nullopt : std::optional(form->form);
}

}  // namespace dsdoctor::cmd
