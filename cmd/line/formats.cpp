#include "line/formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace dsdoctor::cmd {
namespace {

struct Format {
  std::string_view name;
  OutputFormat format;
};
constexpr Format all_formats[] = {{"table", OutputFormat::Table},
                                  {"wide", OutputFormat::Wide},
                                  {"json", OutputFormat::Json},
                                  {"yaml", OutputFormat::Yaml},
                                  {"name", OutputFormat::Name},
                                  {"markdown", OutputFormat::Markdown},
                                  {"html", OutputFormat::Html},
                                  {"junit", OutputFormat::Junit},
                                  {"prometheus", OutputFormat::Prometheus}};

/// The documents that a cure can be printed as.
struct Form {
  std::string_view name;
  render::PatchForm form;
};
constexpr Form all_forms[] = {{"json-patch", render::PatchForm::JsonPatch},
                              {"strategic", render::PatchForm::Strategic},
                              {"manifest", render::PatchForm::Manifest},
                              {"kustomize", render::PatchForm::Kustomize},
                              {"helm", render::PatchForm::Helm}};

}  // namespace

std::vector<std::string> output_formats(std::string_view command) {
  if (command == "version") return {"json", "yaml"};
  if (command == "check") {
    return {"table", "wide", "json", "yaml", "name", "markdown", "html", "junit", "prometheus"};
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
  return base::usage_error(fmt::format(
      "unable to match a printer suitable for the output format \"{}\", allowed formats are: {}",
      text, fmt::join(allowed, ",")));
}

std::optional<render::PatchForm> patch_form(std::string_view text) {
  const auto* const form = std::ranges::find(all_forms, text, &Form::name);
  return form == std::end(all_forms) ? std::nullopt : std::optional(form->form);
}

}  // namespace dsdoctor::cmd
