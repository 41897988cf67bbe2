// SPDX-License-Identifier: Apache-2.0

// Checks every #include against the tables of ARCHITECTURE.md: which folder may include which, and
// which room of a folder may include which.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;
using Arrows = std::map<std::string, Names>;

const Arrows folders = {
    {"base", {}},
    {"model", {}},
    {"placement", {"model"}},
    {"scheduling", {"placement", "model", "base"}},
    {"diagnosis", {"scheduling", "placement", "model", "base"}},
    {"fixes", {"diagnosis", "placement", "model", "base"}},
    {"render", {"fixes", "diagnosis", "placement", "model", "base"}},
    {"decode", {"model", "base"}},
    {"kube", {"decode", "model", "base"}},
    {"redaction", {"model", "base"}},
    {"source", {"kube", "decode", "model", "base"}},
    {"testing", {"source", "render", "fixes", "diagnosis", "kube", "decode", "model", "base"}},
    {"cmd",
     {"source", "render", "fixes", "diagnosis", "placement", "kube", "redaction", "decode", "model",
      "base"}},
};

// The rooms of a folder. "." is the folder itself without its subfolders; "causes" means causes/
// and everything below it, both as a target of includes and as the owner of its arrows.
const std::map<std::string, Arrows> rooms = {
    {"model", {{"changes", {"."}}, {".", {}}}},
    {"scheduling", {{"capabilities", {}}, {".", {}}}},
    {"fixes", {{"effects", {}}, {"owners", {}}, {".", {"effects", "owners"}}, {"fleet", {"."}}}},
    {"diagnosis",
     {{"taints", {}},
      {"controller", {"catalogue"}},
      {"evidence", {"catalogue", "controller", "taints"}},
      {"catalogue", {}},
      {"providers", {"evidence"}},
      {"report", {"providers", "catalogue", "evidence", "controller", "taints"}},
      {"rollout", {"report", "evidence"}},
      {"causes",
       {"rollout", "report", "providers", "catalogue", "evidence", "controller", "taints"}},
      {"causes/control", {"causes/rollout"}},
      {"causes/template", {}},
      {"causes/creation", {"causes/template"}},
      {"causes/pending", {}},
      {"causes/providers", {}},
      {"causes/startup", {"causes/providers"}},
      {"causes/pods", {"causes/startup", "causes/pending"}},
      {"causes/nodes", {}},
      {"causes/rollout", {"causes/creation"}},
      {"problems", {"report", "catalogue", "evidence", "taints"}},
      {"matrix", {"problems", "report"}},
      {"pools", {"evidence"}},
      {".", {"causes", "report", "providers", "catalogue", "evidence", "controller", "taints"}},
      {"views",
       {".", "problems", "rollout", "report", "catalogue", "evidence", "controller", "taints"}}}},
    {"decode",
     {{"bytes", {}},
      {"json", {"bytes"}},
      {"yaml", {"bytes"}},
      {"catalogue", {"yaml"}},
      {"objects", {"json", "yaml"}},
      {"bulk", {"objects", "json"}},
      {"protobuf", {"objects"}},
      {"listed", {"objects", "json"}},
      {"manifest", {"objects", "yaml", "json", "bytes"}},
      {"pools", {}},
      {"cluster",
       {"listed", "bulk", "protobuf", "manifest", "pools", "objects", "yaml", "json", "bytes"}},
      {"watch", {"cluster", "protobuf", "objects", "json"}}}},
    {"kube",
     {{"text", {}},
      {"os", {}},
      {"config", {"os", "text"}},
      {"login", {"config", "os", "text"}},
      {"http", {"config", "os", "text"}},
      {"client", {"login", "http", "config", "os", "text"}},
      {"watch", {"client", "http", "config", "os", "text"}}}},
    {"render",
     {{"words", {}},
      {"data", {"words"}},
      {"what_if", {"words"}},
      {"terminal", {"what_if", "data", "words"}},
      {"document", {"terminal", "what_if", "data", "words"}},
      {"document/page", {"document"}},
      {"live", {"terminal", "data", "words"}},
      {"fleet", {"document", "terminal", "data", "words"}}}},
    {"source",
     {{"dumps", {}},
      {"permissions", {}},
      {"pools", {}},
      {".", {"dumps", "pools"}},
      {"live", {"."}}}},
    {"cmd",
     {{"embed", {}},
      {"line", {}},
      {"process", {}},
      {"question", {"line"}},
      {"complete", {"question", "line"}},
      {"live", {"question", "line"}},
      {"serve", {"line"}},
      {"commands", {"serve", "live", "complete", "question", "line"}},
      {".", {"commands", "complete", "question", "line", "process"}}}},
};

// With more files directly in a folder it is hard to find one by its name.
constexpr std::size_t most_files = 25;

// The folders that may include each library.
const Arrows library_homes = {
    {"CLI/", {"cmd"}},
    {"boost/", {"cmd"}},
    {"curl/", {"kube", "testing"}},
    {"yaml-cpp/", {"kube"}},
    {"yaml.h", {"decode"}},
    {"simdjson.h", {"decode"}},
    {"nlohmann/", {"decode", "kube", "render", "testing"}},
    {"fmt/",
     {"base", "diagnosis", "fixes", "render", "decode", "kube", "source", "redaction", "cmd",
      "testing"}},
    {"openssl/", {"kube", "testing"}},
    {"archive", {"decode", "testing"}},
    {"bzlib.h", {"decode", "testing"}},
    {"kainjow/", {"render"}},
    {"lz4frame.h", {"decode", "testing"}},
    {"lzma.h", {"decode", "testing"}},
    {"zlib.h", {"decode", "testing"}},
    {"zstd.h", {"decode", "testing"}},
};

struct Source {
  fs::path path;
  std::string folder;
  std::string room;
  std::vector<std::string> includes;
};

const fs::path root = DSDOCTOR_ROOT;

fs::path path_of(const std::string& folder) {
  return folder == "cmd" ? root / "cmd" : root / "lib" / folder;
}

bool is_product(const fs::path& path) {
  const std::string name = path.filename().string();
  const bool code = path.extension() == ".h" || path.extension() == ".cpp";
  return code && !name.starts_with("test_") && !name.ends_with("_test.cpp") &&
         !name.ends_with("_bench.cpp") && !name.ends_with("_fuzz.cpp");
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

const std::vector<Source>& product_sources() {
  static const std::vector<Source> all = [] {
    std::vector<Source> result;
    for (const auto& [folder, below] : folders) {
      const fs::path home = path_of(folder);
      for (const auto& entry : fs::recursive_directory_iterator(home)) {
        const fs::path& path = entry.path();
        if (!entry.is_regular_file() || !is_product(path)) continue;
        const std::string room = fs::relative(path.parent_path(), home).generic_string();
        result.push_back({path, folder, room, includes_of(path)});
      }
    }
    return result;
  }();
  return all;
}

std::string first_part(const std::string& path) { return path.substr(0, path.find('/')); }

/// The room that an include of the same folder refers to; empty if it refers to anything else.
std::string room_of_include(const Source& source, const std::string& include) {
  fs::path home = path_of(source.folder);
  fs::path target = home / include;
  if (source.folder != "cmd" && first_part(include) == source.folder) {
    target = home.parent_path() / include;
  } else if (include.find('/') == include.npos) {
    return {};  // a file of the same room, or the standard library
  }
  if (!fs::is_directory(target.parent_path())) return {};  // the file itself may be generated
  return fs::relative(target.parent_path(), home).generic_string();
}

/// Whether `names` contains the room or one of its parents.
bool holds(const Names& names, fs::path room) {
  for (; !room.empty(); room = room.parent_path()) {
    if (names.contains(room.generic_string())) return true;
  }
  return false;
}

/// The names that a room may include: of its own entry, and of the entries of its parents.
Names allowed_to(const Arrows& arrows, fs::path room) {
  Names result;
  for (; !room.empty(); room = room.parent_path()) {
    if (const auto entry = arrows.find(room.generic_string()); entry != arrows.end()) {
      result.insert(entry->second.begin(), entry->second.end());
    }
  }
  return result;
}

/// The arrows of each room and of its parents, to each room that is meant.
Arrows spelled_out(const Arrows& arrows) {
  Arrows result;
  for (const auto& [room, own] : arrows) {
    Names& targets = result[room];
    for (const std::string& below : allowed_to(arrows, room)) {
      for (const auto& [other, ignored] : arrows) {
        // A room may include its parent's files.
        if (holds({below}, other) && (other != room || below == room)) targets.insert(other);
      }
    }
  }
  return result;
}

/// The names on a cycle of arrows, with the first one again at the end; empty if there is no cycle.
std::vector<std::string> circle_in(const Arrows& arrows) {
  Names done;
  std::vector<std::string> way;
  const std::function<bool(const std::string&)> closes = [&](const std::string& name) {
    if (const auto first = std::ranges::find(way, name); first != way.end()) {
      way.erase(way.begin(), first);
      way.push_back(name);
      return true;
    }
    const auto targets = arrows.find(name);
    if (targets == arrows.end() || done.contains(name)) return false;
    way.push_back(name);
    if (std::ranges::any_of(targets->second, std::cref(closes))) return true;
    way.pop_back();
    done.insert(name);
    return false;
  };
  for (const auto& [name, targets] : arrows) {
    if (closes(name)) return way;
  }
  return {};
}

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : " -> ") + name;
  return result;
}

/// "lib/kube/os/files" for files.h, files.cpp and files_posix.cpp, which form a unit.
std::string unit_of(const fs::path& path) {
  static const std::regex ending("(_posix|_windows)?\\.(h|cpp)$");
  return std::regex_replace(fs::relative(path, root).generic_string(), ending, "");
}

/// The units that each unit includes.
Arrows unit_arrows() {
  Arrows result;
  for (const Source& source : product_sources()) {
    const std::string unit = unit_of(source.path);
    for (const std::string& include : source.includes) {
      for (const fs::path& folder : {source.path.parent_path(), root / "lib", root / "cmd"}) {
        if (!fs::is_regular_file(folder / include)) continue;
        if (const std::string other = unit_of(folder / include); other != unit) {
          result[unit].insert(other);
        }
        break;
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("includes follow the arrows between folders", "[layers]") {
  CHECK(product_sources().size() > 50);
  for (const Source& source : product_sources()) {
    for (const std::string& include : source.includes) {
      const std::string folder = first_part(include);
      if (!folders.contains(folder) || folder == source.folder) continue;
      CAPTURE(source.path.string(), include);
      CHECK(folders.at(source.folder).contains(folder));
    }
  }
}

TEST_CASE("includes follow the arrows between the rooms of a folder", "[layers]") {
  for (const Source& source : product_sources()) {
    const auto table = rooms.find(source.folder);
    if (table == rooms.end()) continue;
    const Names allowed = allowed_to(table->second, source.room);
    for (const std::string& include : source.includes) {
      const std::string room = room_of_include(source, include);
      if (room.empty() || room == source.room) continue;
      CAPTURE(source.path.string(), include);
      CHECK(holds(allowed, room));
    }
  }
}

TEST_CASE("arrows do not form a cycle", "[layers]") {
  CHECK(joined(circle_in(folders)) == "");
  for (const auto& [folder, arrows] : rooms) {
    CAPTURE(folder);
    CHECK(joined(circle_in(spelled_out(arrows))) == "");
  }
}

TEST_CASE("files do not include each other in a cycle", "[layers]") {
  const Arrows arrows = unit_arrows();
  CHECK(arrows.size() > 300);
  CHECK(arrows.at("lib/kube/os/files").contains("lib/base/result"));
  CHECK(arrows.at("cmd/line/flags").contains("cmd/line/options"));
  CHECK(joined(circle_in(arrows)) == "");
}

TEST_CASE("a cycle is found and named", "[layers]") {
  CHECK(joined(circle_in({{"a", {"b"}}, {"b", {"c", "d"}}, {"c", {"d"}}, {"d", {"b"}}})) ==
        "b -> c -> d -> b");
  CHECK(joined(circle_in({{"a", {"a"}}})) == "a -> a");
  CHECK(circle_in({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {"e"}}}).empty());
  // A room has the arrows of its parent, and an arrow to a room is an arrow to everything below it.
  CHECK(joined(circle_in(spelled_out({{"a", {"b"}}, {"a/x", {}}, {"b", {}}, {"b/y", {"a/x"}}}))) ==
        "b/y -> a/x -> b/y");
  CHECK(unit_of(root / "lib/kube/os/files_posix.cpp") == unit_of(root / "lib/kube/os/files.h"));
  CHECK(unit_of(root / "lib/a/b.cpp") == "lib/a/b");
}

TEST_CASE("the tables name every folder and every room and nothing else", "[layers]") {
  std::map<std::string, Names> found;
  for (const Source& source : product_sources()) found[source.folder].insert(source.room);
  for (const auto& entry : fs::directory_iterator(root / "lib")) {
    if (!entry.is_directory()) continue;
    CAPTURE(entry.path().string());
    CHECK(folders.contains(entry.path().filename().string()));
  }
  for (const auto& [folder, below] : folders) {
    CAPTURE(folder);
    REQUIRE(found.contains(folder));
    Names named = {"."};
    if (const auto table = rooms.find(folder); table != rooms.end()) {
      named.clear();
      for (const auto& [room, may] : table->second) named.insert(room);
    }
    for (const std::string& room : found.at(folder)) {
      CAPTURE(room);
      CHECK(named.contains(room));
    }
    for (const std::string& room : named) {
      CAPTURE(room);
      CHECK((found.at(folder).contains(room) || fs::is_directory(path_of(folder) / room)));
    }
  }
}

TEST_CASE("ARCHITECTURE.md describes each folder and each room", "[layers]") {
  std::string table;
  std::ifstream file(root / "lib/ARCHITECTURE.md");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| ")) table += line.substr(0, line.find('|', 1)) + "\n";
  }
  for (const auto& [folder, below] : folders) {
    CAPTURE(folder);
    CHECK(table.find(folder + "`**") != table.npos);
    const auto arrows = rooms.find(folder);
    if (arrows == rooms.end()) continue;
    for (const auto& [room, allowed] : arrows->second) {
      CAPTURE(room);
      CHECK((room == "." || room == "causes" || table.find("`" + room + "`") != table.npos));
    }
  }
}

TEST_CASE("system headers are only included in files named after the system", "[layers]") {
  static const std::regex of_posix(
      R"((unistd|fcntl|signal|spawn|poll|termios|dlfcn|pwd)\.h|(sys|arpa|netinet|net)/.*)");
  static const std::regex of_windows("(windows|winsock2|ws2tcpip|wincrypt|io|share|process)\\.h");
  static const std::regex condition(
      R"(#\s*(if|ifdef|ifndef|elif)\b.*(_WIN|__APPLE__|__linux__|__unix__))");
  std::size_t posix = 0;
  std::size_t windows = 0;
  for (const Source& source : product_sources()) {
    if (source.folder == "testing") continue;  // only runs on Linux and macOS
    const std::string name = source.path.stem().string();
    CAPTURE(source.path.string());
    for (const std::string& include : source.includes) {
      CAPTURE(include);
      if (std::regex_match(include, of_posix))
        CHECK((name.ends_with("_posix") || name.ends_with("_windows")));
      if (std::regex_match(include, of_windows)) CHECK(name.ends_with("_windows"));
      posix += std::regex_match(include, of_posix) && name.ends_with("_posix") ? 1 : 0;
      windows += std::regex_match(include, of_windows) ? 1 : 0;
    }
    if (name.ends_with("_posix")) continue;  // macOS and Linux differ slightly
    std::ifstream file(source.path);
    for (std::string line; std::getline(file, line);) CHECK(!std::regex_search(line, condition));
  }
  CHECK(posix > 10);
  CHECK(windows > 5);
}

TEST_CASE("every name in the tables exists", "[layers]") {
  const auto check = [](const Arrows& arrows) {
    for (const auto& [name, allowed] : arrows) {
      for (const std::string& below : allowed) {
        CAPTURE(name, below);
        CHECK(arrows.contains(below));
      }
    }
  };
  check(folders);
  for (const auto& [folder, arrows] : rooms) check(arrows);
}

TEST_CASE("every folder has few enough files to find one by name", "[layers]") {
  std::map<fs::path, std::size_t> counts;
  for (const Source& source : product_sources()) {
    if (source.folder != "testing") ++counts[source.path.parent_path()];
  }
  for (const auto& [folder, count] : counts) {
    CAPTURE(folder.string());
    CHECK(count <= most_files);
  }
}

TEST_CASE("libraries are only included in their own folders", "[layers]") {
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
    if (source.folder == "cmd" || source.folder == "testing") continue;
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
