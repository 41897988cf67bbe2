// SPDX-License-Identifier: Apache-2.0

// Folders and archives as written by collectors of dumps.
#include "source/input_reader.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <sstream>

#include "base/time.h"
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
using testing::ZipStyle;
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

using Pack = std::function<std::string(std::string_view)>;

const std::string node_json = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})";

}  // namespace

TEST_CASE("every layout in every compression gives the cluster of the plain file",
          "[source][archives]") {
  const auto name = GENERATE(as<std::string>{}, "autoscaler-taint", "mixed-40-nodes",
                             "nfd-label-flip", "controller-forbidden");
  const auto layout =
      GENERATE(DumpLayout::ClusterInfo, DumpLayout::MustGather, DumpLayout::SupportBundle,
               DumpLayout::Sonobuoy, DumpLayout::OldSonobuoy);
  CAPTURE(name, static_cast<int>(layout));
  const std::string list =
      testing::read_file(std::string(DSDOCTOR_TESTDATA "/clusters/") + name + ".json");
  // The split into files decides which lists are complete; Sonobuoy records the version.
  const auto objects = [](const base::Result<source::Snapshot>& snapshot) {
    model::Cluster cluster = snapshot->cluster;
    cluster.known = {};
    cluster.version = {};
    return cluster;
  };
  const model::Cluster expected = objects(load_piped(list));
  const Entries entries = testing::dumped(list, layout);

  const testing::Folder folder;
  for (const TarEntry& entry : entries) folder.write(entry.path, entry.content);
  const auto of_folder = load(folder.path());
  REQUIRE(error_of(of_folder) == "");
  CHECK(objects(of_folder) == expected);

  const std::string archive = testing::tar(entries);
  for (const Pack& pack : {Pack(plain), Pack(testing::gzip), Pack(testing::xz), Pack(testing::zstd),
                           Pack(testing::bzip2), Pack(testing::lz4)}) {
    const auto of_archive = load_piped(pack(archive));
    REQUIRE(error_of(of_archive) == "");
    CHECK(objects(of_archive) == expected);
    CHECK(of_archive->warnings.size() == of_folder->warnings.size());
  }
  for (const ZipStyle style : {ZipStyle::Deflated, ZipStyle::DeflatedInStream, ZipStyle::Stored,
                               ZipStyle::StoredInStream}) {
    const auto of_zip = load_piped(testing::zip(entries, style));
    REQUIRE(error_of(of_zip) == "");
    CHECK(objects(of_zip) == expected);
    CHECK(of_zip->cluster == of_folder->cluster);
    CHECK(of_zip->omissions == of_folder->omissions);
    CHECK(of_zip->warnings.size() == of_folder->warnings.size());
  }
}

TEST_CASE("a compressed list gives the same cluster", "[source][archives]") {
  const std::string list = testing::read_file(DSDOCTOR_TESTDATA "/clusters/autoscaler-taint.json");
  const testing::Folder folder;
  for (const Pack& pack : {Pack(testing::gzip), Pack(testing::xz), Pack(testing::zstd),
                           Pack(testing::bzip2), Pack(testing::lz4)}) {
    // with a misleading name and without a name
    const auto of_file = load(folder.write("list.json", pack(list)));
    REQUIRE(error_of(of_file) == "");
    CHECK(of_file->cluster == testing::recorded_cluster("autoscaler-taint"));
    CHECK(error_of(load_piped(pack(pack(list)))) == "");
    CHECK(error_of(load_piped(pack(testing::yaml_from_json(list)))) == "");
  }
}

TEST_CASE("files of a folder or an archive may be compressed", "[source][archives]") {
  const Entries entries = {
      {"config/node/a.json", testing::gzip(R"({"metadata":{"name":"a"}})")},
      {"config/node/b.json.gz", testing::gzip(R"({"metadata":{"name":"b"}})")},
      {"config/node/c.json.zst", testing::zstd(R"({"metadata":{"name":"c"}})")},
      {"config/node/d.json.bz2", testing::bzip2(R"({"metadata":{"name":"d"}})")},
      {"config/node/e.json.lz4", testing::lz4(R"({"metadata":{"name":"e"}})")}};
  const testing::Folder folder;
  for (const TarEntry& entry : entries) folder.write(entry.path, entry.content);
  for (const auto& snapshot :
       {load(folder.path()), load_piped(testing::gzip(testing::tar(entries)))}) {
    REQUIRE(error_of(snapshot) == "");
    CHECK(snapshot->cluster.nodes.size() == 5);
    CHECK(snapshot->warnings.empty());
  }
}

TEST_CASE("a collector's notes give the version and the time", "[source][archives]") {
  const std::string seen =
      R"([{"metadata":{"name":"a","creationTimestamp":"2019-07-31T20:00:00Z"}}])";
  const auto of = [&](Entries notes) {
    notes.push_back({"resources/cluster/core_v1_nodes.json", seen});
    const testing::Folder folder;
    for (const TarEntry& entry : notes) folder.write(entry.path, entry.content);
    auto of_folder = load(folder.path());
    const auto of_archive = load_piped(testing::tar(notes));
    REQUIRE(of_folder);
    REQUIRE(of_archive);
    CHECK(of_folder->info.as_of == of_archive->info.as_of);
    CHECK(of_folder->info.server_version == of_archive->info.server_version);
    CHECK(of_folder->warnings.empty());
    return of_folder;
  };
  const auto [path, text] = GENERATE(table<std::string, std::string>({
      {"serverversion.json", R"({"major":"1","minor":"14+","gitVersion":"v1.14.2"})"},
      {"cluster-info/cluster_version.json",
       R"({"info":{"major":"1","minor":"14","gitVersion":"v1.14.2"},"string":"v1.14.2"})"},
      {"m/cluster-scoped-resources/config.openshift.io/clusteroperators/kube-apiserver.yaml",
       "status:\n  versions:\n  - {name: operator, version: 4.1.0}\n"
       "  - {name: kube-apiserver, version: 1.14.2}\n"},
  }));
  const auto snapshot = of({{path, text}, {"meta/run.log", "{\"time\":\"2019-07-31T20:56:36Z\"}"}});
  CHECK(snapshot->info.server_version == "v1.14.2");
  REQUIRE(snapshot->cluster.version);
  CHECK(snapshot->cluster.version->minor == 14);
  CHECK(snapshot->info.as_of == base::parse_rfc3339("2019-07-31T20:56:36Z"));
  CHECK(of({{"timestamp", "2019-07-31 20:10:00.5 +0000 UTC"}})->info.as_of ==
        base::parse_rfc3339("2019-07-31T20:10:00Z"));
  CHECK_FALSE(of({{"serverversion.json", "oops"}})->cluster.version);
}

TEST_CASE("a folder's files without a kind are skipped and counted", "[source][archives]") {
  const testing::Folder folder;
  folder.write("node.json", node_json);
  folder.write("values.yaml", "replicas: 1\nimage: x\n");
  folder.write("package.json", R"({"name": "x"} [1, 2] "text")");
  folder.write("list.yaml", "- a\n- b\n");
  const auto snapshot = load(folder.path());
  CHECK(warnings_of(snapshot) ==
        Words{folder.path() + ": skipped 3 files with objects without a kind"});
  REQUIRE(snapshot);
  CHECK(snapshot->cluster.nodes.size() == 1);
  // a file given by name must have a kind
  CHECK(error_of(load(folder / "values.yaml")).find("kind is missing") != std::string::npos);
}

TEST_CASE("a DaemonSet in several versions is read once as apps/v1", "[source][archives]") {
  const std::string meta = R"("metadata":{"name":"a","namespace":"x","resourceVersion":"7",)";
  const std::string old = R"([{"apiVersion":"extensions/v1beta1","kind":"DaemonSet",)" + meta +
                          R"("labels":{"of":"old"}},"spec":{"templateGeneration":3}}])";
  const std::string recent =
      R"([{"apiVersion":"apps/v1","kind":"DaemonSet",)" + meta + R"("labels":{"of":"new"}}}])";
  const TarEntry of_old = {"resources/ns/x/extensions_v1beta1_daemonsets.json", old};
  const TarEntry of_new = {"resources/ns/x/apps_v1_daemonsets.json", recent};
  const auto alone = load_piped(testing::tar({of_old}));
  REQUIRE(alone);
  REQUIRE(alone->cluster.daemon_sets.size() == 1);
  const model::Text* generation =
      alone->cluster.daemon_sets[0].annotations.find("deprecated.daemonset.template.generation");
  REQUIRE(generation != nullptr);
  CHECK(*generation == "3");
  for (const Entries& entries : {Entries{of_old, of_new}, Entries{of_new, of_old}}) {
    const auto both = load_piped(testing::tar(entries));
    REQUIRE(both);
    REQUIRE(both->cluster.daemon_sets.size() == 1);
    CHECK(*both->cluster.daemon_sets[0].meta.labels.find("of") == "new");
  }
}

TEST_CASE("skipped entries of an archive are reported", "[source][archives]") {
  const auto snapshot = load_piped(testing::tar({
      {"d", "", EntryType::Folder},
      {"d/nodes.json", "[" + node_json + "]"},
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
        Words{"standard input: skipped 2 files without objects, 1 file of Secrets or ConfigMaps "
              "(by its name), 2 nested archives (name them with -f to read them), 3 entries that "
              "are links, devices or paths that lead outside"});
  REQUIRE(snapshot);
  CHECK(snapshot->cluster.nodes.size() == 1);
}

TEST_CASE("a broken file is an error unless it belongs to a collector's layout",
          "[source][archives]") {
  const TarEntry nodes = {"cluster-resources/nodes.json", "[" + node_json + "]"};
  const auto [entries, error, warnings] = GENERATE_COPY(table<Entries, std::string, Words>({
      // any JSON file in a folder of unknown layout is assumed to be a manifest
      {{{"nodes.json", node_json}, {"x.json", "{"}},
       "standard input/x.json:1:2: unexpected end of file; is the file cut off?",
       {}},
      {{nodes, {"x/x.json", "{"}, {"x/y.json", "{\"kind\": 1}"}, {"x/z.yaml", "text"}},
       "",
       {"standard input: skipped 3 files without objects"}},
      // a resource that verdicts depend on must not be skipped
      {{nodes, {"cluster-resources/pods/x.json", "[{"}},
       "standard input/cluster-resources/pods/x.json:1:3: unexpected end of file inside [0]; is "
       "the file cut off?",
       {}},
      {{nodes, {"cluster-resources/daemonsets/x.json", testing::gzip("[]").substr(0, 15)}},
       "standard input/cluster-resources/daemonsets/x.json: the gzip data is cut off",
       {}},
      // a resource that only explains may be skipped
      {{nodes, {"cluster-resources/events/x.json", "oops"}},
       "",
       {"standard input/cluster-resources/events/x.json document 1: expected an object or a List, "
        "as kubectl get -o yaml prints it; ignored"}},
  }));
  const auto snapshot = load_piped(testing::tar(entries));
  CHECK(error_of(snapshot) == error);
  if (error.empty()) CHECK(warnings_of(snapshot) == warnings);
}

TEST_CASE("a truncated archive is a single error", "[source][archives]") {
  const std::string list = testing::read_file(DSDOCTOR_TESTDATA "/clusters/mixed-40-nodes.json");
  const std::string archive = testing::tar(testing::dumped(list, DumpLayout::ClusterInfo));
  for (const Pack& pack : {Pack(plain), Pack(testing::gzip), Pack(testing::xz), Pack(testing::zstd),
                           Pack(testing::bzip2), Pack(testing::lz4)}) {
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

TEST_CASE("a checksum after the last entry of an archive is verified", "[source][archives]") {
  std::string archive = testing::tar({{"nodes.json", node_json}});
  archive.append(std::size_t{1} << 20U, '\0');  // like the padding that tar adds
  std::string packed = testing::gzip(archive);
  CHECK(load_piped(packed));
  packed[packed.size() - 6] ^= 1;
  CHECK(error_of(load_piped(packed)) ==
        "standard input: the gzip data is damaged: incorrect data check");
}

TEST_CASE("archives that would fill the memory are rejected by a limit", "[source][archives]") {
  decode::UnpackLimits limits;
  limits.file_bytes = std::uint64_t{1} << 20U;
  limits.total_bytes = std::uint64_t{4} << 20U;
  const std::string large(std::size_t{2} << 20U, ' ');
  const std::string too_large = "is larger than 1 MiB, the limit for one packed file";
  CHECK(error_of(load_piped(testing::gzip(large), limits)) == "standard input: " + too_large);
  CHECK(error_of(load_piped(testing::tar({{"pods.json", large}}), limits)) ==
        "standard input/pods.json: " + too_large);
  CHECK(error_of(load_piped(testing::zip({{"pods.json", large}}), limits)) ==
        "standard input/pods.json: " + too_large);
  CHECK(error_of(load_piped(testing::zip({{"pods.json", large}}, ZipStyle::DeflatedInStream),
                            limits)) == "standard input/pods.json: " + too_large);
  CHECK(error_of(load_piped(testing::gzip(testing::tar(
                                {{"a.log", large}, {"b.log", large}, {"nodes.json", node_json}})),
                            limits)) ==
        "standard input: unpacks to more than 4 MiB, the limit for one archive, in or after the "
        "entry b.log");
  CHECK(error_of(load_piped(testing::gzip(
            testing::gzip(testing::gzip(testing::gzip(testing::gzip(node_json))))))) ==
        "standard input: is compressed more than 4 times, which is the limit");
}

TEST_CASE("a link in a zip archive is skipped and counted", "[source][archives]") {
  const auto snapshot =
      load_piped(testing::zip({{"node.json", node_json},
                               {"pods.json", "/etc/hosts", EntryType::SymbolicLink},
                               {"x.yaml", "node.json", EntryType::SymbolicLink}}));
  CHECK(
      warnings_of(snapshot) ==
      Words{
          "standard input: skipped 2 entries that are links, devices or paths that lead outside"});
  CHECK(error_of(load_piped(
            testing::zip({{"node.json", node_json}, {"pods.json", "/etc/hosts"}}))) != "");
}

TEST_CASE("a path with two dots in a zip archive is an error", "[source][archives]") {
  const Entries entries = {{"node.json", node_json}, {"a/../../b.json", node_json}};
  CHECK(error_of(load_piped(testing::zip(entries))) ==
        "standard input: the path of the entry a/../../b.json has \"..\"; unpack the archive, and "
        "read the folder");
  CHECK(error_of(load_piped(testing::tar(entries))) == "");  // it is skipped and counted
}

TEST_CASE("encrypted entries are an error only if they would be read", "[source][archives]") {
  const std::string encrypted =
      testing::marked_as_encrypted(testing::zip({{"d/node.json", node_json}}));
  CHECK(error_of(load_piped(encrypted)) ==
        "standard input: the entry d/node.json is encrypted; unpack the archive with its password, "
        "and read the folder");
  CHECK(error_of(load_piped(testing::marked_as_encrypted(testing::zip({{"a.png", "x"}})))) ==
        "standard input: the archive has no manifests (*.json, *.yaml, *.yml)");
}

TEST_CASE("the only archive in an archive or a folder without objects is read",
          "[source][archives]") {
  const std::string inner = testing::gzip(testing::tar({{"d/node.json", node_json}}));
  const Entries outer = {{"must-gather.tar.gz", inner}, {"log.txt", "text"}};
  const testing::Folder folder;
  for (const TarEntry& entry : outer) folder.write(entry.path, entry.content);
  for (const auto& snapshot :
       {load_piped(testing::zip(outer)), load_piped(testing::zip(outer, ZipStyle::StoredInStream)),
        load_piped(testing::tar(outer)), load(folder.path())}) {
    REQUIRE(error_of(snapshot) == "");
    CHECK(snapshot->cluster.nodes.size() == 1);
  }
  // objects beside it, before or behind
  const TarEntry other = {"nodes.json", R"([{"metadata":{"name":"b"}}])"};
  for (const Entries& entries : {Entries{outer[0], other}, Entries{other, outer[0]}}) {
    const auto snapshot = load_piped(testing::zip(entries));
    CHECK(warnings_of(snapshot) ==
          Words{"standard input: skipped 1 nested archive (name it with -f to read it)"});
    REQUIRE(snapshot);
    CHECK(snapshot->cluster.nodes.size() == 1);
  }
}

TEST_CASE("archives and compressions that are not read are named", "[source][archives]") {
  const auto [content, error] = GENERATE(table<std::string, std::string>({
      {"7z\xbc\xaf\x27\x1c rest",
       "standard input: this is a 7z archive, not JSON or YAML; unpack it first, and read the "
       "folder"},
      {"Rar!\x1a\x07 rest",
       "standard input: this is a RAR archive, not JSON or YAML; unpack it first, and read the "
       "folder"},
      {"\x02\x21\x4c\x18 rest",
       "standard input: this is lz4-compressed data in the legacy format, not JSON or YAML; "
       "decompress it first"},
  }));
  CHECK(error_of(load_piped(content)) == error);
}

TEST_CASE("archives in archives are an error if they are several or nested twice",
          "[source][archives]") {
  const std::string inner = testing::zip({{"node.json", node_json}});
  const std::string twice = testing::zip({{"a.zip", testing::zip({{"b.zip", inner}})}});
  const std::string lacks = "the archive has no manifests (*.json, *.yaml, *.yml), only ";
  CHECK(error_of(load_piped(twice)) ==
        "standard input/a.zip: " + lacks +
            "an archive (b.zip); unpack it, and name that one with -f");
  CHECK(error_of(load_piped(testing::zip({{"a.zip", inner}, {"b.zip", inner}}))) ==
        "standard input: " + lacks +
            "archives (a.zip, b.zip); unpack it, and name one of them with -f");
  CHECK(error_of(load_piped(testing::zip({{"a.zip", "text"}}))) ==
        "standard input/a.zip: is neither a tar archive nor a zip archive");
  const testing::Folder folder;
  folder.write("a.zip", inner);
  folder.write("b.zip", inner);
  CHECK(error_of(load(folder.path())) ==
        folder.path() +
            ": the folder has no manifests (*.json, *.yaml, *.yml), only archives (a.zip, b.zip); "
            "name one of them with -f");
}

TEST_CASE("an archive without manifests is an error", "[source][archives]") {
  const std::string nothing =
      "standard input: the archive has no manifests (*.json, *.yaml, *.yml)";
  CHECK(error_of(load_piped(testing::tar({{"logs.txt", "x"}}))) == nothing);
  CHECK(error_of(load_piped(testing::tar({{"logs", "", EntryType::Folder}}))) == nothing);
  CHECK(error_of(load_piped(testing::zip({{"a.png", "x"}, {"b.png", "x"}}))) == nothing);
  CHECK(error_of(load_piped(testing::zip({{"/node.json", node_json}}))) ==
        nothing + ", only 1 entry that is a link, a device or a path that leads outside");
  CHECK(error_of(load_piped(testing::zip({}))) == "standard input: the archive is empty");
}
