// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/known_taints.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/edit_distance.h"
#include "base/glob.h"
#include "base/text.h"
#include "decode/yaml/yaml_file.h"
#include "decode/yaml/yaml_place.h"

namespace dsdoctor::decode {
namespace {

using model::KnownTaint;
using nlohmann::json;
using Path = std::vector<std::string>;
using Words = std::span<const std::string_view>;

constexpr std::size_t max_bytes = 4u << 20;
constexpr std::size_t longest_text = 2000;

// In the order of the enumerations.
constexpr std::string_view match_words[] = {"exact", "prefix", "glob"};
constexpr std::string_view lifecycle_words[] = {
    "", "transient", "leaving", "until-ready", "maintenance", "permanent"};
constexpr std::string_view advised_words[] = {"depends", "yes", "no"};
constexpr std::string_view boolean_words[] = {"false", "true"};
constexpr std::string_view effect_words[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
constexpr std::string_view operator_words[] = {"Exists", "Equal"};
constexpr std::string_view confidence_words[] = {"verified", "likely"};

constexpr std::string_view entry_fields[] = {
    "advice",        "auto_tolerated_by_daemonset_controller",
    "confidence",    "effects",
    "family",        "id",
    "key",           "lifecycle",
    "match",         "meaning",
    "node_label",    "notes",
    "renamed_to",    "set_by",
    "setter",        "should_daemonset_tolerate",
    "since",         "source",
    "value_decides", "suggested_toleration",
    "values"};
constexpr std::string_view auto_fields[] = {"condition", "value"};
constexpr std::string_view advice_fields[] = {"general", "node-agents"};
constexpr std::string_view toleration_fields[] = {"effect", "key", "operator", "value"};

constexpr std::string_view in_values = "* matches any characters, [0-9] a digit";

/// Reports whether all characters are allowed in label keys and values, or are in `more`.
bool has_only_label_letters(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text, [&](char c) {
    return base::is_alphanumeric(c) || c == '.' || c == '_' || c == '-' ||
           more.find(c) != more.npos;
  });
}

bool is_key(std::string_view text, const std::string& more) {
  return !text.empty() && has_only_label_letters(text, "/" + more) &&
         std::ranges::count(text, '/') <= 1;
}

bool is_value_glob(std::string_view text) {
  return std::ranges::all_of(base::split(text, base::glob_digit), [](std::string_view part) {
    return has_only_label_letters(part, "*");
  });
}

/// "effects[1]", "should_daemonset_tolerate.general"
std::string shown(const Path& path) {
  std::string result;
  for (const std::string& step : path) {
    const bool index = !step.empty() && step.find_first_not_of("0123456789") == step.npos;
    if (index) {
      result += fmt::format("[{}]", step);
    } else {
      result += fmt::format("{}{}", result.empty() ? "" : ".", step);
    }
  }
  return result;
}

/// A problem of an entry, and its path in the entry.
struct Problem {
  Path path;
  std::string what;
};

/// Reads one entry. Keeps the first problem; values after it are read as empty.
class EntryReader {
 public:
  [[nodiscard]] const std::optional<Problem>& problem() const { return problem_; }

  KnownTaint read(const json& entry) {
    KnownTaint taint;
    if (!has_fields(entry, {}, entry_fields)) return taint;
    taint.id = text(entry, {"id"});
    taint.key = text(entry, {"key"});
    taint.match = static_cast<model::KeyMatch>(word(entry, {"match"}, match_words));
    taint.value_decides = word(entry, {"value_decides"}, boolean_words) != 0;
    taint.node_label = text(entry, {"node_label"});
    taint.renamed_to = text(entry, {"renamed_to"});
    read_values(entry, taint);
    read_effects(entry, taint);
    taint.set_by = text(entry, {"set_by"});
    taint.setter = text(entry, {"setter"});
    taint.family = text(entry, {"family"});
    taint.meaning = text(entry, {"meaning"});
    taint.lifecycle =
        static_cast<model::TaintLifecycle>(word(entry, {"lifecycle"}, lifecycle_words));
    taint.advice = text(entry, {"advice"});
    if (find(entry, "confidence") != nullptr) {
      taint.confidence = confidence_words[word(entry, {"confidence"}, confidence_words)];
    }
    read_nested(entry, taint);
    if (!problem_) complete(taint);
    return taint;
  }

 private:
  /// Null is the same as absent.
  static const json* find(const json& object, const std::string& field) {
    const auto at = object.find(field);
    return at == object.end() || at->is_null() ? nullptr : &*at;
  }

  void fail(Path path, std::string what) {
    if (!problem_) problem_ = Problem{std::move(path), std::move(what)};
  }

  bool has_fields(const json& object, const Path& path, Words known) {
    if (!object.is_object()) {
      fail(path, "expected a mapping of fields");
      return false;
    }
    for (auto at = object.begin(); at != object.end(); ++at) {
      if (std::ranges::find(known, at.key()) != known.end()) continue;
      Path of_field = path;
      of_field.push_back(at.key());
      if (at.key() == "value_pattern") {
        fail(of_field, fmt::format("regular expressions are not supported; use values, a "
                                   "list of strings: {}",
                                   in_values));
        return false;
      }
      const auto near = base::near_words(at.key(), {known.begin(), known.end()}, 1);
      fail(of_field, near.empty()
                         ? fmt::format("unknown field; fields are: {}", fmt::join(known, ", "))
                         : fmt::format("unknown field; did you mean {}?", near.front()));
      return false;
    }
    return true;
  }

  /// `path` is the path in the entry; its last step is a field of `object`.
  std::string text(const json& object, const Path& path) {
    const json* value = find(object, path.back());
    return value == nullptr ? std::string() : text_of(*value, path);
  }
  std::string text_of(const json& value, const Path& path) {
    const auto* text = value.get_ptr<const json::string_t*>();
    if (text == nullptr) {
      fail(path, value.is_structured() ? "expected a string" : "expected a string: quote it");
    } else if (text->size() > longest_text) {
      fail(path, fmt::format("the string is longer than {} bytes", longest_text));
    } else {
      return *text;
    }
    return {};
  }

  /// The index of the word; 0 if the field is absent.
  std::size_t word(const json& object, const Path& path, Words words) {
    const json* value = find(object, path.back());
    return value == nullptr ? 0 : word_of(*value, path, words);
  }
  std::size_t word_of(const json& value, const Path& path, Words words) {
    std::string given;
    if (const auto* truth = value.get_ptr<const json::boolean_t*>()) {
      // In YAML an unquoted yes is true.
      const bool yes_no = std::ranges::find(words, "yes") != words.end();
      given = *truth ? (yes_no ? "yes" : "true") : (yes_no ? "no" : "false");
    } else {
      given = text_of(value, path);
    }
    const auto found = std::ranges::find(words, given);
    if (found != words.end() && !given.empty()) {
      return static_cast<std::size_t>(found - words.begin());
    }
    const Words named = words.front().empty() ? words.subspan(1) : words;
    fail(path, fmt::format("\"{}\" is not one of {}", given, fmt::join(named, ", ")));
    return 0;
  }

  /// Calls `each` with every item of a list, which may be absent, and its path.
  template <typename Each>
  void for_each_in(const json& entry, const char* field, const char* example, Each&& each) {
    const json* list = find(entry, field);
    if (list == nullptr) return;
    if (!list->is_array()) {
      return fail({field}, fmt::format("expected a list, such as {}", example));
    }
    for (std::size_t i = 0; i < list->size() && !problem_; ++i) {
      each((*list)[i], Path{field, std::to_string(i)});
    }
  }

  void read_values(const json& entry, KnownTaint& taint) {
    for_each_in(entry, "values", "['true']", [&](const json& item, const Path& path) {
      const std::string value = text_of(item, path);
      if (!is_value_glob(value)) {
        fail(path, fmt::format("\"{}\" is not a taint value; {}", value, in_values));
      }
      taint.values.emplace_back(value);
    });
  }

  void read_effects(const json& entry, KnownTaint& taint) {
    for_each_in(entry, "effects", "[NoSchedule]", [&](const json& item, const Path& path) {
      taint.effects.emplace_back(effect_words[word_of(item, path, effect_words)]);
    });
  }

  void read_nested(const json& entry, KnownTaint& taint) {
    const std::string automatic = "auto_tolerated_by_daemonset_controller";
    if (const json* of = find(entry, automatic); of && has_fields(*of, {automatic}, auto_fields)) {
      taint.auto_tolerated = word(*of, {automatic, "value"}, boolean_words) != 0;
      taint.auto_condition = text(*of, {automatic, "condition"});
    }
    const std::string should = "should_daemonset_tolerate";
    if (const json* of = find(entry, should); of && has_fields(*of, {should}, advice_fields)) {
      const auto advised = [&](const char* whom) {
        return static_cast<model::Advised>(word(*of, {should, whom}, advised_words));
      };
      taint.for_node_agents = advised("node-agents");
      taint.in_general = advised("general");
    }
    const std::string suggested = "suggested_toleration";
    const json* of = find(entry, suggested);
    if (of == nullptr || !has_fields(*of, {suggested}, toleration_fields)) return;
    model::Toleration& toleration = taint.suggested.emplace();
    toleration.key = text(*of, {suggested, "key"});
    toleration.op = operator_words[word(*of, {suggested, "operator"}, operator_words)];
    toleration.value = text(*of, {suggested, "value"});
    if (find(*of, "effect") != nullptr) {
      toleration.effect = effect_words[word(*of, {suggested, "effect"}, effect_words)];
    }
  }

  /// Checks and completes fields that depend on others.
  void complete(KnownTaint& taint) {
    const bool glob = taint.match == model::KeyMatch::Glob;
    if (taint.key.empty()) return fail({"key"}, "missing: which taint is this?");
    if (!is_key(taint.key, glob ? "*" : "")) {
      const bool starred = taint.key.view().find('*') != std::string_view::npos;
      return fail({"key"}, starred && !glob
                               ? "a * is only for entries with match: glob"
                               : fmt::format("\"{}\" is not a taint key", taint.key.view()));
    }
    if (!taint.node_label.empty() && !is_key(taint.node_label, "*")) {
      return fail({"node_label"}, "is not a label key");
    }
    if (!taint.renamed_to.empty() && (glob || !is_key(taint.renamed_to, ""))) {
      return fail({"renamed_to"}, glob ? "a glob has no new key" : "is not a taint key");
    }
    if (taint.effects.empty()) {
      return fail({"effects"},
                  fmt::format("missing: at least one of {}", fmt::join(effect_words, ", ")));
    }
    if (taint.meaning.empty()) return fail({"meaning"}, "missing: a sentence about the node");
    if (taint.id.empty()) taint.id = taint.key;
  }

  std::optional<Problem> problem_;
};

base::Error malformed(std::string where, std::string what) {
  return {base::ErrorKind::Malformed, std::move(where), std::move(what)};
}

/// An entry before `index` with the same id, if this one names its id.
std::optional<Problem> same_id(const json& entry, const std::vector<KnownTaint>& before,
                               const KnownTaint& taint) {
  const auto twin = std::ranges::find(before, taint.id, &KnownTaint::id);
  if (twin == before.end() || !entry.contains("id")) return std::nullopt;
  return Problem{{"id"}, fmt::format("entry {} has the same", twin - before.begin() + 1)};
}

base::Error error_of(Problem problem, const KnownTaint& taint, std::size_t index,
                     const std::string& text, std::string_view file) {
  const std::string field = shown(problem.path);
  problem.path.insert(problem.path.begin(), std::to_string(index));
  const std::string id = taint.id.empty() ? "" : fmt::format(" \"{}\"", taint.id.view());
  return malformed(yaml_place(text, file, problem.path),
                   fmt::format("entry {}{}{}{}: {}", index + 1, id, field.empty() ? "" : ", ",
                               field, problem.what));
}

}  // namespace

base::Result<std::vector<KnownTaint>> read_known_taints(std::string_view content,
                                                        std::string_view file) {
  if (content.size() > max_bytes) {
    return malformed(std::string(file), "the file is larger than 4 MiB");
  }
  const std::string text = as_yaml(content);
  const auto document = yaml_file(text, file);
  if (!document) return document.error();
  if (document->is_null()) return std::vector<KnownTaint>();
  if (!document->is_array()) {
    return malformed(std::string(file),
                     "expected a list of entries, each with key, effects and meaning");
  }
  std::vector<KnownTaint> result;
  for (std::size_t i = 0; i < document->size(); ++i) {
    const json& entry = (*document)[i];
    EntryReader reader;
    KnownTaint taint = reader.read(entry);
    auto problem = reader.problem();
    if (!problem) problem = same_id(entry, result, taint);
    if (problem) return error_of(*problem, taint, i, text, file);
    result.push_back(std::move(taint));
  }
  return result;
}

}  // namespace dsdoctor::decode
