#include <fmt/format.h>

#include "base/edit_distance.h"
#include "commands.h"
#include "diagnosis/reason_entries.h"
#include "render/catalogue_text.h"
#include "render/json.h"
#include "render/yaml.h"

namespace dsdoctor::cmd {
namespace {

base::Error unknown_finding(const std::string& id, const Context& ctx) {
  base::Error error{base::ErrorKind::NotFound, "", fmt::format("no finding is called \"{}\"", id)};
  std::vector<std::string> ids;
  for (const auto* entry : diagnosis::listed_entries()) {
    ids.emplace_back(entry->id);
    if (!entry->alias.empty()) ids.emplace_back(entry->alias);
  }
  for (const std::string& near : base::near_words(id, ids)) {
    error.hints.push_back(fmt::format("did you mean: {}", near));
  }
  error.hints.push_back(fmt::format("'{} findings' lists them all", ctx.program));
  return error;
}

std::string as_names(const render::CatalogueEntries& entries) {
  std::string result;
  for (const auto* entry : entries) result += fmt::format("{}\n", entry->id);
  return result;
}

}  // namespace

ExitCode run(const FindingsOptions& options, Context& ctx) {
  const bool all = options.id.empty();
  render::CatalogueEntries entries = diagnosis::listed_entries();
  if (!all) {
    const auto* entry = diagnosis::find_listed(options.id);
    if (entry == nullptr) return fail(ctx, unknown_finding(options.id, ctx));
    entries = {entry};
  }
  AnswerOptions look;
  look.format = options.format;
  look.color = options.color;
  const render::Style style = style_for(look, ctx);
  switch (options.format) {
    case OutputFormat::Table:
    case OutputFormat::Wide:
      ctx.out << (all ? render::catalogue_text(entries, style)
                      : render::catalogue_text(*entries.front(), style));
      break;
    case OutputFormat::Json: ctx.out << render::json_text(render::catalogue_json(entries)); break;
    case OutputFormat::Yaml: ctx.out << render::yaml_text(render::catalogue_json(entries)); break;
    case OutputFormat::Name: ctx.out << as_names(entries); break;
    case OutputFormat::Markdown:
      ctx.out << (all ? render::catalogue_markdown(entries)
                      : render::catalogue_markdown(*entries.front()));
      break;
    case OutputFormat::Junit:
    case OutputFormat::Prometheus: break;  // not offered here
  }
  return ExitCode::Clean;
}

}  // namespace dsdoctor::cmd
