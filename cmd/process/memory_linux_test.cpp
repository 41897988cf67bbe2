// SPDX-License-Identifier: Apache-2.0

// The memory that a run takes is bounded for any manifest.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "decode/bytes/compression.h"
#include "test_program.h"
#include "testing/gzip_file.h"
#include "testing/packing.h"

namespace dsdoctor::cmd {
namespace {

constexpr int nodes = 400;
constexpr int parts = 8'000;

/// `spec`: the fields of the template besides its containers.
std::string cluster_of(const std::string& spec) {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  for (int i = 0; i < nodes; ++i) {
    text += R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)" + std::to_string(i) +
            R"("},"status":{"conditions":[{"type":"Ready","status":"True"}]}},)";
  }
  return text +
         R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d","namespace":"x"},
"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
"spec":{"containers":[{"name":"c","image":"i"}],)" +
         spec + "}}}}]}";
}

std::string joined(const std::function<std::string(const std::string&)>& part) {
  std::string result;
  for (int i = 0; i < parts; ++i) result += (i == 0 ? "" : ",") + part("k" + std::to_string(i));
  return result;
}

/// Returns the peak memory of `explain -A` with the file in KiB; at least that of this process, so
/// each test runs in its own process.
long peak_of(const std::filesystem::path& file) {
  std::string program = DSDOCTOR_PROGRAM;
  std::string command = "explain";
  std::string all = "-A";
  std::string flag = "-f";
  std::string path = file.string();
  char* const arguments[] = {program.data(), command.data(), all.data(),
                             flag.data(),    path.data(),    nullptr};
  char* const environment[] = {nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  REQUIRE(::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments, environment) == 0);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  REQUIRE(::wait4(pid, &status, 0, &usage) == pid);
  CHECK(WIFEXITED(status));
  return usage.ru_maxrss;
}

}  // namespace

// The limits apply to the program as shipped.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
TEST_CASE("memory is bounded by the input rather than nodes times manifest", "[cmd][memory]") {
  const std::string keys = joined([](const std::string& key) { return "\"" + key + "\":\"v\""; });
  const std::string terms = joined([](const std::string& key) {
    return R"({"matchExpressions":[{"key":")" + key + R"(","operator":"In","values":["a","b"]}]})";
  });
  const auto file = std::filesystem::temp_directory_path() /
                    ("dsdoctor-memory-" + std::to_string(::getpid()) + ".json");
  for (const std::string& spec :
       {R"("nodeSelector":{)" + keys + "}",
        R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
        R"({"nodeSelectorTerms":[)" +
            terms + "]}}}"}) {
    const std::string text = cluster_of(spec);
    std::ofstream(file) << text;
    CAPTURE(spec.substr(0, 20));
    CHECK(peak_of(file) * 1024 < 64L * 1024 * 1024 + 6 * static_cast<long>(text.size()));
  }
  std::filesystem::remove(file);
}

TEST_CASE("memory is bounded by the input for recorded manifests", "[cmd][memory]") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("dsdoctor-manifest-" + std::to_string(::getpid()) + ".json");
  for (const char* name : {"many-selector-keys", "many-affinity-terms"}) {
    const std::string text =
        testing::read_gzip(std::string(DSDOCTOR_TESTDATA "/hostile/") + name + ".json.gz");
    std::ofstream(file) << text;
    CAPTURE(name);
    CHECK(peak_of(file) * 1024 < 64L * 1024 * 1024 + 6 * static_cast<long>(text.size()));
  }
  std::filesystem::remove(file);
}

/// A compressed List with as many objects as fit into a few bytes.
std::string bomb(int objects) {
  decode::ZstdFrame frame;
  std::string piece = R"({"apiVersion":"v1","kind":"List","items":[)";
  for (int i = 0; i < objects; ++i) {
    piece += std::string(i == 0 ? "" : ",") +
             R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)" + std::to_string(i) +
             "\"}}";
    if (piece.size() < 100'000) continue;
    REQUIRE(frame.add(piece));
    piece.clear();
  }
  REQUIRE(frame.add(piece + "]}"));
  return *frame.finish();
}

TEST_CASE("a compressed file with millions of objects is rejected early", "[cmd][memory]") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("dsdoctor-bomb-" + std::to_string(::getpid()) + ".zst");
  const std::string packed = bomb(1'000'000);
  std::ofstream(file) << packed;
  CHECK(peak_of(file) * 1024 < 256L * 1024 * 1024 + 24 * static_cast<long>(packed.size()));
  const Ran ran = run_program({"explain", "-A", "-f", file.string()});
  CHECK(ran.code == 2);
  CHECK(ran.err.find("the limit for packed files of this size") != ran.err.npos);
  CHECK(ran.err.find("unpack it first") != ran.err.npos);
  std::filesystem::remove(file);
}

/// Returns `head`, then pieces up to `size` bytes, then `tail`.
std::string filled(std::size_t size, const std::string& head,
                   const std::function<std::string(std::size_t)>& piece, const std::string& tail) {
  std::string text = head;
  for (std::size_t i = 0; text.size() < size; ++i) text += piece(i);
  return text + tail;
}

TEST_CASE("memory is bounded by the input for any structure of a text", "[cmd][memory]") {
  struct Shape {
    const char* name;
    std::string head;
    const char* piece;  // `#` is replaced by a number
    std::string tail;
  };
  const auto list = [](const std::string& kind) {
    return R"({"apiVersion":"v1","kind":")" + kind + R"(List","items":[)";
  };
  const std::string yaml_list = "apiVersion: v1\nkind: List\nitems:\n";
  const Shape shape = GENERATE_COPY(
      Shape{"nodes", list("Node"), R"({"metadata":{"name":"n#"}},)",
            R"({"metadata":{"name":"n"}}]})"},
      Shape{"labels", list("Node") + R"({"metadata":{"name":"n","labels":{)", R"("#":"",)",
            R"("a":""}}}]})"},
      Shape{"taints", list("Node") + R"({"metadata":{"name":"n"},"spec":{"taints":[)", "{},",
            "{}]}}]}"},
      Shape{"kind behind the items", R"({"items":[)", "{},",
            R"({}],"kind":"NodeList","apiVersion":"v1"})"},
      Shape{"array", "[", "1,", "1]"},
      Shape{"array of nodes", "[", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n#"}},)",
            "{}]"},
      Shape{"yaml behind json",
            R"({"kind":"List","apiVersion":"v1","items":[]})"
            "\n---\n",
            "- a\n", ""},
      Shape{"brackets", "#\n[", "a,", "a]\n"}, Shape{"pairs in brackets", "#\n{", "#: a,", "}\n"},
      Shape{"open brackets", "#\n", "[", ""},
      Shape{"brackets of a key", yaml_list + " [", "a,", "a]\n"}, Shape{"entries", "", "- a\n", ""},
      Shape{"nested entries", "", "- - - - - - - -\n", ""}, Shape{"mappings", "", "- a: b\n", ""},
      Shape{"keys", "", "k#:\n", ""}, Shape{"questions", "", "? a\n", ""},
      Shape{"same key", "", "a: b\n", ""}, Shape{"documents", "", "---\na: b\n", ""},
      Shape{"anchors", "", "- &a# a\n", ""}, Shape{"aliases", "- &a a\n", "- *a\n", ""},
      Shape{"escapes", "a: \"", "\\0", "\"\n"}, Shape{"one text", "a: ", "aaaaaaaa", "\n"},
      Shape{"lines", "a: |\n", "\n", ""}, Shape{"numbers", yaml_list, "- 1e14\n", ""},
      Shape{"tags", "", "%TAG !#! a\n", ""},
      Shape{"nodes of yaml", yaml_list, "- {kind: Node, apiVersion: v1, metadata: {name: n#}}\n",
            ""},
      Shape{"kind behind yaml", "items:\n", "- {metadata: {name: n#, labels: {a#: b}}}\n",
            "kind: NodeList\n"});
  const auto file =
      std::filesystem::temp_directory_path() / ("dsdoctor-shape-" + std::to_string(::getpid()));
  for (const std::size_t size : {4'000'000U, 16'000'000U}) {
    const std::string text = filled(
        size, shape.head,
        [&](std::size_t i) {
          std::string piece = shape.piece;
          for (std::size_t at = 0; (at = piece.find('#', at)) != piece.npos;) {
            piece.replace(at, 1, std::to_string(i));
          }
          return piece;
        },
        shape.tail);
    std::ofstream(file) << text;
    CAPTURE(shape.name, size);
    CHECK(peak_of(file) * 1024 < 64L * 1024 * 1024 + 6 * static_cast<long>(text.size()));
  }
  std::filesystem::remove(file);
}

TEST_CASE("an archive of empty files causes few messages", "[cmd][memory]") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("dsdoctor-empty-" + std::to_string(::getpid()) + ".tar");
  std::vector<testing::TarEntry> entries;
  for (int i = 0; i < 5'000; ++i) entries.push_back({"f" + std::to_string(i) + ".json", ""});
  std::ofstream(file) << testing::tar(entries, "ustar");
  CHECK(peak_of(file) < 64L * 1024);
  const Ran ran = run_program({"explain", "-A", "-f", file.string()});
  CHECK(ran.code == 2);
  CHECK(ran.err.find("and 4800 more such files") != ran.err.npos);
  CHECK(std::ranges::count(ran.err, '\n') < 220);
  std::filesystem::remove(file);
}

TEST_CASE("nested anchors are an error that names the limit", "[cmd][memory]") {
  const std::string file = DSDOCTOR_TESTDATA "/hostile/nested-anchors.yaml.gz";
  const Ran ran = run_program({"explain", "-A", "-f", file});
  CHECK(ran.code == 2);
  CHECK(ran.err.find("values with anchors contain each other") != ran.err.npos);
  CHECK(peak_of(file) < 64L * 1024);
}
#endif

}  // namespace dsdoctor::cmd
