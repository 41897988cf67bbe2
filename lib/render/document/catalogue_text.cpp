// SPDX-License-Identifier: Apache-2.0
#include "render/document/catalogue_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "render/document/report_parts.h"
#include "render/terminal/problem_lines.h"
#include "render/words/finding_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::CatalogueEntry;
using diagnosis::Family;
using diagnosis::Scope;

constexpr std::size_t indent = 2;
constexpr std::size_t gap = 3;
constexpr std::size_t least_room = 30;  // minimum width of the column for the meaning, in columns

/// `text` wrapped at blanks to at most `room` bytes; one line if `room` is 0.
std::vector<std::string> broken(std::string_view text, std::size_t room) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    std::string& line = lines.back();
    if (room != 0 && !line.empty() && line.size() + 1 + word.size() > room) {
      lines.emplace_back(word);
    } else {
      line += fmt::format("{}{}", line.empty() ? "" : " ", word);
    }
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return lines;
}

/// The widths of the columns before the meaning, and the width left for it.
struct Columns {
  std::size_t id = 0;
  std::size_t severity = 8;
  std::size_t scope = 0;  // 0: not shown
  std::size_t meaning = 0;
  std::size_t room = 0;  // for the meaning; 0: unlimited
};

Columns columns_for(CatalogueEntries entries, const Style& style) {
  Columns columns;
  for (const CatalogueEntry& entry : entries) columns.id = std::max(columns.id, entry.id.size());
  if (style.wide) columns.scope = to_string(Scope::DaemonSet).size();
  columns.meaning = indent + columns.id + gap + columns.severity + gap;
  if (columns.scope != 0) columns.meaning += columns.scope + gap;
  // If the terminal is too narrow for another column, the meaning is below the id.
  if (style.width != 0 && style.width < columns.meaning + least_room) columns.meaning = indent * 3;
  if (style.width != 0) {
    columns.room = std::max(style.width, columns.meaning + least_room) - columns.meaning;
  }
  return columns;
}

std::string row(const CatalogueEntry& entry, const Columns& columns, const Style& style) {
  const std::string severity = fmt::format(
      "{:<{}}", entry.family == Family::Terms ? "" : to_string(entry.severity), columns.severity);
  std::string line = fmt::format("{:{}}{:<{}}{:{}}{}", "", indent, entry.id, columns.id, "", gap,
                                 paint(style, color_of(entry.severity), severity));
  std::size_t column = indent + columns.id + gap + columns.severity;
  if (columns.scope != 0) {
    line += fmt::format("{:{}}{:<{}}", "", gap,
                        entry.family == Family::Terms ? "" : to_string(entry.scope), columns.scope);
    column += gap + columns.scope;
  }
  std::vector<std::string> texts = broken(entry.title, columns.room);
  if (style.wide) {
    const std::string_view lead = entry.family == Family::Terms ? "" : "detected: ";
    const auto detected = broken(fmt::format("{}{}", lead, entry.detected), columns.room);
    texts.insert(texts.end(), detected.begin(), detected.end());
  }
  const bool beside = column < columns.meaning;
  if (beside) line += fmt::format("{:{}}{}", "", columns.meaning - column, texts.front());
  while (line.ends_with(' ')) line.pop_back();
  std::string result = line + "\n";
  for (std::size_t i = beside ? 1 : 0; i < texts.size(); ++i) {
    result += fmt::format("{:{}}{}\n", "", columns.meaning, texts[i]);
  }
  return result;
}

/// The placeholder for a name, as in the usage of a command: NAME, NAMESPACE, POD.
std::string placeholder(std::string_view name) {
  if (name == "ds") return "NAME";
  std::string result(name == "ns" ? "namespace" : name);
  std::ranges::transform(result, result.begin(), base::to_upper);
  return result;
}

/// "if the node is back: "
std::string condition(const diagnosis::StepPattern& pattern) {
  if (pattern.when.empty()) return {};
  std::string words;
  for (const std::string_view word : base::split(pattern.when, "_")) {
    words += fmt::format("{}{}", words.empty() ? "" : " ", word == "gpu" ? "GPU" : word);
  }
  // Kubernetes' spelling.
  using Spelling = std::pair<std::string_view, std::string_view>;
  for (const auto& [made, right] :
       {Spelling{"kube system", "kube-system"}, Spelling{"daemon set", "DaemonSet"},
        Spelling{"daemonset", "DaemonSet"}}) {
    if (const std::size_t at = words.find(made); at != words.npos) {
      words.replace(at, made.size(), right);
    }
  }
  return fmt::format("{} {}: ", pattern.unless ? "unless" : "if", words);
}

std::vector<FixLine> lines_of_fix(const CatalogueEntry& entry, const Presentation& style) {
  std::vector<FixLine> result;
  for (const auto& pattern : entry.fix) {
    FixLine& line = result.emplace_back(line_of(described(pattern, placeholder), style));
    const std::string lead = condition(pattern);
    line.text.insert(0, lead);
    if (line.command != std::string::npos) line.command += lead.size();
  }
  return result;
}

/// A command stays on one line, so that it can be copied and pasted.
std::string fix_text(const CatalogueEntry& entry, const Presentation& style) {
  std::string result;
  for (const FixLine& line : lines_of_fix(entry, style)) {
    result += wrapped(
        style, Layout{.indent = line.is_command() ? indent * 2 : indent, .solid = line.command},
        line.text);
  }
  return result;
}

/// The steps as written in the catalogue.
nlohmann::ordered_json fix_json(const CatalogueEntry& entry) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  for (const auto& pattern : entry.fix) {
    result.push_back(
        {{"text", pattern.text},
         {"command", pattern.command.empty() ? nlohmann::ordered_json(nullptr)
                                             : nlohmann::ordered_json(pattern.command)},
         {"condition", pattern.condition}});
  }
  return result;
}

bool is_term(const CatalogueEntry& entry) { return entry.family == Family::Terms; }

/// The heading of the second text of an entry.
std::string_view detail_title(const CatalogueEntry& entry) {
  return is_term(entry) ? "In detail" : "Detected";
}

std::string headline(const CatalogueEntry& entry) {
  if (is_term(entry)) return "a term of the answers";
  return fmt::format("{}, scope {}, family {}{}", to_string(entry.severity), to_string(entry.scope),
                     to_string(entry.family),
                     entry.alias.empty() ? "" : fmt::format(", formerly {}", entry.alias));
}

/// One table for all families.
std::string sorted_text(CatalogueEntries entries, const Presentation& style) {
  std::vector<const CatalogueEntry*> order;
  order.reserve(entries.size());
  for (const CatalogueEntry& entry : entries) order.push_back(&entry);
  Style as_it_is = style;
  if (base::same_ignoring_case(style.sort_by, "severity")) {
    std::ranges::stable_sort(order, {}, &CatalogueEntry::severity);
    as_it_is.sort_by.clear();
  }
  Grid grid = grid_of(tables::findings);
  grid.rows.reserve(order.size());
  for (const CatalogueEntry* entry : order) {
    grid.rows.push_back({std::string(entry->id), std::string(to_string(entry->severity)),
                         std::string(to_string(entry->scope)), std::string(entry->title)});
  }
  return joined_lines(grid_lines(grid, std::size_t(-1) / 2, as_it_is));
}

}  // namespace

std::string catalogue_text(CatalogueEntries entries, const Presentation& style) {
  if (!style.sort_by.empty()) return sorted_text(entries, style);
  const Columns columns = columns_for(entries, style);
  std::string result;
  std::optional<Family> family;
  for (const CatalogueEntry& entry : entries) {
    if (entry.family != family && style.headers) {
      family = entry.family;
      result += fmt::format("{}{}\n", result.empty() ? "" : "\n",
                            paint(style, Color::Bold, std::string(to_string(entry.family))));
    }
    result += row(entry, columns, style);
  }
  return result;
}

std::string catalogue_text(const CatalogueEntry& entry, const Presentation& style) {
  std::string result =
      fmt::format("{}    {}\n", paint(style, Color::Bold, entry.id), headline(entry));
  result += "\nMeaning:\n" + wrapped(style, indent, fmt::format("{}.", entry.title));
  result += fmt::format("\n{}:\n{}", detail_title(entry), wrapped(style, indent, entry.detected));
  if (!entry.fix.empty()) result += "\nWhat to do:\n" + fix_text(entry, style);
  return result;
}

std::string whole_catalogue_text(CatalogueEntries entries, const Presentation& style) {
  std::string result;
  for (const CatalogueEntry& entry : entries) {
    result += fmt::format("{}{}", result.empty() ? "" : "\n", catalogue_text(entry, style));
  }
  return result;
}

Document catalogue_document(CatalogueEntries entries) {
  Document document{"Findings and reasons", {}, {}};
  Table* table = nullptr;
  std::optional<Family> family;
  for (const CatalogueEntry& entry : entries) {
    if (entry.family != family) {
      family = entry.family;
      document.blocks.emplace_back(Heading{2, plain(to_string(entry.family))});
      document.blocks.emplace_back(
          Table{{plain("finding"), plain("severity"), plain("scope"), plain("meaning")}, {}});
      table = &std::get<Table>(document.blocks.back());
    }
    table->rows.push_back({{code(entry.id)},
                           {plain(to_string(entry.severity))},
                           {plain(to_string(entry.scope))},
                           {plain(entry.title)}});
  }
  return document;
}

Document catalogue_document(const CatalogueEntry& entry, const Presentation& style) {
  Document document{std::string(entry.id), plain(headline(entry)), {}};
  document.blocks.emplace_back(Paragraph{plain(fmt::format("{}.", entry.title))});
  document.blocks.emplace_back(Paragraph{strong(fmt::format("{}:", detail_title(entry))) +
                                         plain(" ") + plain(entry.detected)});
  if (!entry.fix.empty()) {
    document.blocks.emplace_back(Paragraph{strong("What to do:")});
    add_fix(document.blocks, lines_of_fix(entry, style));
  }
  return document;
}

nlohmann::ordered_json catalogue_json(CatalogueEntries entries) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CatalogueEntry& entry : entries) {
    list.push_back({{"id", entry.id},
                    {"family", to_string(entry.family)},
                    {"severity", to_string(entry.severity)},
                    {"scope", to_string(entry.scope)},
                    {"meaning", entry.title},
                    {"detected", entry.detected},
                    {"fix", fix_json(entry)},
                    {"alias", entry.alias},
                    {"words", entry.words}});
  }
  return {{"apiVersion", "dsdoctor/v1"}, {"kind", "Catalogue"}, {"findings", std::move(list)}};
}

}  // namespace dsdoctor::render
