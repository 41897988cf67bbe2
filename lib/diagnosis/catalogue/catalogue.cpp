// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/catalogue/catalogue.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "diagnosis/catalogue/findings/phrases.h"
#include "diagnosis/catalogue/role.h"

namespace dsdoctor::diagnosis {
namespace {

/// Replaces each placeholder by its value; absent if a placeholder has no value.
template <typename ValueOf>
std::optional<std::string> filled(std::string_view text, const ValueOf& value_of) {
  std::string result;
  for (std::size_t open; (open = text.find('{')) != text.npos;) {
    const std::size_t close = text.find('}', open);
    const std::string_view name = text.substr(open + 1, close - open - 1);
    // Braces of a JSON patch never enclose a bare word.
    const bool is_placeholder =
        close != text.npos && !name.empty() &&
        std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
    result += text.substr(0, is_placeholder ? open : open + 1);
    text.remove_prefix(is_placeholder ? close + 1 : open + 1);
    if (!is_placeholder) continue;
    const auto value = value_of(name);
    if (value.empty()) return std::nullopt;
    result += value;
  }
  return result.append(text);
}

/// The kind of name that a placeholder in a command is replaced by.
base::NameKind kind_of(std::string_view placeholder) {
  using Row = std::pair<std::string_view, base::NameKind>;
  constexpr std::array rows = {Row{"agent_ns", base::NameKind::Label},
                               Row{"container", base::NameKind::Label},
                               Row{"effect", base::NameKind::Value},
                               Row{"holder_namespace", base::NameKind::Label},
                               Row{"key", base::NameKind::Key},
                               Row{"ns", base::NameKind::Label},
                               Row{"os_of_the_pods", base::NameKind::Value},
                               Row{"other_ns", base::NameKind::Label},
                               Row{"value", base::NameKind::Value}};
  const auto* row = std::ranges::find(rows, placeholder, &Row::first);
  return row == rows.end() ? base::NameKind::Subdomain : row->second;
}

/// The step with its placeholders replaced, by `word_of` in the command and by `value_of` in the
/// other texts. Absent if one of the values is not known.
template <typename ValueOf, typename WordOf>
std::optional<Step> step_of(const StepPattern& pattern, const ValueOf& value_of,
                            const WordOf& word_of) {
  Step step;
  auto text = filled(pattern.text, value_of);
  auto condition = filled(pattern.condition, value_of);
  if (!text || !condition) return std::nullopt;
  step.text = std::move(*text);
  step.condition = std::move(*condition);
  if (pattern.command.empty()) return step;
  step.command.emplace();
  for (const std::string& word : base::split_words(pattern.command)) {
    auto filled_word = filled(word, word_of);
    if (!filled_word) return std::nullopt;
    step.command->words.push_back(std::move(*filled_word));
  }
  return step;
}

}  // namespace

namespace {

/// In lower case, with hyphens between the words.
std::string as_id(std::string_view word) {
  std::string result = base::lower_case(base::trimmed(word));
  std::ranges::replace(result, ' ', '-');
  std::ranges::replace(result, '_', '-');
  return result;
}

}  // namespace

std::vector<const CatalogueEntry*> entries_for(std::string_view word) {
  const std::string whole = as_id(word);
  // A problem's id is FINDING=ROOT#PART.
  const std::string id = whole.substr(0, whole.find_first_of("=#"));
  std::vector<const CatalogueEntry*> result;
  const auto collect = [&](auto&& is_meant) {
    for (const CatalogueEntry& entry : listed_entries()) {
      if (is_meant(entry)) result.push_back(&entry);
    }
    return !result.empty();
  };
  if (id.empty()) return result;
  (void)(collect(
             [&](const CatalogueEntry& entry) { return entry.id == id || entry.alias == id; }) ||
         collect([&](const CatalogueEntry& entry) {
           return std::ranges::find(entry.words, whole, as_id) != entry.words.end();
         }) ||
         collect(
             [&](const CatalogueEntry& entry) { return as_id(to_string(entry.family)) == whole; }));
  return result;
}

const CatalogueEntry& entry_of(FindingId id) { return catalogue()[static_cast<std::size_t>(id)]; }

FindingId id_of(const CatalogueEntry& entry) {
  return static_cast<FindingId>(&entry - catalogue().data());
}

std::string_view to_string(FindingId id) { return entry_of(id).id; }

const CatalogueEntry* find_listed(std::string_view id) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const CatalogueEntry*> result;
    for (const CatalogueEntry& entry : listed_entries()) {
      result.emplace(entry.id, &entry);
      if (!entry.alias.empty()) result.emplace(entry.alias, &entry);
    }
    return result;
  }();
  const auto at = by_name.find(id);
  return at == by_name.end() ? nullptr : at->second;
}

Finding make_finding(FindingKind kind, std::vector<Evidence> evidence, const CaseNames& names) {
  const CatalogueEntry& entry = entry_of(kind.id);
  const auto parameters = message_entries()[static_cast<std::size_t>(kind.id)].parameters;
  const auto argument = [&](std::string_view name) -> const Argument& {
    static const Argument unknown;
    const auto at = std::ranges::find(parameters, name, &ParameterEntry::name);
    const auto index = static_cast<std::size_t>(at - parameters.begin());
    return index < kind.arguments.size() ? kind.arguments[index] : unknown;
  };
  const auto value_of = [&](std::string_view name) {
    if (name == "ns") return names.ns;
    if (name == "ds") return names.ds;
    if (name == "node") return names.node;
    return name == "pod" ? names.pod : argument(name).text();
  };
  const auto word_of = [&](std::string_view name) {
    const std::string_view value = value_of(name);
    return base::is_name(kind_of(name), value) ? value : std::string_view();
  };
  Finding finding;
  finding.id = kind.id;
  finding.severity = entry.severity;
  finding.evidence = std::move(evidence);
  finding.basis = role_of(kind.id).basis;
  finding.standing = Standing::Also;  // until the findings of its node are ranked
  if (const std::size_t name = entry.root.find('{'); name != std::string_view::npos) {
    finding.root = filled(entry.root.substr(name), value_of).value_or("");
  }
  for (const StepPattern& pattern : entry.fix) {
    if (!pattern.when.empty() && argument(pattern.when).holds() == pattern.unless) continue;
    if (auto step = step_of(pattern, value_of, word_of)) finding.fix.push_back(std::move(*step));
  }
  finding.message = {MessageId{static_cast<std::uint16_t>(kind.id)}, std::move(kind.arguments)};
  return finding;
}

Message title_message(const CatalogueEntry& entry) {
  return Message(MessageId{static_cast<std::uint16_t>(&entry - listed_entries().data())});
}

Step described(const StepPattern& pattern, std::string (*name)(std::string_view)) {
  return *step_of(pattern, name, name);
}

}  // namespace dsdoctor::diagnosis
