// embed_demo_cluster YAML OUTPUT: writes lib/source/demo_cluster.yaml as a source file with the
// same objects in JSON. Runs while the program is built, so that no run with --demo pays for
// reading YAML.

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "decode/yaml/yaml_to_json.h"

namespace {

int run(const std::string& input, const std::string& output) {
  std::ifstream file(input);
  std::ostringstream content;
  content << file.rdbuf();
  std::vector<dsdoctor::model::Warning> warnings;
  const auto text = dsdoctor::decode::yaml_to_text(content.str(), input, warnings);
  if (!file || !text || text->pieces.empty() || text->other || !warnings.empty()) {
    std::cerr << (text ? input + ": must be objects, without warnings"
                       : dsdoctor::base::to_string(text.error()))
              << "\n";
    return 1;
  }
  std::string source =
      "// Made from demo_cluster.yaml by embed_demo_cluster; not to be edited.\n"
      "#include \"source/demo_cluster.h\"\n\n"
      "namespace dsdoctor::source {\n\n"
      "std::string_view demo_cluster() {\n"
      "  static constexpr char bytes[] = {";
  for (const std::string& piece : text->pieces) {
    for (const char c : piece) source += fmt::format("'\\{:03o}',", static_cast<unsigned char>(c));
  }
  source +=
      "'\\0'};\n  return {bytes, sizeof(bytes) - 1};\n}\n\n"
      "}  // namespace dsdoctor::source\n";
  std::ofstream(output) << source;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3) return run(argv[1], argv[2]);
    std::cerr << "usage: embed_demo_cluster YAML OUTPUT\n";
  } catch (const std::exception& error) {
    std::cerr << "embed_demo_cluster: " << error.what() << "\n";
  }
  return 1;
}
