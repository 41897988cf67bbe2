// Which folder may include which: the table of ARCHITECTURE.md, run over every #include.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const std::map<std::string, Names> allowed_folders = {
    {"base", {}},
    {"model", {}},
    {"placement", {"model"}},
    {"scheduling", {"placement", "model", "base"}},
    {"diagnosis", {"scheduling", "placement", "model", "base"}},
    {"advice", {"diagnosis", "placement", "model", "base"}},
    {"render", {"advice", "diagnosis", "placement", "model", "base"}},
    {"decode", {"model", "base"}},
    {"kube", {"decode", "model", "base"}},
    {"redaction", {"model", "base"}},
    {"source", {"kube", "decode", "model", "base"}},
    {"cmd",
     {"source", "render", "advice", "diagnosis", "placement", "kube", "redaction", "decode",
      "model", "base"}},
};

// Guests have homes.
const std::map<std::string, Names> library_homes = {
    {"CLI/", {"cmd"}},
    {"curl/", {"kube"}},
    {"yaml-cpp/", {"decode", "kube"}},
    {"simdjson.h", {"decode"}},
    {"nlohmann/", {"decode", "kube", "render"}},
    {"fmt/",
     {"base", "diagnosis", "advice", "render", "decode", "kube", "source", "redaction", "cmd"}},
    {"openssl/", {"kube"}},
    {"archive", {"decode"}},
    {"lzma.h", {"decode"}},
    {"zlib.h", {"decode"}},
    {"zstd.h", {"decode"}},
};

struct Source {
  fs::path path;
  std::string folder;
  std::vector<std::string> includes;
};

bool is_product(const fs::path& path) {
  const std::string name = path.filename().string();
  const bool code = path.extension() == ".h" || path.extension() == ".cpp";
  return code && !name.ends_with("_test.cpp") && !name.ends_with("_bench.cpp") &&
         !name.ends_with("_fuzz.cpp");
}

std::vector<std::string> includes_of(const fs::path& path) {
  static const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<std::string> result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (std::smatch match; std::regex_search(line, match, pattern)) result.push_back(match[1]);
  }
  return result;
}

std::vector<Source> product_sources() {
  const fs::path root = DSDOCTOR_ROOT;
  std::vector<Source> result;
  const auto add = [&](const fs::path& folder, const std::string& name) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && is_product(entry.path())) {
        result.push_back({entry.path(), name, includes_of(entry.path())});
      }
    }
  };
  for (const auto& [name, folders] : allowed_folders) {
    add(name == "cmd" ? root / "cmd" : root / "lib" / name, name);
  }
  return result;
}

std::string first_part(const std::string& include) { return include.substr(0, include.find('/')); }

}  // namespace

TEST_CASE("includes follow the arrows between folders", "[layers]") {
  const auto sources = product_sources();
  CHECK(sources.size() > 50);
  for (const Source& source : sources) {
    for (const std::string& include : source.includes) {
      const std::string folder = first_part(include);
      if (!allowed_folders.contains(folder) || folder == source.folder) continue;
      CAPTURE(source.path.string(), include);
      CHECK(allowed_folders.at(source.folder).contains(folder));
    }
  }
}

TEST_CASE("libraries are included only where they live", "[layers]") {
  for (const Source& source : product_sources()) {
    for (const std::string& include : source.includes) {
      for (const auto& [library, homes] : library_homes) {
        if (!include.starts_with(library)) continue;
        CAPTURE(source.path.string(), include);
        CHECK(homes.contains(source.folder));
      }
    }
  }
}

TEST_CASE("lib never prints, exits or reads the environment", "[layers]") {
  const std::regex forbidden(
      R"(std::(cout|cerr|cin|exit|abort_handler)\b|\bgetenv\b|\bputs\(|\bprintf\(|fmt::print\()");
  for (const Source& source : product_sources()) {
    if (source.folder == "cmd") continue;
    std::ifstream file(source.path);
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (line.find("//") != line.npos) line.erase(line.find("//"));
      CAPTURE(source.path.string(), number, line);
      CHECK_FALSE(std::regex_search(line, forbidden));
    }
  }
}
