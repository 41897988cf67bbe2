#include "render/document/catalogue_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/document/report_parts.h"
#include "render/words/finding_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::CatalogueEntry;
using diagnosis::Scope;
using diagnosis::Severity;

constexpr std::size_t indent = 2;
constexpr std::size_t gap = 3;
constexpr std::size_t least_room = 30;  // columns a meaning needs beside its id

Color color_of(Severity severity) {
  switch (severity) {
    case Severity::Critical:
    case Severity::Error: return Color::Red;
    case Severity::Warning: return Color::Yellow;
    case Severity::Info: return Color::Plain;
  }
  return Color::Plain;
}

/// `text` in lines of at most `room` bytes, broken at blanks; one line where `room` is 0.
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

/// The columns before the meaning, and where it begins.
struct Columns {
  std::size_t id = 0;
  std::size_t severity = 8;
  std::size_t scope = 0;  // 0: not shown
  std::size_t meaning = 0;
  std::size_t room = 0;  // for the meaning; 0: any
};

Columns columns_for(const CatalogueEntries& entries, const Style& style) {
  Columns columns;
  for (const CatalogueEntry* entry : entries) columns.id = std::max(columns.id, entry->id.size());
  if (style.wide) columns.scope = to_string(Scope::DaemonSet).size();
  columns.meaning = indent + columns.id + gap + columns.severity + gap;
  if (columns.scope != 0) columns.meaning += columns.scope + gap;
  // Too narrow for a column: the meaning stands below.
  if (style.width != 0 && style.width < columns.meaning + least_room) columns.meaning = indent * 3;
  if (style.width != 0) {
    columns.room = std::max(style.width, columns.meaning + least_room) - columns.meaning;
  }
  return columns;
}

std::string row(const CatalogueEntry& entry, const Columns& columns, const Style& style) {
  const std::string severity = fmt::format("{:<{}}", to_string(entry.severity), columns.severity);
  std::string line = fmt::format("{:{}}{:<{}}{:{}}{}", "", indent, entry.id, columns.id, "", gap,
                                 paint(style, color_of(entry.severity), severity));
  std::size_t column = indent + columns.id + gap + columns.severity;
  if (columns.scope != 0) {
    line += fmt::format("{:{}}{:<{}}", "", gap, to_string(entry.scope), columns.scope);
    column += gap + columns.scope;
  }
  std::vector<std::string> texts = broken(entry.meaning, columns.room);
  if (style.wide) {
    const auto detected = broken(fmt::format("detected: {}", entry.detected), columns.room);
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

/// What stands for a name, as the usage of a command writes it: NAME, NAMESPACE, POD.
std::string with_placeholders(std::string_view remedy) {
  std::string result;
  while (!remedy.empty()) {
    const std::size_t open = std::min(remedy.find('{'), remedy.size());
    result += remedy.substr(0, open);
    remedy.remove_prefix(open);
    const std::size_t close = remedy.find('}');
    if (close == std::string_view::npos) return result.append(remedy);
    const std::string_view word = remedy.substr(1, close - 1);
    const bool name =
        !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!name) {
      result += '{';
      remedy.remove_prefix(1);
      continue;
    }
    if (word == "ds" || word == "ns") {
      result += word == "ds" ? "NAME" : "NAMESPACE";
    } else {
      for (const char c : word) result += static_cast<char>(c - 'a' + 'A');
    }
    remedy.remove_prefix(close + 1);
  }
  return result;
}

/// A command stays on one line, to be copied.
std::string remedy_lines(std::string_view remedy, const Style& style) {
  std::string result;
  for (const RemedyLine& line : lines_of_remedy(with_placeholders(remedy), style)) {
    result += wrapped(
        style, Layout{.indent = line.is_command() ? indent * 2 : indent, .solid = line.command},
        line.text);
  }
  return result;
}

std::string headline(const CatalogueEntry& entry) {
  return fmt::format("{}, of a {}, family {}{}", to_string(entry.severity),
                     entry.scope == Scope::DaemonSet ? "DaemonSet" : to_string(entry.scope),
                     entry.family,
                     entry.alias.empty() ? "" : fmt::format(", formerly {}", entry.alias));
}

}  // namespace

std::string catalogue_text(const CatalogueEntries& entries, const Style& style) {
  const Columns columns = columns_for(entries, style);
  std::string result;
  std::string_view family;
  for (const CatalogueEntry* entry : entries) {
    if (entry->family != family) {
      family = entry->family;
      result += fmt::format("{}{}\n", result.empty() ? "" : "\n",
                            paint(style, Color::Bold, std::string(family)));
    }
    result += row(*entry, columns, style);
  }
  return result;
}

std::string catalogue_text(const CatalogueEntry& entry, const Style& style) {
  std::string result =
      fmt::format("{}    {}\n", paint(style, Color::Bold, entry.id), headline(entry));
  result += "\nMeaning:\n" + wrapped(style, indent, fmt::format("{}.", entry.meaning));
  result += "\nDetected:\n" + wrapped(style, indent, entry.detected);
  if (!entry.remedy.empty()) result += "\nWhat to do:\n" + remedy_lines(entry.remedy, style);
  return result;
}

Document catalogue_document(const CatalogueEntries& entries) {
  Document document{"Findings and reasons", {}, {}};
  Table* table = nullptr;
  std::string_view family;
  for (const CatalogueEntry* entry : entries) {
    if (entry->family != family) {
      family = entry->family;
      document.blocks.emplace_back(Heading{2, plain(family)});
      document.blocks.emplace_back(
          Table{{plain("finding"), plain("severity"), plain("scope"), plain("meaning")}, {}});
      table = &std::get<Table>(document.blocks.back());
    }
    table->rows.push_back({{code(entry->id)},
                           {plain(to_string(entry->severity))},
                           {plain(to_string(entry->scope))},
                           {plain(entry->meaning)}});
  }
  return document;
}

Document catalogue_document(const CatalogueEntry& entry, const Style& style) {
  Document document{std::string(entry.id), plain(headline(entry)), {}};
  document.blocks.emplace_back(Paragraph{plain(fmt::format("{}.", entry.meaning))});
  document.blocks.emplace_back(Paragraph{strong("Detected:") + plain(" ") + plain(entry.detected)});
  if (!entry.remedy.empty()) {
    document.blocks.emplace_back(Paragraph{strong("What to do:")});
    add_remedy(document.blocks, with_placeholders(entry.remedy), style);
  }
  return document;
}

nlohmann::ordered_json catalogue_json(const CatalogueEntries& entries) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CatalogueEntry* entry : entries) {
    list.push_back({{"id", entry->id},
                    {"family", entry->family},
                    {"severity", to_string(entry->severity)},
                    {"scope", to_string(entry->scope)},
                    {"meaning", entry->meaning},
                    {"detected", entry->detected},
                    {"remedy", entry->remedy},
                    {"alias", entry->alias}});
  }
  return {{"apiVersion", "dsdoctor/v1"}, {"kind", "Catalogue"}, {"findings", std::move(list)}};
}

}  // namespace dsdoctor::render
