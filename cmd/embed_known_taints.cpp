// embed_known_taints YAML OUTPUT: writes the entries of lib/diagnosis/taints/known_taints.yaml as a
// source file with a table. Runs while the program is built, and reads as --taints-file does; so
// that no run of the program pays for reading YAML. What only people read (source, notes) is left
// out.

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "decode/objects/known_taints.h"

namespace {

using dsdoctor::model::KnownTaint;

/// As a C++ string.
std::string c_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += fmt::format("\\{}", c);
    } else if (byte < 0x20 || byte >= 0x7f) {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// Each with a comma behind it: an empty text is not the same as none.
std::string list_of(const std::vector<dsdoctor::model::Text>& texts) {
  std::string result;
  for (const auto& text : texts) result += text.str() + ",";
  return result;
}

template <typename Enum>
std::string number(Enum value) {
  return std::to_string(static_cast<int>(value));
}

std::string row_of(const KnownTaint& taint) {
  const auto suggested = taint.suggested.value_or(dsdoctor::model::Toleration{});
  const std::string texts[] = {
      taint.id.str(),         taint.key.str(),        list_of(taint.values),
      taint.node_label.str(), list_of(taint.effects), taint.set_by.str(),
      taint.family.str(),     taint.meaning.str(),    taint.auto_condition.str(),
      taint.advice.str(),     taint.confidence.str(), suggested.key.str(),
      suggested.op.str(),     suggested.value.str(),  suggested.effect.str()};
  std::string row;
  for (const std::string& text : texts) row += c_string(text) + ", ";
  return fmt::format("    {{{}{}, {}, {}, {}, {}, {}, {}}},\n", row, number(taint.match),
                     number(taint.lifecycle), number(taint.for_node_agents),
                     number(taint.in_general), taint.value_decides, taint.auto_tolerated,
                     taint.suggested.has_value());
}

int run(const std::string& input, const std::string& output) {
  std::ifstream file(input);
  std::ostringstream content;
  content << file.rdbuf();
  const auto taints = dsdoctor::decode::read_known_taints(content.str(), input);
  if (!file || !taints || taints->empty()) {
    std::cerr << (taints ? input + ": cannot be read" : to_string(taints.error())) << "\n";
    return 1;
  }
  std::string source =
      "// Made from known_taints.yaml by embed_known_taints; not to be edited.\n"
      "#include \"diagnosis/taints/known_taints.h\"\n\n"
      "namespace dsdoctor::diagnosis {\n\n"
      "static constexpr KnownTaintRow rows[] = {\n";
  for (const KnownTaint& taint : *taints) source += row_of(taint);
  source +=
      "};\n\nstd::span<const KnownTaintRow> known_taint_rows() { return rows; }\n\n"
      "}  // namespace dsdoctor::diagnosis\n";
  std::ofstream(output) << source;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3) return run(argv[1], argv[2]);
    std::cerr << "usage: embed_known_taints YAML OUTPUT\n";
  } catch (const std::exception& error) {
    std::cerr << "embed_known_taints: " << error.what() << "\n";
  }
  return 1;
}
