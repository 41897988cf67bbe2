// SPDX-License-Identifier: Apache-2.0

// embed_findings FOLDER YAML...: writes the catalogue of findings as finding_id.h, a header for
// each file in findings/, findings.cpp and roles.cpp into FOLDER. Runs at build time: an undeclared
// placeholder or id stops the build.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "decode/catalogue/finding_catalogue.h"
#include "embed/embed_tool.h"

namespace {

using namespace dsdoctor::decode;
using dsdoctor::embed::c_string;
namespace embed = dsdoctor::embed;

constexpr const char* note =
    "// Made from the catalogue's YAML by embed_findings; not to be edited.\n";

/// Turns "container-oom" or "control plane" into the name of an enumerator.
std::string enumerator(std::string_view id) {
  std::string result;
  bool capital = true;
  for (const char c : id) {
    const bool separates = c == '-' || c == ' ';
    if (!separates) result += capital && c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    capital = separates;
  }
  if (result == "Daemonset") return "DaemonSet";
  return result;
}

/// The root of findings for which the catalogue names none, by scope.
std::string_view default_root(std::string_view scope) {
  if (scope == "cluster") return "control-plane";
  return scope == "node" ? "node" : "daemonset";
}

using Families = std::vector<WrittenFamily>;

std::string finding_ids(const WrittenCatalogue& catalogue) {
  std::string stages = "  None,\n";
  for (const WrittenStage& stage : catalogue.stages) {
    stages += fmt::format("  {},\n", enumerator(stage.name));
  }
  std::string ids;
  std::string with_parameters;
  std::string enumerators;
  std::string names;
  for (const WrittenFamily& family : catalogue.families) {
    enumerators += fmt::format("  {},\n", enumerator(family.name));
    names += fmt::format("    {},\n", c_string(family.name));
    for (const WrittenFinding& entry : family.entries) {
      if (!family.made) continue;
      ids += fmt::format("  {},\n", enumerator(entry.id));
      if (entry.parameters.empty()) continue;
      with_parameters += fmt::format("      FindingId::{},\n", enumerator(entry.id));
    }
  }
  return fmt::format(
      "{}#pragma once\n\n#include <cstddef>\n#include <string_view>\n\n"
      "namespace dsdoctor::diagnosis {{\n\n"
      "enum class Family {{\n{}}};\n\n"
      "inline constexpr std::string_view family_names[] = {{\n{}}};\n\n"
      "constexpr std::string_view to_string(Family family) {{\n"
      "  return family_names[static_cast<std::size_t>(family)];\n}}\n\n"
      "enum class FindingId {{\n{}}};\n\n"
      "/// The stages of a daemon pod's life, in order.\nenum class Stage {{\n{}}};\n\n"
      "inline constexpr FindingId with_parameters[] = {{\n{}}};\n\n"
      "constexpr bool has_parameters(FindingId id) {{\n"
      "  for (const FindingId one : with_parameters) {{\n    if (one == id) return true;\n  }}\n"
      "  return false;\n}}\n\n"
      "}}  // namespace dsdoctor::diagnosis\n",
      note, enumerators, names, ids, stages, with_parameters);
}

/// The class of diagnosis::parameter for a type such as "text".
std::string parameter_class(const std::string& type) {
  return type == "since" || type == "due" ? "Time" : enumerator(type);
}

/// A struct whose members are all required, which converts to `target`. `family`: findings with
/// several ids share it, so it contains the id.
std::string parameter_struct(const std::string& name, bool family, const std::string& target,
                             const std::vector<WrittenParameter>& parameters) {
  std::string members = family ? "  FindingId id;\n" : "";
  for (const WrittenParameter& parameter : parameters) {
    members +=
        fmt::format("  parameter::{} {};\n", parameter_class(parameter.type), parameter.name);
  }
  return fmt::format("struct {} {{\n{}\n  operator {}() const;\n}};\n\n", name, members, target);
}

/// The struct's conversion. In another file, so that renumbered ids change no header.
std::string conversion(const std::string& name, const std::string& target, const std::string& id,
                       const std::vector<WrittenParameter>& parameters) {
  std::string values;
  for (const WrittenParameter& parameter : parameters) {
    values += (values.empty() ? "" : ", ") + parameter.name;
  }
  return fmt::format("{}::operator {}() const {{ return {{{}, arguments_of({})}}; }}\n", name,
                     target, id, values);
}

/// The generated code of one file of the catalogue.
struct MadeFile {
  std::string findings;  // structs
  std::string phrases;
};

/// The generated structs by file name, and the conversions of all structs.
class MadeStructs {
 public:
  explicit MadeStructs(const WrittenCatalogue& catalogue) {
    std::size_t entries = 0;
    for (const WrittenFamily& family : catalogue.families) {
      add(family);
      entries += family.entries.size();
    }
    for (std::size_t i = 0; i < catalogue.phrases.size(); ++i) {
      add(catalogue.phrases[i], entries + i);
    }
  }

  [[nodiscard]] const std::map<std::string, MadeFile>& files() const { return files_; }
  [[nodiscard]] std::string conversions() const {
    return "namespace finding {\n\n" + findings_ + "\n}  // namespace finding\n\n" +
           "namespace phrase {\n\n" + phrases_ + "\n}  // namespace phrase\n\n";
  }

 private:
  static std::string stem(const std::string& file) {
    return std::filesystem::path(file).stem().string();
  }

  void add(const WrittenFamily& family) {
    MadeFile& file = files_[stem(family.file)];
    const auto add = [&](const std::string& name, bool of_family, const std::string& id,
                         const std::vector<WrittenParameter>& parameters) {
      file.findings += parameter_struct(name, of_family, "FindingKind", parameters);
      findings_ += conversion(name, "FindingKind", id, parameters);
    };
    if (!family.parameters.empty()) add(enumerator(family.name), true, "id", family.parameters);
    for (const WrittenFinding& entry : family.entries) {
      if (!family.made || entry.parameters.empty() || entry.has_those_of_family) continue;
      const std::string name = enumerator(entry.id);
      add(name, false, "FindingId::" + name, entry.parameters);
    }
  }

  void add(const WrittenPhrase& phrase, std::size_t id) {
    const std::string name = enumerator(phrase.id);
    files_[stem(phrase.file)].phrases +=
        parameter_struct(name, false, "Message", phrase.parameters);
    phrases_ += conversion(name, "Message", fmt::format("MessageId{{{}}}", id), phrase.parameters);
  }

  std::map<std::string, MadeFile> files_;
  std::string findings_;
  std::string phrases_;
};

/// The header for one file of the catalogue.
std::string header_of(const MadeFile& made) {
  std::string result = fmt::format(
      "{}#pragma once\n\n#include \"diagnosis/catalogue/finding_kind.h\"\n\n"
      "// Converted where one is asked for: NOLINTBEGIN(google-explicit-constructor)\n\n",
      note);
  if (!made.findings.empty()) {
    result +=
        "/// The parameters that each finding requires.\n"
        "namespace dsdoctor::diagnosis::finding {\n\n" +
        made.findings + "}  // namespace dsdoctor::diagnosis::finding\n\n";
  }
  if (!made.phrases.empty()) {
    result += "/// Clauses of messages.\nnamespace dsdoctor::diagnosis::phrase {\n\n" +
              made.phrases + "}  // namespace dsdoctor::diagnosis::phrase\n\n";
  }
  return result + "// NOLINTEND(google-explicit-constructor)\n";
}

/// The tables of messages: all parameters, all tokens, and the rows that refer to them.
class MessageTable {
 public:
  void add(const WrittenMessage& message, const WrittenMessage& shared,
           const std::vector<WrittenParameter>& parameters, std::string_view title) {
    rows_ += fmt::format("    {{{{parameters + {}, {}}}, ", parameters_size_, parameters.size());
    for (const WrittenParameter& parameter : parameters) {
      parameters_ += fmt::format("    {{{}, ParameterType::{}}},\n", c_string(parameter.name),
                                 enumerator(parameter.type));
    }
    parameters_size_ += parameters.size();
    add_tokens(message);
    add_tokens(shared);
    rows_ += fmt::format("{}}},\n", c_string(title));
  }

  [[nodiscard]] std::string text() const {
    // An array cannot be empty.
    return fmt::format(
        "static constexpr ParameterEntry parameters[] = {{\n{}    {{}}}};\n\n"
        "static constexpr Token tokens[] = {{\n{}    {{}}}};\n\n"
        "static constexpr MessageEntry messages[] = {{\n{}}};\n\n"
        "std::span<const MessageEntry> message_entries() {{ return messages; }}\n\n",
        parameters_, tokens_, rows_);
  }

 private:
  void add_tokens(const WrittenMessage& message) {
    constexpr std::string_view kinds[] = {"Text", "Value", "If",   "Unless",
                                          "Open", "Close", "Colon"};
    rows_ += fmt::format("{{tokens + {}, {}}}, ", tokens_size_, message.tokens.size());
    for (const WrittenToken& token : message.tokens) {
      tokens_ += fmt::format("    {{Token::Kind::{}, {}, {}}},\n",
                             kinds[static_cast<std::size_t>(token.kind)], token.parameter,
                             c_string(token.text));
    }
    tokens_size_ += message.tokens.size();
  }

  std::string parameters_;
  std::size_t parameters_size_ = 0;
  std::string tokens_;
  std::size_t tokens_size_ = 0;
  std::string rows_;
};

std::string messages(const WrittenCatalogue& catalogue) {
  MessageTable table;
  for (const WrittenFamily& family : catalogue.families) {
    for (const WrittenFinding& entry : family.entries) {
      table.add(entry.message, entry.shared, entry.parameters, entry.title);
    }
  }
  for (const WrittenPhrase& phrase : catalogue.phrases) {
    table.add(phrase.message, {}, phrase.parameters, "");
  }
  return table.text();
}

/// The words of an entry: its own, the reasons of a pod that mean it, and the words before the
/// colon of its title.
std::vector<std::string> words_of(const WrittenFinding& entry) {
  constexpr std::ptrdiff_t most_words = 4;
  std::vector<std::string> result = entry.words;
  const auto add = [&](const std::string& word) {
    if (std::ranges::find(result, word) == result.end()) result.push_back(word);
  };
  for (const std::string& reason : entry.role.pod_reasons) add(reason);
  const std::string lead = entry.title.substr(0, entry.title.find(':'));
  if (std::ranges::count(lead, ' ') < most_words) add(lead);
  return result;
}

std::string table(const WrittenCatalogue& catalogue, const MadeStructs& structs) {
  const Families& families = catalogue.families;
  std::string includes;
  for (const auto& [name, made] : structs.files()) {
    includes += fmt::format("#include \"diagnosis/catalogue/findings/{}.h\"\n", name);
  }
  std::string steps;
  std::string rows;
  std::string words;
  std::size_t all_words = 0;
  std::size_t all_steps = 0;
  std::size_t findings = 0;
  for (const WrittenFamily& family : families) {
    for (const WrittenFinding& entry : family.entries) {
      if (family.made) ++findings;
      const std::vector<std::string> own_words = words_of(entry);
      rows += fmt::format(
          "    {{{}, Severity::{}, Scope::{}, {}, Family::{}, {}, {}, {}, {{steps + {}, {}}},\n"
          "     {{words + {}, {}}}}},\n",
          c_string(entry.id), enumerator(entry.severity),
          entry.scope == "daemonset" ? "DaemonSet" : enumerator(entry.scope),
          c_string(entry.root.empty() ? default_root(entry.scope) : entry.root),
          enumerator(family.name), c_string(entry.title), c_string(entry.detected),
          c_string(entry.alias), all_steps, entry.fix.size(), all_words, own_words.size());
      all_steps += entry.fix.size();
      all_words += own_words.size();
      for (const std::string& word : own_words) words += fmt::format("    {},\n", c_string(word));
      for (const WrittenStep& step : entry.fix) {
        steps += fmt::format("    {{{}, {}, {}, {}, {}}},\n", c_string(step.when), step.unless,
                             c_string(step.condition), c_string(step.text), c_string(step.command));
      }
    }
  }
  return fmt::format(
      "{}#include \"diagnosis/catalogue/catalogue.h\"\n{}\nnamespace dsdoctor::diagnosis {{\n\n{}"
      "{}static constexpr StepPattern steps[] = {{\n{}}};\n\n"
      "static constexpr std::string_view words[] = {{\n{}}};\n\n"
      "static constexpr CatalogueEntry rows[] = {{\n{}}};\n\n"
      "std::span<const CatalogueEntry> listed_entries() {{ return rows; }}\n"
      "std::span<const CatalogueEntry> catalogue() {{ return listed_entries().first({}); }}\n\n"
      "}}  // namespace dsdoctor::diagnosis\n",
      note, includes, structs.conversions(), messages(catalogue), steps, words, rows, findings);
}

/// Formats words such as "not-ready" as a set of `type`.
std::string set_of(std::string_view type, const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) {
    result += fmt::format("{}{}::{}", result.empty() ? "" : ", ", type, enumerator(word));
  }
  return "{" + result + "}";
}

/// An array that rows of another table refer to.
class ListTable {
 public:
  ListTable(std::string type, std::string name) : type_(std::move(type)), name_(std::move(name)) {}

  /// Adds the values and returns the span that refers to them.
  std::string add(const std::vector<std::string>& values) {
    std::string result = fmt::format("{{{} + {}, {}}}", name_, size_, values.size());
    for (const std::string& value : values) values_ += fmt::format("    {},\n", value);
    size_ += values.size();
    return result;
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("static constexpr {} {}[] = {{\n{}}};\n\n", type_, name_, values_);
  }

 private:
  std::string type_;
  std::string name_;
  std::string values_;
  std::size_t size_ = 0;
};

std::string word_or(const std::string& word, std::string_view otherwise) {
  return word.empty() ? std::string(otherwise) : enumerator(word);
}

/// The table of roles.
class RoleTable {
 public:
  explicit RoleTable(const WrittenCatalogue& catalogue) {
    for (const WrittenStage& stage : catalogue.stages) {
      explains_.emplace(stage.name, stage.explains);
      stages_ += fmt::format("    {{{}, {}}},\n", c_string(stage.name), stage.informs);
    }
    for (const WrittenFamily& family : catalogue.families) {
      if (!family.made) continue;
      for (const WrittenFinding& entry : family.entries) add(entry.role);
    }
  }

  [[nodiscard]] std::string text() const {
    return fmt::format(
        "{}#include \"diagnosis/catalogue/role.h\"\n\nnamespace dsdoctor::diagnosis {{\n\n{}{}{}"
        "static constexpr StageEntry stages[] = {{\n    {{\"none\", false}},\n{}}};\n\n"
        "static constexpr Role all_roles[] = {{\n{}}};\n\n"
        "const StageEntry& entry_of(Stage stage) {{\n"
        "  return stages[static_cast<std::size_t>(stage)];\n}}\n"
        "std::span<const Role> roles() {{ return all_roles; }}\n\n"
        "}}  // namespace dsdoctor::diagnosis\n",
        note, ids_.text(), reasons_.text(), reads_.text(), stages_, rows_);
  }

 private:
  std::string ids(const std::vector<std::string>& words) {
    std::vector<std::string> values;
    values.reserve(words.size());
    for (const std::string& word : words) values.push_back("FindingId::" + enumerator(word));
    return ids_.add(values);
  }

  void add(const WrittenRole& role) {
    const auto of_stage = explains_.find(role.stage);
    const bool by_stage = role.explains.empty() && of_stage != explains_.end();
    const std::vector<std::string>& explains = by_stage ? of_stage->second : role.explains;
    std::vector<std::string> reasons;
    reasons.reserve(role.pod_reasons.size());
    for (const std::string& reason : role.pod_reasons) reasons.push_back(c_string(reason));
    std::vector<std::string> reads;
    reads.reserve(role.reads.size());
    for (const WrittenNeed& reading : role.reads) {
      const auto& verdicts = reading.verdicts.empty() ? explains : reading.verdicts;
      reads.push_back(fmt::format("{{Need::{}, {}}}", enumerator(reading.what),
                                  set_of("NodeVerdict", verdicts)));
    }
    rows_ += fmt::format(
        "    {{Stage::{}, {}, SumsUp::{}, InWhatIf::{}, {}, Basis::{}, {}, {}, {},\n",
        enumerator(role.stage), set_of("NodeVerdict", explains), word_or(role.sums_up, "Nothing"),
        word_or(role.in_what_if, "ByNodes"), set_of("About", role.about),
        word_or(role.basis, "Confirmed"), role.umbrella, !role.stops.empty(), role.quiet);
    rows_ += fmt::format("     {}, {}, {}, {}, {}}},\n", ids(role.implies), ids(role.cause_of),
                         ids(role.outranks), reasons_.add(reasons), reads_.add(reads));
  }

  std::map<std::string, std::vector<std::string>> explains_;  // by stage
  ListTable ids_ = {"FindingId", "ids"};
  ListTable reasons_ = {"std::string_view", "pod_reasons"};
  ListTable reads_ = {"NeedFor", "readings"};
  std::string stages_;
  std::string rows_;
};

/// Keeps the modification time of an unchanged file, so that its users are not recompiled.
void write_if_changed(const std::string& path, const std::string& text) {
  if (std::filesystem::exists(path) && embed::file_text(path) == text) return;
  embed::write(path, text);
}

void embed_catalogue(const std::string& folder, const std::vector<std::string>& inputs) {
  std::vector<CatalogueFile> files;
  files.reserve(inputs.size());
  for (const std::string& input : inputs) files.push_back({input, embed::file_text(input)});
  auto catalogue = read_finding_catalogue(files);
  if (!catalogue) throw std::runtime_error(to_string(catalogue.error()));
  for (WrittenFamily& family : catalogue->families) {
    std::ranges::sort(family.entries, {}, &WrittenFinding::id);
  }
  // Ids of findings count from 0, independent of the order of the files.
  std::stable_partition(catalogue->families.begin(), catalogue->families.end(),
                        [](const WrittenFamily& family) { return family.made; });
  write_if_changed(folder + "/finding_id.h", finding_ids(*catalogue));
  const MadeStructs structs(*catalogue);
  std::filesystem::create_directories(folder + "/findings");
  for (const auto& [name, made] : structs.files()) {
    write_if_changed(fmt::format("{}/findings/{}.h", folder, name), header_of(made));
  }
  write_if_changed(folder + "/findings.cpp", table(*catalogue, structs));
  write_if_changed(folder + "/roles.cpp", RoleTable(*catalogue).text());
}

}  // namespace

int main(int argc, char** argv) {
  return embed::exit_code_of("embed_findings", [&] {
    if (argc < 3) throw std::runtime_error("usage: embed_findings FOLDER YAML...");
    embed_catalogue(argv[1], {argv + 2, argv + argc});
  });
}
