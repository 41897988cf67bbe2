// SPDX-License-Identifier: Apache-2.0

// embed_demo_cluster YAML OUTPUT: writes lib/source/demo_cluster.yaml as a source file with the
// same objects in JSON. Runs at build time, so that --demo need not parse YAML.

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "decode/yaml/yaml_to_json.h"
#include "embed/embed_tool.h"

namespace {

using namespace dsdoctor;

void embed_cluster(const std::string& input, const std::string& output) {
  std::vector<model::Warning> warnings;
  const auto text = decode::yaml_to_text(embed::file_text(input), input, warnings);
  if (!text) throw std::runtime_error(to_string(text.error()));
  if (text->pieces.empty() || text->other || !warnings.empty()) {
    throw std::runtime_error(input + ": must be objects, without warnings");
  }
  std::string source =
      "// Made from demo_cluster.yaml by embed_demo_cluster; not to be edited.\n"
      "#include \"source/demo_cluster.h\"\n\n"
      "namespace dsdoctor::source {\n\n"
      "std::string_view demo_cluster() {\n"
      "  static constexpr char bytes[] = {";
  for (const std::string& piece : text->pieces) {
    for (const char c : piece) source += fmt::format("'{}',", embed::octal(c));
  }
  source +=
      "'\\0'};\n  return {bytes, sizeof(bytes) - 1};\n}\n\n"
      "}  // namespace dsdoctor::source\n";
  embed::write(output, source);
}

}  // namespace

int main(int argc, char** argv) {
  return embed::exit_code_of("embed_demo_cluster", [&] {
    if (argc != 3) throw std::runtime_error("usage: embed_demo_cluster YAML OUTPUT");
    embed_cluster(argv[1], argv[2]);
  });
}
