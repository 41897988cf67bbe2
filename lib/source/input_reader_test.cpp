// Folders and archives as collectors of dumps leave them behind.
#include "source/input_reader.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <sstream>

#include "decode/bytes/compression.h"
#include "source/file_source.h"
#include "testing/cluster_reader.h"
#include "testing/dump_layouts.h"
#include "testing/folder.h"
#include "testing/gzip_file.h"
#include "testing/packing.h"

using namespace dsdoctor;
using testing::DumpLayout;
using testing::EntryType;
using testing::TarEntry;
using Words = std::vector<std::string>;
using Entries = std::vector<TarEntry>;

namespace {

base::Result<source::Snapshot> load(const std::string& path, const std::string& piped = "",
                                    const decode::UnpackLimits& limits = {}) {
  std::istringstream standard_input(piped);
  source::FileSource files(
      {path}, standard_input, [] { return model::Time(); }, limits);
  return files.load({});
}

base::Result<source::Snapshot> load_piped(const std::string& content,
                                          const decode::UnpackLimits& limits = {}) {
  return load("-", content, limits);
}

std::string error_of(const base::Result<source::Snapshot>& snapshot) {
  return snapshot ? "" : base::to_string(snapshot.error());
}

Words warnings_of(const base::Result<source::Snapshot>& snapshot) {
  Words result;
  if (!snapshot) return {"error: " + error_of(snapshot)};
  for (const auto& warning : snapshot->warnings) {
    result.push_back(warning.where + ": " + warning.what);
  }
  return result;
}

std::string plain(std::string_view content) { return std::string(content); }
std::string zstd(std::string_view content) { return *decode::zstd(content); }

using Pack = std::function<std::string(std::string_view)>;

const std::string node = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})";

}  // namespace

TEST_CASE("every layout in every packing is the cluster of the plain file", "[source][archives]") {
  const auto name = GENERATE(as<std::string>{}, "autoscaler-taint", "mixed-40-nodes",
                             "nfd-label-flip", "controller-forbidden");
  const auto layout =
      GENERATE(DumpLayout::ClusterInfo, DumpLayout::MustGather, DumpLayout::SupportBundle,
               DumpLayout::Sonobuoy, DumpLayout::OldSonobuoy);
  CAPTURE(name, static_cast<int>(layout));
  const std::string list =
      testing::read_file(std::string(DSDOCTOR_TESTDATA "/clusters/") + name + ".json");
  const model::Cluster expected = load_piped(list)->cluster;
  const Entries entries = testing::dumped(list, layout);

  const testing::Folder folder;
  for (const TarEntry& entry : entries) folder.write(entry.path, entry.content);
  const auto of_folder = load(folder.path());
  REQUIRE(error_of(of_folder) == "");
  CHECK(of_folder->cluster == expected);

  const std::string archive = testing::tar(entries);
  for (const Pack& pack : {Pack(plain), Pack(testing::gzip), Pack(testing::xz), Pack(zstd)}) {
    const auto of_archive = load_piped(pack(archive));
    REQUIRE(error_of(of_archive) == "");
    CHECK(of_archive->cluster == expected);
    CHECK(of_archive->warnings.size() == of_folder->warnings.size());
  }
}

TEST_CASE("a compressed list is the list", "[source][archives]") {
  const std::string list = testing::read_file(DSDOCTOR_TESTDATA "/clusters/autoscaler-taint.json");
  const testing::Folder folder;
  for (const Pack& pack : {Pack(testing::gzip), Pack(testing::xz), Pack(zstd)}) {
    // neither by a name nor without one
    const auto of_file = load(folder.write("list.json", pack(list)));
    REQUIRE(error_of(of_file) == "");
    CHECK(of_file->cluster == testing::recorded_cluster("autoscaler-taint"));
    CHECK(error_of(load_piped(pack(pack(list)))) == "");
    CHECK(error_of(load_piped(pack(testing::yaml_from_json(list)))) == "");
  }
}

TEST_CASE("files of a folder or an archive may be compressed themselves", "[source][archives]") {
  const Entries entries = {{"config/node/a.json", testing::gzip(R"({"metadata":{"name":"a"}})")},
                           {"config/node/b.json.gz", testing::gzip(R"({"metadata":{"name":"b"}})")},
                           {"config/node/c.json.zst", zstd(R"({"metadata":{"name":"c"}})")}};
  const testing::Folder folder;
  for (const TarEntry& entry : entries) folder.write(entry.path, entry.content);
  for (const auto& snapshot :
       {load(folder.path()), load_piped(testing::gzip(testing::tar(entries)))}) {
    REQUIRE(error_of(snapshot) == "");
    CHECK(snapshot->cluster.nodes.size() == 3);
    CHECK(snapshot->warnings.empty());
  }
}

TEST_CASE("what was left out of an archive is said", "[source][archives]") {
  const auto snapshot = load_piped(testing::tar({
      {"d", "", EntryType::Folder},
      {"d/nodes.json", "[" + node + "]"},
      {"d/logs.txt", "text"},
      {"d/page.html", "<html>"},
      {"d/.hidden.json", "{broken"},
      {"d/secrets.json", "{broken"},
      {"d/old.tar.gz", "not even one"},
      {"d/disguised.json", testing::tar({{"nodes.json", "{broken"}})},
      {"../nodes.json", "{broken"},
      {"d/link.json", "/etc/hostname", EntryType::SymbolicLink},
      {"d/pods.json", "d/nodes.json", EntryType::HardLink},
  }));
  CHECK(warnings_of(snapshot) ==
        Words{"standard input: 2 files that hold no objects were skipped",
              "standard input: 1 file of Secrets or ConfigMaps, by its name, was not opened",
              "standard input: 2 archives within were not opened; give them by name to read them",
              "standard input: 3 entries were skipped: links, devices or paths that lead outside"});
  REQUIRE(snapshot);
  CHECK(snapshot->cluster.nodes.size() == 1);
}

TEST_CASE("a broken file is an error unless a collector puts other formats there",
          "[source][archives]") {
  const TarEntry nodes = {"cluster-resources/nodes.json", "[" + node + "]"};
  const auto [entries, error, warnings] = GENERATE_COPY(table<Entries, std::string, Words>({
      // any JSON in a folder of no known layout is taken for a manifest
      {{{"nodes.json", node}, {"x.json", "{"}},
       "standard input/x.json:1:2: unexpected end of file; is the file cut off?",
       {}},
      {{nodes, {"x/x.json", "{"}, {"x/y.json", "{\"kind\": 1}"}, {"x/z.yaml", "text"}},
       "",
       {"standard input: 3 files that hold no objects were skipped"}},
      // what answers depend on must not be missing unseen
      {{nodes, {"cluster-resources/pods/x.json", "[{"}},
       "standard input/cluster-resources/pods/x.json:1:3: unexpected end of file inside [0]; is "
       "the file cut off?",
       {}},
      {{nodes, {"cluster-resources/daemonsets/x.json", testing::gzip("[]").substr(0, 15)}},
       "standard input/cluster-resources/daemonsets/x.json: the gzip data is cut off",
       {}},
      // what only explains may
      {{nodes, {"cluster-resources/events/x.json", "oops"}},
       "",
       {"standard input/cluster-resources/events/x.json document 1: an object or a List is "
        "expected "
        "here, as kubectl get -o yaml prints it; left out"}},
  }));
  const auto snapshot = load_piped(testing::tar(entries));
  CHECK(error_of(snapshot) == error);
  if (error.empty()) CHECK(warnings_of(snapshot) == warnings);
}

TEST_CASE("an archive that is cut off or damaged is one error", "[source][archives]") {
  const std::string list = testing::read_file(DSDOCTOR_TESTDATA "/clusters/mixed-40-nodes.json");
  const std::string archive = testing::tar(testing::dumped(list, DumpLayout::ClusterInfo));
  for (const Pack& pack : {Pack(plain), Pack(testing::gzip), Pack(testing::xz), Pack(zstd)}) {
    const std::string packed = pack(archive);
    for (std::size_t part = 2; part < 9; ++part) {
      const auto snapshot = load_piped(packed.substr(0, packed.size() / 9 * part));
      REQUIRE_FALSE(snapshot);
      const std::string error = base::to_string(snapshot.error());
      CAPTURE(part, error);
      CHECK(error.starts_with("standard input: the "));
      CHECK(error.find(" is cut off, in or after the entry dump/") != std::string::npos);
      CHECK(snapshot.error().hints.empty());
    }
  }
}

TEST_CASE("archives that fill the memory are refused by a limit", "[source][archives]") {
  decode::UnpackLimits limits;
  limits.file_bytes = std::uint64_t{1} << 20U;
  limits.total_bytes = std::uint64_t{4} << 20U;
  const std::string large(std::size_t{2} << 20U, ' ');
  const std::string too_large = "is larger than 1 MiB, the limit for one packed file";
  CHECK(error_of(load_piped(testing::gzip(large), limits)) == "standard input: " + too_large);
  CHECK(error_of(load_piped(testing::tar({{"pods.json", large}}), limits)) ==
        "standard input/pods.json: " + too_large);
  CHECK(error_of(load_piped(
            testing::gzip(testing::tar({{"a.log", large}, {"b.log", large}, {"nodes.json", node}})),
            limits)) ==
        "standard input: unpacks to more than 4 MiB, the limit for one archive, in or after the "
        "entry b.log");
  CHECK(error_of(load_piped(
            testing::gzip(testing::gzip(testing::gzip(testing::gzip(testing::gzip(node))))))) ==
        "standard input: is compressed more than 4 times over, which is the limit");
}

TEST_CASE("an archive without manifests is no answer", "[source][archives]") {
  const std::string nothing =
      "standard input: the archive holds no manifests; it is searched for *.json, *.yaml and *.yml";
  CHECK(error_of(load_piped(testing::tar({{"logs.txt", "x"}}))) == nothing);
  CHECK(error_of(load_piped(testing::tar({{"logs", "", EntryType::Folder}}))) == nothing);
}
