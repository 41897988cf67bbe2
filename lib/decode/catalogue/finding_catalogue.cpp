// SPDX-License-Identifier: Apache-2.0
#include "decode/catalogue/finding_catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>

#include "decode/catalogue/finding_role.h"
#include "decode/catalogue/key_reader.h"
#include "decode/catalogue/message_template.h"
#include "decode/yaml/yaml_place.h"
#include "decode/yaml/yaml_to_json.h"

namespace dsdoctor::decode {
namespace {

using nlohmann::json;
using Parameters = std::vector<WrittenParameter>;

constexpr std::string_view family_keys[] = {"family", "made", "parameters", "entries", "phrases"};
constexpr std::string_view list_keys[] = {"phrases", "stages"};
constexpr std::string_view phrase_keys[] = {"id", "message", "parameters"};
constexpr std::string_view entry_keys[] = {"id",     "severity",   "scope",    "root",
                                           "alias",  "title",      "detected", "message",
                                           "shared", "parameters", "fix",      "words"};
constexpr std::string_view step_keys[] = {"when", "if", "text", "command"};
constexpr std::string_view severities[] = {"critical", "error", "warning", "info"};
constexpr std::string_view scopes[] = {"cluster", "daemonset", "node", "pod"};
/// `keys` and the keys of a role.
std::vector<std::string_view> with_role(WordList keys) {
  std::vector<std::string_view> result(keys.begin(), keys.end());
  result.insert(result.end(), std::begin(role_keys), std::end(role_keys));
  return result;
}

/// Values of root besides "Kind/{parameter}", an object that the finding names.
constexpr std::string_view roots[] = {"node", "taint", "daemonset", "node-or-daemonset",
                                      "control-plane"};
constexpr std::string_view types[] = {"condition", "text", "foreign", "count", "duration", "time",
                                      "since",     "due",  "object",  "names", "phrases"};
/// Parameters that the case of every finding supplies.
constexpr std::string_view supplied[] = {"ns", "ds", "node", "pod"};

bool is_name(std::string_view text, char separator) {
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::ranges::all_of(text, [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == separator;
         });
}

const WrittenParameter* find_parameter(const Parameters& parameters, std::string_view name,
                                       std::string_view type) {
  const auto at = std::ranges::find(parameters, name, &WrittenParameter::name);
  return at == parameters.end() || at->type != type ? nullptr : &*at;
}

/// The parameter names in braces. Braces of JSON and JSONPath do not contain a bare word.
std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; (at = text.find('{', at)) != text.npos; ++at) {
    const std::string_view name = text.substr(at + 1, text.find('}', at) - at - 1);
    if (is_name(name, '_')) result.emplace_back(name);
  }
  return result;
}

/// Reads one file.
class FamilyReader : public KeyReader {
 public:
  explicit FamilyReader(std::set<std::string>& ids) : ids_(ids) {}

  WrittenFamily read(const json& document) {
    WrittenFamily family;
    only({}, document, with_role(family_keys));
    family.name = text_of({}, document, "family", true);
    if (document.is_object()) family.made = document.value("made", json(true)) == json(true);
    family.parameters = parameters_of({}, document);
    const json& entries = list_of({}, document, "entries");
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Path path = {"entries", std::to_string(i)};
      WrittenFinding entry = entry_of(path, entries[i], family);
      if (family.made) entry.role = role_of(*this, path, entries[i], document, references_);
      family.entries.push_back(std::move(entry));
    }
    for (const WrittenParameter& parameter : family.parameters) {
      if (!used_.contains(parameter.name)) unused({"parameters", parameter.name}, parameter);
    }
    return family;
  }

  std::vector<WrittenPhrase> read_phrases(const json& document) {
    std::vector<WrittenPhrase> result;
    if (document.is_object() && !document.contains("family")) only({}, document, list_keys);
    const json& phrases = list_of({}, document, "phrases");
    for (std::size_t i = 0; i < phrases.size(); ++i) {
      const Path path = {"phrases", std::to_string(i)};
      only(path, phrases[i], phrase_keys);
      WrittenPhrase phrase;
      phrase.id = text_of(path, phrases[i], "id", true);
      take_id(path, phrase.id, "id");
      phrase.parameters = parameters_of(path, phrases[i], {});
      std::set<std::string> used;
      phrase.message = message_of(path, phrases[i], "message", phrase.parameters, used);
      if (phrase.message.tokens.empty()) complain(path, "message is missing");
      all_used(path, phrase.parameters, used);
      result.push_back(std::move(phrase));
    }
    return result;
  }

  [[nodiscard]] const std::vector<Reference>& references() const { return references_; }

 private:
  void unused(Path path, const WrittenParameter& parameter) {
    complain(std::move(path), fmt::format("nothing uses parameter {}", parameter.name));
  }
  void all_used(const Path& path, const Parameters& parameters, const std::set<std::string>& used) {
    for (const WrittenParameter& parameter : parameters) {
      if (!used.contains(parameter.name)) {
        unused(below(below(path, "parameters"), parameter.name), parameter);
      }
    }
  }

  /// `taken`: names that parameters cannot have.
  Parameters parameters_of(const Path& path, const json& object, WordList taken = supplied) {
    Parameters result;
    const auto at = object.is_object() ? object.find("parameters") : object.end();
    if (at == object.end()) return result;
    const Path here = below(path, "parameters");
    if (!at->is_object()) complain(here, "parameters must be a mapping");
    for (const auto& [name, kind] : at->items()) {
      const std::string word = kind.is_string() ? kind.get<std::string>() : std::string();
      if (!is_name(name, '_') || is_one_of(name, taken)) {
        complain(below(here, name), fmt::format("{} cannot be the name of a parameter", name));
      } else if (!is_one_of(word, types)) {
        complain(below(here, name),
                 fmt::format("the type of a parameter must be one of {}",
                             fmt::join(std::begin(types), std::end(types), ", ")));
      }
      result.push_back({name, word});
    }
    return result;
  }

  void take_id(const Path& path, const std::string& id, std::string_view key) {
    if (id.empty()) return;
    if (!is_name(id, '-')) complain(below(path, key), fmt::format("{} is not an id", id));
    if (!ids_.insert(id).second) complain(below(path, key), fmt::format("duplicate id {}", id));
  }

  WrittenFinding entry_of(const Path& path, const json& object, const WrittenFamily& family) {
    WrittenFinding entry;
    only(path, object, with_role(entry_keys));
    entry.id = text_of(path, object, "id", true);
    take_id(path, entry.id, "id");
    entry.alias = text_of(path, object, "alias", false);
    take_id(path, entry.alias, "alias");
    entry.severity = word_of(path, object, "severity", severities);
    entry.scope = word_of(path, object, "scope", scopes);
    entry.title = text_of(path, object, "title", true);
    entry.detected = text_of(path, object, "detected", true);
    entry.words = texts_of(path, object, "words");
    entry.has_those_of_family =
        !family.parameters.empty() && object.is_object() && !object.contains("parameters");
    entry.parameters = entry.has_those_of_family ? family.parameters : parameters_of(path, object);
    const json& steps = list_of(path, object, "fix");
    std::set<std::string> used;
    entry.root = root_of(path, object, entry.parameters, used);
    entry.message = message_of(path, object, "message", entry.parameters, used);
    entry.shared = message_of(path, object, "shared", entry.parameters, used);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Path here = below(below(path, "fix"), std::to_string(i));
      entry.fix.push_back(step_of(here, steps[i], entry.parameters, used));
    }
    if (entry.has_those_of_family) {
      used_.merge(used);
      return entry;
    }
    all_used(path, entry.parameters, used);
    return entry;
  }

  WrittenMessage message_of(const Path& path, const json& object, std::string_view key,
                            const Parameters& parameters, std::set<std::string>& used) {
    const std::string text = text_of(path, object, key, false);
    auto message = parse_message_template(text, parameters);
    if (!message) {
      complain(below(path, key), message.error().what);
      return {};
    }
    for (const WrittenToken& token : message->tokens) {
      if (has_parameter(token)) used.insert(parameters[token.parameter].name);
    }
    return *std::move(message);
  }

  std::string root_of(const Path& path, const json& object, const Parameters& parameters,
                      std::set<std::string>& used) {
    std::string root = text_of(path, object, "root", false);
    if (root.empty() || is_one_of(root, roots)) return root;
    const Path here = below(path, "root");
    const std::vector<std::string> names = placeholders(root);
    const std::size_t slash = root.find('/');
    if (names.size() != 1 || slash == 0 || root.substr(slash + 1) != "{" + names[0] + "}") {
      complain(here, fmt::format("{} must be Kind/{{parameter}} or one of {}", root,
                                 fmt::join(std::begin(roots), std::end(roots), ", ")));
    } else if (!is_one_of(names[0], supplied)) {
      used.insert(names[0]);
      if (find_parameter(parameters, names[0], "text") == nullptr) {
        complain(here, fmt::format("{{{}}} is not a declared text", names[0]));
      }
    }
    return root;
  }

  WrittenStep step_of(const Path& path, const json& object, const Parameters& parameters,
                      std::set<std::string>& used) {
    WrittenStep step;
    only(path, object, step_keys);
    step.when = text_of(path, object, "when", false);
    step.condition = text_of(path, object, "if", false);
    step.text = text_of(path, object, "text", false);
    step.command = text_of(path, object, "command", false);
    if (step.text.empty() && step.command.empty()) {
      complain(path, "a step must have a text or a command");
    }
    constexpr std::string_view negation = "not ";
    if (step.when.starts_with(negation)) {
      step.unless = true;
      step.when.erase(0, negation.size());
    }
    const auto is_declared = [&](const std::string& name, std::string_view type) {
      used.insert(name);
      return find_parameter(parameters, name, type) != nullptr;
    };
    if (!step.when.empty()) {
      if (!is_declared(step.when, "condition")) {
        complain(below(path, "when"), fmt::format("{} is not a declared condition", step.when));
      }
    }
    const std::pair<const char*, const std::string&> texts[] = {
        {"if", step.condition}, {"text", step.text}, {"command", step.command}};
    for (const auto& [key, text] : texts) {
      for (const std::string& name : placeholders(text)) {
        if (is_one_of(name, supplied)) continue;
        if (!is_declared(name, "text")) {
          complain(below(path, key), fmt::format("{{{}}} is not a declared text", name));
        }
      }
    }
    return step;
  }

  std::set<std::string>& ids_;
  std::set<std::string> used_;  // parameters of the family
  std::vector<Reference> references_;
};

base::Error malformed(std::string where, std::string what) {
  return {base::ErrorKind::Malformed, std::move(where), std::move(what)};
}

base::Error malformed(const CatalogueFile& file, const Path& path, std::string what) {
  return malformed(yaml_place(file.content, file.name, path), std::move(what));
}

/// The references of the entries of a file.
struct FileReferences {
  const CatalogueFile& file;
  std::vector<Reference> references;
};

/// Checks that all references are declared. Errors: Malformed, for the first one that is not.
base::Status check(const std::vector<FileReferences>& files, const WrittenCatalogue& catalogue) {
  std::set<std::string> stages = {"none"};
  for (const WrittenStage& stage : catalogue.stages) stages.insert(stage.name);
  std::set<std::string> made;
  for (const WrittenFamily& family : catalogue.families) {
    if (!family.made) continue;
    for (const WrittenFinding& entry : family.entries) made.insert(entry.id);
  }
  for (const FileReferences& file : files) {
    for (const Reference& reference : file.references) {
      const std::set<std::string>& declared = reference.is_stage ? stages : made;
      if (declared.contains(reference.name)) continue;
      return malformed(file.file, reference.path,
                       fmt::format("there is no {} {}", reference.is_stage ? "stage" : "finding",
                                   reference.name));
    }
  }
  return std::monostate();
}

}  // namespace

base::Result<WrittenCatalogue> read_finding_catalogue(const std::vector<CatalogueFile>& files) {
  WrittenCatalogue result;
  std::set<std::string> ids;
  std::vector<FileReferences> references;
  for (const CatalogueFile& file : files) {
    std::vector<model::Warning> warnings;
    const auto documents = yaml_to_json(file.content, file.name, warnings);
    if (!documents) return documents.error();
    if (!warnings.empty()) return malformed(warnings.front().where, warnings.front().what);
    if (documents->size() != 1) return malformed(file.name, "expected one document");
    FamilyReader reader(ids);
    const json& document = documents->front();
    std::vector<WrittenPhrase> phrases = reader.read_phrases(document);
    for (WrittenPhrase& phrase : phrases) {
      phrase.file = file.name;
      result.phrases.push_back(std::move(phrase));
    }
    std::ranges::move(stages_of(reader, document), std::back_inserter(result.stages));
    if (document.contains("family") ||
        !(document.contains("phrases") || document.contains("stages"))) {
      result.families.push_back(reader.read(document));
      result.families.back().file = file.name;
    }
    if (const auto& problem = reader.problem())
      return malformed(file, problem->path, problem->what);
    references.push_back({file, reader.references()});
  }
  if (const auto declared = check(references, result); !declared) return declared.error();
  return result;
}

}  // namespace dsdoctor::decode
