// SPDX-License-Identifier: Apache-2.0
#include "source/dumps/inputs.h"

#include <catch2/catch.hpp>

#include "testing/dump_layouts.h"
#include "testing/folder.h"

using namespace dsdoctor;

namespace {

using Names = std::vector<std::string>;

constexpr std::string_view list = R"({"apiVersion":"v1","kind":"List","items":[
  {"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}},
  {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop"}},
  {"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"agent","namespace":"shop"}}]})";

/// The inputs of the folder, relative to it; "." for the folder itself.
Names inputs(const testing::Folder& folder) {
  const auto found = source::inputs_of(folder.path());
  REQUIRE(found);
  Names result;
  for (const std::string& path : *found) {
    result.push_back(path == folder.path() ? "." : path.substr(folder.path().size() + 1));
  }
  return result;
}

void write_dump(const testing::Folder& folder, const std::string& below,
                testing::DumpLayout layout) {
  for (const auto& entry : testing::dumped(list, layout)) {
    folder.write(below + entry.path, entry.content);
  }
}

}  // namespace

TEST_CASE("files and archives and folders in a folder are its inputs", "[inputs]") {
  const testing::Folder folder;
  folder.write("west.json", std::string(list));
  folder.write("east.yaml.gz", "x");
  folder.write("old.tar.gz", "x");
  folder.write("north/all.json", std::string(list));
  folder.write("dump", std::string(list));
  folder.write("LICENSE", "Permission is granted");
  folder.write("notes.txt", "x");
  folder.write("secrets.yaml", "x");
  folder.write(".git/config.yaml", "x");
  CHECK(inputs(folder) == Names{"dump", "east.yaml.gz", "north", "old.tar.gz", "west.json"});
}

TEST_CASE("a dump of a collector is one input and two are two", "[inputs]") {
  using enum testing::DumpLayout;
  for (const auto layout : {ClusterInfo, MustGather, SupportBundle, Sonobuoy, OldSonobuoy}) {
    CAPTURE(static_cast<int>(layout));
    const testing::Folder one;
    write_dump(one, "", layout);
    CHECK(inputs(one).size() == 1);
    const testing::Folder two;
    write_dump(two, "monday/", layout);
    write_dump(two, "tuesday/", layout);
    CHECK(inputs(two) == Names{"monday", "tuesday"});
  }
}

TEST_CASE("a folder that is alone in a folder is looked into", "[inputs]") {
  const testing::Folder folder;
  folder.write("clusters/now/west.json", std::string(list));
  folder.write("clusters/now/east.json", std::string(list));
  folder.write("clusters/readme.txt", "x");
  CHECK(inputs(folder) == Names{"clusters/now/east.json", "clusters/now/west.json"});
}

TEST_CASE("files of one resource each are one dump", "[inputs]") {
  const testing::Folder folder;
  folder.write("nodes.json", "x");
  folder.write("daemonsets.json", "x");
  CHECK(inputs(folder) == Names{"."});
}

TEST_CASE("other paths are inputs themselves", "[inputs]") {
  const testing::Folder folder;
  CHECK(inputs(folder) == Names{"."});
  CHECK(*source::inputs_of("-") == Names{"-"});
  const std::string file = folder.write("a.json", std::string(list));
  CHECK(*source::inputs_of(file) == Names{file});
  CHECK(*source::inputs_of(folder / "none") == Names{folder / "none"});
}
