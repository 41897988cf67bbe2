// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/edit_distance.h"
#include "commands/commands.h"
#include "diagnosis/catalogue/catalogue.h"
#include "question/printing.h"
#include "render/document/catalogue_text.h"

namespace dsdoctor::cmd {
namespace {

base::Error unknown_finding(const std::string& id, const Context& ctx) {
  base::Error error{base::ErrorKind::NotFound, "", fmt::format("finding \"{}\" not found", id)};
  std::vector<std::string> ids;
  for (const auto& entry : diagnosis::listed_entries()) {
    ids.emplace_back(entry.id);
    if (!entry.alias.empty()) ids.emplace_back(entry.alias);
  }
  for (const std::string& near : base::near_words(id, ids)) {
    error.hints.push_back(fmt::format("did you mean: {}", near));
  }
  error.hints.push_back(fmt::format("'{} findings' lists them all", ctx.program));
  return error;
}

}  // namespace

ExitCode run(const FindingsOptions& options, Context& ctx) {
  const bool all = options.id.empty();
  render::CatalogueEntries entries = diagnosis::listed_entries();
  if (!all) {
    const auto* entry = diagnosis::find_listed(options.id);
    if (entry == nullptr) return fail(ctx, unknown_finding(options.id, ctx));
    entries = {entry, 1};
  }
  const render::Presentation style = style_for({options.print}, ctx);
  Forms forms;
  forms.text = [&] {
    if (options.whole) return render::whole_catalogue_text(entries, style);
    return all ? render::catalogue_text(entries, style)
               : render::catalogue_text(entries.front(), style);
  };
  forms.json = [&] { return render::catalogue_json(entries); };
  forms.names = [&] {
    std::string result;
    for (const auto& entry : entries) result += fmt::format("{}\n", entry.id);
    return result;
  };
  forms.document = [&] {
    return all ? render::catalogue_document(entries)
               : render::catalogue_document(entries.front(), style);
  };
  print(options.print.format, forms, ctx);
  return ExitCode::Clean;
}

}  // namespace dsdoctor::cmd
