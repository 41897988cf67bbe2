// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "base/edit_distance.h"
#include "base/text.h"
#include "commands/commands.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/views/alert.h"
#include "question/printing.h"
#include "render/document/catalogue_text.h"

namespace dsdoctor::cmd {
namespace {

using Entries = std::vector<diagnosis::CatalogueEntry>;  // their texts are static

base::Error unknown_word(const std::string& word, const Context& ctx) {
  base::Error error{base::ErrorKind::NotFound, "", fmt::format("finding \"{}\" not found", word)};
  if (const auto alert = diagnosis::alert_in(word)) {
    error.hints.push_back(fmt::format("that is an alert: {} check --alert {}", ctx.program,
                                      diagnosis::to_string(*alert)));
    return error;
  }
  // Ids first, then the words of entries, whatever their case.
  std::map<std::string, std::string> known;  // in lower case
  for (const auto& entry : diagnosis::listed_entries()) {
    for (const std::string_view each : {entry.id, entry.alias}) {
      if (!each.empty()) known.emplace(each, each);
    }
    for (const std::string_view each : entry.words) known.emplace(base::lower_case(each), each);
  }
  std::vector<std::string> candidates;
  candidates.reserve(known.size());
  for (const auto& [lower, written] : known) candidates.push_back(lower);
  for (const std::string& near : base::near_words(base::lower_case(word), candidates)) {
    error.hints.push_back(fmt::format("did you mean: {}", known.at(near)));
  }
  error.hints.push_back(fmt::format("'{} findings' lists them all", ctx.program));
  return error;
}

Entries entries_of(const FindingsOptions& options) {
  const auto listed = diagnosis::listed_entries();
  if (options.word.empty()) return {listed.begin(), listed.end()};
  Entries result;
  for (const auto* entry : diagnosis::entries_for(options.word)) result.push_back(*entry);
  return result;
}

}  // namespace

ExitCode run(const FindingsOptions& options, Context& ctx) {
  const Entries entries = entries_of(options);
  if (entries.empty()) return fail(ctx, unknown_word(options.word, ctx));
  const bool one = !options.word.empty() && entries.size() == 1;
  const render::Presentation style = style_for({options.print}, ctx);
  Forms forms;
  forms.text = [&] {
    if (options.whole) return render::whole_catalogue_text(entries, style);
    return one ? render::catalogue_text(entries.front(), style)
               : render::catalogue_text(entries, style);
  };
  forms.json = [&] { return render::catalogue_json(entries); };
  forms.names = [&] {
    std::string result;
    for (const auto& entry : entries) result += fmt::format("{}\n", entry.id);
    return result;
  };
  forms.document = [&] {
    return one ? render::catalogue_document(entries.front(), style)
               : render::catalogue_document(entries);
  };
  print(options.print.format, forms, ctx);
  return ExitCode::Clean;
}

}  // namespace dsdoctor::cmd
