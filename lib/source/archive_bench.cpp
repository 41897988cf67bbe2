// SPDX-License-Identifier: Apache-2.0

// Reads about 200 MB of recorded pods from a folder and from archives, and prints the speed. Not a
// test: the results depend on the machine.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "source/file_source.h"
#include "testing/folder.h"
#include "testing/gzip_file.h"
#include "testing/packing.h"

namespace {

using namespace dsdoctor;
using Clock = std::chrono::steady_clock;

constexpr std::size_t file_count = 40;
constexpr std::size_t file_bytes = std::size_t{5} << 20U;

/// Pod lists of 40 namespaces, like in a support bundle.
std::vector<testing::TarEntry> pods() {
  const auto page =
      nlohmann::json::parse(testing::read_file(DSDOCTOR_TESTDATA "/wire/pods-page.json"));
  std::vector<testing::TarEntry> files;
  std::size_t number = 0;
  for (std::size_t i = 0; i < file_count; ++i) {
    std::string list = "[";
    while (list.size() < file_bytes) {
      nlohmann::json pod = page["items"][number % page["items"].size()];
      pod["metadata"]["name"] = fmt::format("pod-{}", number);
      pod["metadata"]["uid"] = fmt::format("00000000-0000-4000-8000-{:012}", number * 7919);
      if (list.size() > 1) list += ",";
      list += pod.dump();
      ++number;
    }
    files.push_back({fmt::format("bundle/cluster-resources/pods/ns-{}.json", i), list + "]"});
  }
  return files;
}

bool report(std::string_view what, const std::string& path, std::size_t packed, std::size_t bytes) {
  const auto start = Clock::now();
  std::istringstream nothing;
  source::FileSource files({path}, nothing, [] { return model::Time(); });
  const auto snapshot = files.load({});
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{:<10} {:6.1f} MB, {:6.1f} MB of JSON {:8.1f} ms {:6.0f} MB/s, {} MB at most so far\n", what,
      double(packed) / 1e6, double(bytes) / 1e6, seconds * 1e3, double(bytes) / 1e6 / seconds,
      usage.ru_maxrss / 1000);
  return snapshot && !snapshot->cluster.pods.empty();
}

}  // namespace

int main() {
  const testing::Folder folder;
  std::size_t bytes = 0;
  std::vector<std::pair<std::string, std::size_t>> archives;  // path and size
  {
    const auto files = pods();
    for (const auto& file : files) {
      bytes += file.content.size();
      folder.write(file.path, file.content);
    }
    const std::string archive = testing::tar(files);
    const auto add = [&](const std::string& name, const std::string& content) {
      archives.emplace_back(folder.write(name, content), content.size());
    };
    add("x.tar", archive);
    add("x.tar.gz", testing::gzip(archive));
    add("x.tar.zst", testing::zstd(archive));
    add("x.tar.xz", testing::xz(archive));
  }
  bool complete = report("folder", folder / "bundle", bytes, bytes);
  for (const auto& [path, size] : archives) {
    complete = report(path.substr(path.rfind('/') + 1), path, size, bytes) && complete;
  }
  return complete ? 0 : 1;
}
