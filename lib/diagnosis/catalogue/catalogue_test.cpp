// Every finding of the catalogue has code that makes it.

#include "diagnosis/catalogue/catalogue.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

using namespace dsdoctor::diagnosis;
namespace fs = std::filesystem;

namespace {

/// Entries that nothing makes, and why. The list may only become shorter.
const std::map<std::string, std::string, std::less<>> never_made = {};

/// Code that may make findings: neither the catalogue's own tables, nor the tables that put ids in
/// an order, nor tests.
bool makes_findings(const fs::path& path) {
  const std::string name = path.filename().string();
  return path.extension() == ".cpp" && !name.ends_with("_entries.cpp") &&
         !name.ends_with("_test.cpp") && name != "ranking.cpp";
}

std::string code_of_diagnosis() {
  std::string result;
  for (const char* folder : {"/lib/diagnosis", "/lib/scheduling"}) {
    for (const auto& entry : fs::recursive_directory_iterator(std::string(DSDOCTOR_ROOT) + folder)) {
      if (!makes_findings(entry.path())) continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        const bool of_an_order = line.find("    std::string_view(\"") == 0;
        if (!of_an_order) result += line + "\n";
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("every finding of the catalogue can be made", "[diagnosis][catalogue]") {
  const std::string code = code_of_diagnosis();
  REQUIRE(code.size() > 100'000);
  for (const CatalogueEntry& entry : catalogue()) {
    CAPTURE(entry.id);
    const bool made = code.find("\"" + std::string(entry.id) + "\"") != std::string::npos;
    CHECK(made != never_made.contains(entry.id));
  }
}
