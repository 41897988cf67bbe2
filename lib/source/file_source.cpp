#include "source/file_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "decode/cluster_builder.h"
#include "decode/documents.h"

namespace dsdoctor::source {
namespace {

namespace fs = std::filesystem;

struct Input {
  std::string path;     // empty: standard input
  std::string display;  // what messages call it
};

bool is_manifest(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".json" || extension == ".yaml" || extension == ".yml";
}

base::Error cannot_open(const std::string& path, const std::error_code& why) {
  if (why == std::errc::no_such_file_or_directory) {
    return {base::ErrorKind::NotFound, "", fmt::format("the path \"{}\" does not exist", path)};
  }
  return {base::ErrorKind::Unreadable, path, fmt::format("cannot be read: {}", why.message())};
}

/// Every manifest below a folder, sorted; hidden files and folders left out.
base::Result<std::vector<Input>> manifests_in(const std::string& folder) {
  std::vector<Input> result;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::none, error);
  const fs::recursive_directory_iterator end;
  while (!error && at != end) {
    const fs::path path = at->path();
    std::error_code dangling;  // a link to nothing is no file, and no reason to stop
    if (path.filename().string().starts_with('.')) {
      at.disable_recursion_pending();
    } else if (is_manifest(path) && at->is_regular_file(dangling)) {
      result.push_back({path.string(), path.string()});
    }
    at.increment(error);
  }
  if (error) return cannot_open(folder, error);
  std::ranges::sort(result, {}, &Input::path);
  if (result.empty()) {
    return base::Error{
        base::ErrorKind::NotFound, folder,
        "the folder holds no manifests; it is searched for *.json, *.yaml and *.yml"};
  }
  return result;
}

base::Result<std::vector<Input>> inputs_of(const std::string& path) {
  if (path == "-") return std::vector<Input>{{"", "standard input"}};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return cannot_open(path, std::make_error_code(std::errc::no_such_file_or_directory));
  }
  if (error) return cannot_open(path, error);
  if (fs::is_directory(status)) return manifests_in(path);
  return std::vector<Input>{{path, path}};
}

std::string rest_of(std::istream& stream) {
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

base::Result<std::string> content_of(const Input& input, std::istream& standard_input) {
  if (input.path.empty()) return rest_of(standard_input);
  std::ifstream file(input.path, std::ios::binary);
  const std::error_code why(errno, std::generic_category());
  if (!file) return cannot_open(input.path, why);
  std::string content;
  std::error_code no_size;  // a pipe has none
  const auto size = fs::file_size(input.path, no_size);
  if (!no_size && size > 0) {
    content.resize(size);
    file.read(content.data(), static_cast<std::streamsize>(size));
    content.resize(static_cast<std::size_t>(file.gcount()));
    if (file.eof()) file.clear();
  }
  if (file) content += rest_of(file);  // what grew meanwhile, or all of a pipe
  if (file.bad()) {
    return base::Error{base::ErrorKind::Unreadable, input.path, "reading failed"};
  }
  return content;
}

/// One error out of several, so that all of them are mended in one go.
base::Error combined(std::vector<base::Error> errors) {
  base::Error first = std::move(errors.front());
  for (std::size_t i = 1; i < errors.size(); ++i) {
    first.hints.push_back("error: " + base::to_string(errors[i]));
  }
  return first;
}

base::Error nothing_usable(const std::vector<std::string>& paths, std::size_t skipped) {
  const std::string found = skipped == 0 ? "no objects"
                                         : fmt::format("only {} object{} of other kinds", skipped,
                                                       skipped == 1 ? "" : "s");
  return {
      base::ErrorKind::Malformed,
      fmt::format("{}", fmt::join(paths, ", ")),
      fmt::format("{} found; Nodes, DaemonSets and Pods are needed", found),
      {"make such a file with: kubectl get nodes,daemonsets,pods,controllerrevisions -A -o json"}};
}

bool lacks_template_generation(const model::DaemonSet& ds) {
  return ds.annotations.find("deprecated.daemonset.template.generation") == nullptr;
}

/// A list of mixed kinds looks the same whether it was asked for pods and there are none, or was
/// not asked. The DaemonSets' status tells: one that counts a pod somewhere contradicts "none".
bool pods_are_known(const model::Cluster& cluster) {
  return cluster.pods_known ||
         std::ranges::none_of(cluster.daemon_sets, [](const model::DaemonSet& ds) {
           return ds.reported.current_number_scheduled > 0 || ds.reported.number_misscheduled > 0;
         });
}

}  // namespace

std::vector<model::Omission> omissions_of(const model::Cluster& cluster, bool pods_seen) {
  std::vector<model::Omission> result;
  const auto add = [&](const char* resource, const char* what, const char* consequence) {
    result.push_back(
        {resource, "", "NotInInput", fmt::format("the input holds no {}", what), consequence});
  };
  if (!cluster.nodes_known) {
    add("nodes", "Nodes", "no node can be judged and no count checked");
  }
  if (cluster.daemon_sets.empty()) {
    add("daemonsets", "DaemonSets", "there is nothing to explain");
  }
  if (!cluster.pods_known) {
    add("pods", "Pods",
        "where pods should run is known, where they do run is not: nothing can be called running, "
        "missing or misscheduled");
  } else if (!pods_seen && !cluster.daemon_sets.empty()) {
    add("pods", "Pods",
        "taken as: there are none, which is also what every DaemonSet's status says");
  }
  const bool needs_revisions = std::ranges::any_of(cluster.daemon_sets, lacks_template_generation);
  if (!cluster.revisions_known && !cluster.pods.empty() && needs_revisions) {
    add("controllerrevisions", "ControllerRevisions",
        "which pods are of the present template cannot be told for every DaemonSet");
  }
  return result;
}

FileSource::FileSource(std::vector<std::string> paths, std::istream& standard_input, Clock now)
    : paths_(std::move(paths)), standard_input_(standard_input), now_(std::move(now)) {}

base::Result<Snapshot> FileSource::load(const Query& /*query*/) {
  Snapshot snapshot;
  decode::ClusterBuilder builder;
  std::vector<base::Error> errors;
  bool standard_input_read = false;
  for (const std::string& path : paths_) {
    if (path == "-" && std::exchange(standard_input_read, true)) continue;
    const auto inputs = inputs_of(path);
    if (!inputs) {
      errors.push_back(inputs.error());
      continue;
    }
    for (const Input& input : *inputs) {
      auto content = content_of(input, standard_input_);
      const base::Status status = content
                                      ? decode::read_documents(std::move(*content), input.display,
                                                               builder, snapshot.warnings)
                                      : base::Status(content.error());
      if (!status) errors.push_back(status.error());
    }
  }
  if (!errors.empty()) return combined(std::move(errors));
  const bool usable = builder.saw(decode::Kind::Node) || builder.saw(decode::Kind::DaemonSet) ||
                      builder.saw(decode::Kind::Pod);
  if (!usable) return nothing_usable(paths_, builder.skipped());
  auto of_objects = builder.take_warnings();
  std::ranges::move(of_objects, std::back_inserter(snapshot.warnings));
  const bool pods_seen = builder.saw(decode::Kind::Pod);
  snapshot.cluster = builder.build();
  snapshot.cluster.pods_known = pods_are_known(snapshot.cluster);
  snapshot.omissions = omissions_of(snapshot.cluster, pods_seen);
  snapshot.info.kind = "files";
  snapshot.info.paths = paths_;
  snapshot.info.read_at = now_();
  return snapshot;
}

}  // namespace dsdoctor::source
