// embed_findings FOLDER YAML...: writes the catalogue of findings as finding_id.h, findings.h and
// findings.cpp into FOLDER. Runs while the program is built: a placeholder or an id that nothing
// declares stops the build.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
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

/// "container-oom" or "control plane" as the name of an enumerator.
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

/// Where the catalogue names no root: the node itself, or what its DaemonSet says of pods.
std::string_view default_root(std::string_view scope) {
  if (scope == "cluster") return "control-plane";
  return scope == "node" ? "node" : "daemonset";
}

using Families = std::vector<WrittenFamily>;

std::string finding_ids(const Families& families) {
  std::string ids;
  std::string with_parameters;
  std::string enumerators;
  std::string names;
  for (const WrittenFamily& family : families) {
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
      "inline constexpr FindingId with_parameters[] = {{\n{}}};\n\n"
      "constexpr bool has_parameters(FindingId id) {{\n"
      "  for (const FindingId one : with_parameters) {{\n    if (one == id) return true;\n  }}\n"
      "  return false;\n}}\n\n"
      "}}  // namespace dsdoctor::diagnosis\n",
      note, enumerators, names, ids, with_parameters);
}

/// A struct whose members cannot be left out. `id` is that of one finding; empty for a family's.
std::string parameter_struct(const std::string& name, const std::string& id,
                             const std::vector<WrittenParameter>& parameters) {
  std::string members = id.empty() ? "  FindingId id;\n" : "";
  std::string names;
  std::string values;
  for (const WrittenParameter& parameter : parameters) {
    members += fmt::format("  {} {};\n", parameter.is_condition ? "Condition" : "TextParameter",
                           parameter.name);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", c_string(parameter.name));
    values += fmt::format(", {}.value()", parameter.name);
  }
  return fmt::format(
      "struct {} {{\n{}\n  operator FindingKind() const {{\n"
      "    static constexpr std::string_view names[] = {{{}}};\n"
      "    return {{{}, names{}}};\n  }}\n}};\n",
      name, members, names, id.empty() ? "id" : "FindingId::" + id, values);
}

std::string parameter_structs(const Families& families) {
  std::string structs;
  for (const WrittenFamily& family : families) {
    if (!family.parameters.empty()) {
      structs += parameter_struct(enumerator(family.name), "", family.parameters) + "\n";
    }
    for (const WrittenFinding& entry : family.entries) {
      if (!family.made || entry.parameters.empty() || entry.has_those_of_family) continue;
      const std::string name = enumerator(entry.id);
      structs += parameter_struct(name, name, entry.parameters) + "\n";
    }
  }
  return fmt::format(
      "{}#pragma once\n\n#include \"diagnosis/catalogue/finding_kind.h\"\n\n"
      "/// What has to be given with a finding besides the names of its case.\n"
      "namespace dsdoctor::diagnosis::finding {{\n\n"
      "// Converted where a kind is asked for: NOLINTBEGIN(google-explicit-constructor)\n"
      "{}// NOLINTEND(google-explicit-constructor)\n\n"
      "}}  // namespace dsdoctor::diagnosis::finding\n",
      note, structs);
}

std::string table(const Families& families) {
  std::string steps;
  std::string rows;
  std::size_t all_steps = 0;
  std::size_t findings = 0;
  for (const WrittenFamily& family : families) {
    for (const WrittenFinding& entry : family.entries) {
      if (family.made) ++findings;
      rows += fmt::format(
          "    {{{}, Severity::{}, Scope::{}, {}, Family::{}, {}, {}, {}, {{steps + {}, {}}}}},\n",
          c_string(entry.id), enumerator(entry.severity),
          entry.scope == "daemonset" ? "DaemonSet" : enumerator(entry.scope),
          c_string(entry.root.empty() ? default_root(entry.scope) : entry.root),
          enumerator(family.name), c_string(entry.title), c_string(entry.detected),
          c_string(entry.alias), all_steps, entry.fix.size());
      all_steps += entry.fix.size();
      for (const WrittenStep& step : entry.fix) {
        steps += fmt::format("    {{{}, {}, {}, {}, {}}},\n", c_string(step.when), step.unless,
                             c_string(step.condition), c_string(step.text), c_string(step.command));
      }
    }
  }
  return fmt::format(
      "{}#include \"diagnosis/catalogue/catalogue.h\"\n\nnamespace dsdoctor::diagnosis {{\n\n"
      "static constexpr StepPattern steps[] = {{\n{}}};\n\n"
      "static constexpr CatalogueEntry rows[] = {{\n{}}};\n\n"
      "std::span<const CatalogueEntry> listed_entries() {{ return rows; }}\n"
      "std::span<const CatalogueEntry> catalogue() {{ return listed_entries().first({}); }}\n\n"
      "}}  // namespace dsdoctor::diagnosis\n",
      note, steps, rows, findings);
}

/// What includes a file that stays as it is need not be compiled again.
void write_if_changed(const std::string& path, const std::string& text) {
  if (std::filesystem::exists(path) && embed::file_text(path) == text) return;
  embed::write(path, text);
}

void embed_catalogue(const std::string& folder, const std::vector<std::string>& inputs) {
  std::vector<CatalogueFile> files;
  files.reserve(inputs.size());
  for (const std::string& input : inputs) files.push_back({input, embed::file_text(input)});
  auto families = read_finding_catalogue(files);
  if (!families) throw std::runtime_error(to_string(families.error()));
  for (WrittenFamily& family : *families) {
    std::ranges::sort(family.entries, {}, &WrittenFinding::id);
  }
  // Ids of findings count from 0, whatever the order of the files.
  std::stable_partition(families->begin(), families->end(),
                        [](const WrittenFamily& family) { return family.made; });
  write_if_changed(folder + "/finding_id.h", finding_ids(*families));
  write_if_changed(folder + "/findings.h", parameter_structs(*families));
  write_if_changed(folder + "/findings.cpp", table(*families));
}

}  // namespace

int main(int argc, char** argv) {
  return embed::exit_code_of("embed_findings", [&] {
    if (argc < 3) throw std::runtime_error("usage: embed_findings FOLDER YAML...");
    embed_catalogue(argv[1], {argv + 2, argv + argc});
  });
}
