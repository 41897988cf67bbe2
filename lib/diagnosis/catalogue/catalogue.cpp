#include "diagnosis/catalogue/catalogue.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/shell_word.h"
#include "diagnosis/catalogue/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

/// The line with its placeholders filled in; absent where one has no value.
std::optional<std::string> filled(std::string_view line, const RemedyNames& names) {
  std::string result;
  while (!line.empty()) {
    const std::size_t open = line.find('{');
    const std::size_t close = open == std::string_view::npos ? open : line.find('}', open);
    if (close == std::string_view::npos) return result.append(line);
    const std::string_view name = line.substr(open + 1, close - open - 1);
    const auto value = std::ranges::find(names, name, [](const auto& pair) { return pair.first; });
    // Braces of a JSON patch hold no bare word.
    const bool placeholder =
        !name.empty() && std::ranges::all_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!placeholder) {
      result.append(line.substr(0, open + 1));
      line.remove_prefix(open + 1);
      continue;
    }
    if (value == names.end() || value->second.empty()) return std::nullopt;
    result.append(line.substr(0, open)).append(base::shell_word(value->second));
    line.remove_prefix(close + 1);
  }
  return result;
}

std::string remedy_of(std::string_view text, const RemedyNames& names) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto line = filled(text.substr(0, end), names)) {
      result.append(result.empty() ? "" : "\n").append(*line);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::vector<CatalogueEntry> all_entries() {
  std::vector<CatalogueEntry> result;
  for (const auto table :
       {daemon_set_entries(), control_entries(), creation_entries(), scheduling_entries(),
        node_entries(), kubelet_entries(), startup_entries(), pod_entries(), rollout_entries()}) {
    result.insert(result.end(), table.begin(), table.end());
  }
  return result;
}

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> entries = all_entries();
  return entries;
}

const CatalogueEntry* find_entry(std::string_view id) {
  const auto entries = catalogue();
  const auto at = std::ranges::find_if(entries, [&](const CatalogueEntry& entry) {
    return entry.id == id || (!entry.alias.empty() && entry.alias == id);
  });
  return at == entries.end() ? nullptr : &*at;
}

Finding make_finding(std::string_view id, std::string message, std::vector<std::string> evidence,
                     RemedyNames names) {
  const CatalogueEntry* entry = find_entry(id);
  if (entry == nullptr) std::abort();  // a finding that the catalogue does not know is our bug
  Finding finding;
  finding.id = entry->id;
  finding.severity = entry->severity;
  finding.message = std::move(message);
  finding.evidence = std::move(evidence);
  finding.remedy = remedy_of(entry->remedy, names);
  finding.standing = Standing::Also;  // until the findings of its node are ranked
  return finding;
}

}  // namespace dsdoctor::diagnosis
