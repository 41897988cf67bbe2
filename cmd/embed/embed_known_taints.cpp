// SPDX-License-Identifier: Apache-2.0

// embed_known_taints YAML OUTPUT: writes the entries of lib/diagnosis/taints/known_taints.yaml as a
// source file with a table. Runs at build time, with the parser of --taints-file, so that the
// program need not parse YAML. Skips the fields for human readers (source, notes).

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "decode/objects/known_taints.h"
#include "embed/embed_tool.h"

namespace {

using namespace dsdoctor;
using model::KnownTaint;

/// Puts a comma after each text, so that an empty text differs from an empty list.
std::string list_of(const std::vector<model::Text>& texts) {
  std::string result;
  for (const auto& text : texts) result += text.str() + ",";
  return result;
}

template <typename Enum>
std::string number(Enum value) {
  return std::to_string(static_cast<int>(value));
}

std::string row_of(const KnownTaint& taint) {
  const auto suggested = taint.suggested.value_or(model::Toleration{});
  const std::string texts[] = {taint.id.str(),
                               taint.key.str(),
                               list_of(taint.values),
                               taint.node_label.str(),
                               taint.renamed_to.str(),
                               list_of(taint.effects),
                               taint.set_by.str(),
                               taint.setter.str(),
                               taint.family.str(),
                               taint.meaning.str(),
                               taint.auto_condition.str(),
                               taint.advice.str(),
                               taint.confidence.str(),
                               suggested.key.str(),
                               suggested.op.str(),
                               suggested.value.str(),
                               suggested.effect.str()};
  std::string row;
  for (const std::string& text : texts) row += embed::c_string(text) + ", ";
  return fmt::format("    {{{}{}, {}, {}, {}, {}, {}, {}}},\n", row, number(taint.match),
                     number(taint.lifecycle), number(taint.for_node_agents),
                     number(taint.in_general), taint.value_decides, taint.auto_tolerated,
                     taint.suggested.has_value());
}

void embed_table(const std::string& input, const std::string& output) {
  const auto taints = decode::read_known_taints(embed::file_text(input), input);
  if (!taints) throw std::runtime_error(to_string(taints.error()));
  if (taints->empty()) throw std::runtime_error(input + ": has no taint");
  std::string source =
      "// Made from known_taints.yaml by embed_known_taints; not to be edited.\n"
      "#include \"diagnosis/taints/known_taints.h\"\n\n"
      "namespace dsdoctor::diagnosis {\n\n"
      "static constexpr KnownTaintRow rows[] = {\n";
  for (const KnownTaint& taint : *taints) source += row_of(taint);
  source +=
      "};\n\nstd::span<const KnownTaintRow> known_taint_rows() { return rows; }\n\n"
      "}  // namespace dsdoctor::diagnosis\n";
  embed::write(output, source);
}

}  // namespace

int main(int argc, char** argv) {
  return embed::exit_code_of("embed_known_taints", [&] {
    if (argc != 3) throw std::runtime_error("usage: embed_known_taints YAML OUTPUT");
    embed_table(argv[1], argv[2]);
  });
}
