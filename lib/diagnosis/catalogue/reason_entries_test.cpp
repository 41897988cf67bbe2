// Properties of the whole catalogue, whoever wrote an entry.

#include "diagnosis/catalogue/reason_entries.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "diagnosis/catalogue/verdict_entries.h"
#include "diagnosis/report/report.h"

using namespace dsdoctor::diagnosis;

namespace {

bool is_kebab_case(std::string_view id) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (id.empty() || !letter(id.front()) || !letter(id.back())) return false;
  if (id.find("--") != id.npos) return false;
  // Resource names may be part of an id: "sched-insufficient-cpu".
  return std::ranges::all_of(id, [&](char c) { return letter(c) || c == '-'; });
}

/// A placeholder is a lower-case word; any other brace is one of JSON, which begins with a quote.
bool has_legal_braces(std::string_view text) {
  for (std::size_t open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    const std::string_view name = text.substr(open + 1, close - open - 1);
    if (close == text.npos || name.empty()) return false;
    const bool word = std::ranges::all_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!word && name.front() != '"' && name.front() != '.' && name.front() != '\\') return false;
  }
  return true;
}

bool is_clean(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c != '\x7f'); });
}

}  // namespace

TEST_CASE("every entry of the catalogue is whole", "[diagnosis][catalogue]") {
  for (const CatalogueEntry* entry : listed_entries()) {
    CAPTURE(entry->id);
    CHECK(is_kebab_case(entry->id));
    CHECK((entry->alias.empty() || is_kebab_case(entry->alias)));
    CHECK_FALSE(entry->family.empty());
    CHECK_FALSE(entry->meaning.empty());
    CHECK_FALSE(entry->detected.empty());
    CHECK_FALSE(entry->meaning.ends_with('.'));
    CHECK(entry->meaning.find('\n') == std::string_view::npos);
    for (const std::string_view text : {entry->meaning, entry->detected, entry->remedy}) {
      CHECK(is_clean(text));
    }
    CHECK(has_legal_braces(entry->remedy));
  }
}

TEST_CASE("no two entries share a name", "[diagnosis][catalogue]") {
  std::set<std::string_view> names;
  for (const CatalogueEntry* entry : listed_entries()) {
    CAPTURE(entry->id);
    CHECK(names.insert(entry->id).second);
    if (!entry->alias.empty()) CHECK(names.insert(entry->alias).second);
    CHECK(find_listed(entry->id) == entry);
    if (!entry->alias.empty()) CHECK(find_listed(entry->alias) == entry);
  }
  CHECK(names.size() >= reason_entries().size());
  CHECK(find_listed("") == nullptr);
  CHECK(find_listed("no-such-finding") == nullptr);
}

TEST_CASE("the list is by family, each in one piece, reasons last", "[diagnosis][catalogue]") {
  const auto entries = listed_entries();
  CHECK(entries.size() == catalogue().size() + verdict_entries().size() + reason_entries().size());
  std::set<std::string_view> left;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i]->family == entries[i - 1]->family) {
      CHECK(entries[i - 1]->id < entries[i]->id);
    } else {
      CHECK(left.insert(entries[i - 1]->family).second);
      CHECK_FALSE(left.contains(entries[i]->family));
    }
  }
  CHECK(entries.back()->family == reason_entries().front().family);
}

TEST_CASE("every verdict is described", "[diagnosis][catalogue]") {
  CHECK(verdict_entries().size() == std::size(all_verdicts));
  for (const NodeVerdict verdict : all_verdicts) {
    CAPTURE(to_string(verdict));
    const CatalogueEntry* entry = find_listed(to_string(verdict));
    REQUIRE(entry != nullptr);
    CHECK(entry->family == "verdicts");
    CHECK((entry->severity == Severity::Info) == !is_wrong(verdict));
  }
}
