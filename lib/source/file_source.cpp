// SPDX-License-Identifier: Apache-2.0
#include "source/file_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/shell_word.h"
#include "base/text.h"
#include "base/time.h"
#include "decode/cluster/cluster_builder.h"
#include "decode/listed/completeness.h"
#include "model/annotations.h"
#include "model/missing_owners.h"
#include "source/capture_time.h"
#include "source/dumps/folder_files.h"
#include "source/dumps/inputs.h"
#include "source/input_reader.h"

namespace dsdoctor::source {
namespace {

namespace fs = std::filesystem;

constexpr const char* pods_consequence =
    "cannot tell which nodes have a pod, only which nodes are eligible";
constexpr const char* counts_of_read_nodes = "the counts are those of the nodes that were read";
constexpr std::string_view standard_input_name = "standard input";

class StdStream final : public decode::ByteStream {
 public:
  /// `name` is used in errors.
  StdStream(std::istream& from, std::string name) : from_(from), name_(std::move(name)) {}

  base::Result<std::string_view> next() override {
    if (!from_) return std::string_view();
    errno = 0;
    from_.read(piece_.data(), static_cast<std::streamsize>(piece_.size()));
    if (from_.bad()) {
      const std::error_code why(errno, std::generic_category());
      return base::Error{base::ErrorKind::Unreadable, name_,
                         why ? "reading failed: " + why.message() : "reading failed"};
    }
    return std::string_view(piece_).substr(0, static_cast<std::size_t>(from_.gcount()));
  }

 private:
  static constexpr std::size_t piece_bytes = std::size_t{256} << 10U;
  std::istream& from_;
  std::string name_;
  std::string piece_ = std::string(piece_bytes, '\0');
};

/// Opens a file and calls `read(stream, size)`.
template <typename Read>
base::Status with_file(const std::string& path, Read&& read) {
  std::ifstream file(path, std::ios::binary);
  const std::error_code why(errno, std::generic_category());
  if (!file) return cannot_open(path, why);
  std::error_code no_size;  // a pipe has no size
  const auto size = fs::file_size(path, no_size);
  StdStream stream(file, path);
  read(stream, no_size ? std::size_t{0} : static_cast<std::size_t>(size));
  return std::monostate{};
}

/// The input that the file belongs to; empty if it belongs to none, or if there is only one.
std::string_view input_with(std::string_view file, const std::vector<std::string>& inputs) {
  if (inputs.size() < 2) return {};
  std::size_t end = 0;
  do {
    end = file.find('/', end + 1);
    const std::string_view part = file.substr(0, end);
    if (std::ranges::binary_search(inputs, part)) return part;
  } while (end != file.npos);
  return {};
}

base::Status read_folder(const std::string& folder, InputReader& reader) {
  auto files = files_in(folder);
  if (!files) return files.error();
  const std::vector<std::string> inputs = inputs_among(folder, *files);
  std::string_view input;
  std::erase_if(*files, [&](const std::string& file) { return !reader.wants(file); });
  for (const std::string& file : *files) {
    if (const auto of = input_with(file, inputs); !of.empty() && of != input) {
      input = of;
      reader.begin_input((fs::path(folder) / of).generic_string());
    }
    auto status = with_file((fs::path(folder) / file).string(), [&](auto& stream, auto size) {
      reader.read_member(file, stream, size);
    });
    if (!status) return status;
  }
  if (const auto archive = reader.only_archive()) {
    return with_file((fs::path(folder) / *archive).string(), [&](auto& stream, auto /*size*/) {
      reader.read_only_archive(*archive, stream);
    });
  }
  if (files->empty()) return reader.lacks_manifests("folder");
  return std::monostate{};
}

base::Status read_path(const std::string& path, std::istream& standard_input, InputReader& reader) {
  if (path == "-") {
    StdStream stream(standard_input, std::string(standard_input_name));
    reader.read_given(stream, 0);
    return std::monostate{};
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return cannot_open(path, std::make_error_code(std::errc::no_such_file_or_directory));
  }
  if (error) return cannot_open(path, error);
  if (fs::is_directory(status)) return read_folder(path, reader);
  return with_file(path, [&](auto& stream, auto size) { reader.read_given(stream, size); });
}

/// Combines errors: the first one, with the others as hints.
base::Error combined(std::vector<base::Error> errors) {
  base::Error first = std::move(errors.front());
  for (std::size_t i = 1; i < errors.size(); ++i) {
    first.hints.push_back("error: " + base::to_string(errors[i]));
  }
  return first;
}

base::Error nothing_usable(const std::vector<std::string>& paths, std::size_t skipped) {
  const std::string found =
      skipped == 0 ? "no objects"
                   : fmt::format("only {} of other kinds", base::counted(skipped, "object"));
  return {base::ErrorKind::Malformed,
          fmt::format("{}", fmt::join(paths, ", ")),
          fmt::format("{} found; Nodes, DaemonSets and Pods are needed", found),
          {"create such a file with: kubectl dsdoctor snapshot FILE, or with: " +
           std::string(list_command)}};
}

/// Restores the content of a saved snapshot.
Snapshot restored(const decode::SnapshotHead& head, decode::ClusterBuilder& builder, Snapshot into,
                  const std::vector<std::string>& paths) {
  into.info = head.source;
  into.info.saved_from = std::exchange(into.info.kind, "snapshot");
  into.info.paths = paths;
  into.omissions = head.omissions;
  into.warnings.insert(into.warnings.begin(), head.warnings.begin(), head.warnings.end());
  std::ranges::move(builder.take_warnings(), std::back_inserter(into.warnings));
  into.cluster = builder.build();
  return into;
}

/// "a.json: read instead of the Nodes and Pods of b.json ..."
model::Warning replaced_warning(const decode::ReplacedInput& replaced) {
  constexpr std::size_t shown = 4;
  const auto kind_at = [&](std::size_t i) {
    const std::string_view kind = to_string(replaced.kinds[i]);
    return fmt::format("{}{}", kind, kind.ends_with('s') ? "es" : "s");
  };
  return {
      replaced.newer,
      fmt::format("a later state ({}) of the cluster in {} ({}), whose {} are not used; compare "
                  "them with: kubectl dsdoctor diff-nodes -A --since {} -f {}",
                  base::utc_text(replaced.newer_time), replaced.older,
                  base::utc_text(replaced.older_time),
                  base::listed(replaced.kinds.size(), kind_at, shown),
                  base::shell_word(replaced.older), base::shell_word(replaced.newer))};
}

bool lacks_template_generation(const model::DaemonSet& ds) {
  return ds.annotations.find(model::template_generation_annotation) == nullptr;
}

/// Lists the DaemonSets that own the pods, by their owner references; empty if there are none.
std::string owners_text(const model::Cluster& cluster) {
  struct Owned {
    std::size_t pods = 0;
    std::set<std::string_view> nodes;
  };
  std::map<std::string, Owned> owners;
  for (const model::Pod& pod : cluster.pods) {
    const auto& owner = pod.meta.controller;
    if (!owner || !model::is_daemon_set(*owner)) continue;
    Owned& owned = owners[fmt::format("{}/{}", pod.meta.ns.view(), owner->name.view())];
    ++owned.pods;
    if (!pod.node_name.empty()) owned.nodes.insert(pod.node_name);
  }
  if (owners.empty()) return {};
  std::vector<std::string> texts;
  texts.reserve(owners.size());
  for (const auto& [name, owned] : owners) {
    texts.push_back(fmt::format("{} ({} on {})", name, base::counted(owned.pods, "pod"),
                                base::counted(owned.nodes.size(), "node")));
  }
  return fmt::format("no DaemonSet can be evaluated; owner references of pods name {}: {}",
                     base::counted(owners.size(), "DaemonSet"), fmt::join(texts, ", "));
}

/// Formats "a, b, c and 3 more".
std::string few_of(const std::vector<model::Text>& names) {
  constexpr std::size_t shown = 3;
  return base::listed(
      names.size(), [&](std::size_t i) { return names[i].str(); }, shown);
}

/// The omission for a list of which later pages were not read.
model::Omission later_pages_omitted(const decode::ListedKinds::Cut& cut) {
  const std::string kind(to_string(cut.kind));
  std::string resource = base::lower_case(kind);
  resource += resource.ends_with('s') ? "es" : "s";
  const std::string rest =
      cut.remaining == 0
          ? "metadata.continue announces more items"
          : fmt::format("{} on later pages", base::counted(static_cast<std::size_t>(cut.remaining),
                                                           "more item is", "more items are"));
  std::string consequence = fmt::format("the other {}s are not part of the answer", kind);
  if (cut.kind == decode::Kind::Node) consequence = counts_of_read_nodes;
  if (cut.kind == decode::Kind::Pod) consequence = "other pods of these namespaces may exist";
  return {std::move(resource), "", "Truncated",
          fmt::format("{} has one page of the list of {}s: {}", cut.file, kind, rest),
          std::move(consequence)};
}

/// The omissions for DaemonSets that pods name and that a list of mixed kinds lacks, one for each
/// namespace. If `ns` is not empty, only for that namespace.
std::vector<model::Omission> owners_omitted(const model::Cluster& cluster, std::string_view ns) {
  std::vector<model::Omission> result;
  const auto owners = model::missing_owners(cluster, ns);
  for (auto at = owners.begin(); at != owners.end();) {
    const std::string_view of = at->first.first;
    std::vector<std::string> texts;
    for (; at != owners.end() && at->first.first == of; ++at) {
      texts.push_back(
          fmt::format("{}/{} ({})", of, at->first.second, base::counted(at->second.size(), "pod")));
    }
    constexpr std::size_t shown = 3;
    const bool one = texts.size() == 1;
    result.push_back(
        {"daemonsets", std::string(of), "NotInInput",
         fmt::format("the input lacks {} that pods name as {}: {}",
                     one ? "a DaemonSet" : "DaemonSets", one ? "their owner" : "their owners",
                     base::listed(
                         texts.size(), [&](std::size_t i) { return texts[i]; }, shown)),
         one ? "it was not read, or was deleted and its pods are left"
             : "they were not read, or were deleted and their pods are left"});
  }
  return result;
}

/// The omission for a cluster of which only some nodes were read.
model::Omission some_nodes_omitted(const model::Cluster& cluster) {
  const std::vector<model::Text> unread = decode::unread_nodes(cluster);
  std::string message =
      unread.empty()
          ? "DaemonSets count more nodes than the input has"
          : fmt::format("the input lacks {} that {}: {}", base::counted(unread.size(), "Node"),
                        unread.size() == 1 ? "runs a pod" : "run pods", few_of(unread));
  return {"nodes", "", "NotInInput", std::move(message), counts_of_read_nodes};
}

/// The omission for a cluster of which only some pods were read.
model::Omission some_pods_omitted(const model::Cluster& cluster) {
  const std::vector<model::Text>& namespaces = cluster.namespaces_without_pods;
  const bool one = namespaces.size() == 1;
  return {"pods", one ? namespaces.front().str() : "", "NotInInput",
          fmt::format("the input lacks Pods of {} {}", one ? "namespace" : "namespaces",
                      few_of(namespaces)),
          pods_consequence};
}

/// Whether an unbound pod of a DaemonSet names a PodGroup that was not read and may exist.
bool lacks_pod_groups(const model::Cluster& cluster) {
  return !cluster.known.pod_groups && std::ranges::any_of(cluster.pods, [&](const auto& pod) {
    const model::Text& name = pod.spec->pod_group;
    const auto& owner = pod.meta.controller;
    return !name.empty() && pod.node_name.empty() && owner && owner->kind == "DaemonSet" &&
           std::ranges::none_of(cluster.pod_groups, [&](const model::PodGroup& group) {
             return group.meta.ns == pod.meta.ns && group.meta.name == name;
           });
  });
}

/// Whether a DaemonSet's pods name a ResourceClaim, and there are no objects that say which devices
/// the pods have.
bool lacks_devices(const model::Cluster& cluster) {
  if (!cluster.resource_claims.empty() || !cluster.resource_slices.empty() ||
      !cluster.device_taint_rules.empty()) {
    return false;
  }
  return std::ranges::any_of(cluster.daemon_sets, [](const model::DaemonSet& ds) {
    return !ds.pod_template.spec.resource_claims.empty();
  });
}

/// The error for an input without Nodes, DaemonSets and Pods; absent if it has one of them.
std::optional<base::Error> without_objects(const decode::ClusterBuilder& builder,
                                           const std::vector<std::string>& paths) {
  using decode::Kind;
  if (builder.saw(Kind::Node) || builder.saw(Kind::DaemonSet) || builder.saw(Kind::Pod)) return {};
  if (const auto& status = builder.first_status()) {
    return base::Error{base::ErrorKind::Malformed, status->where, status->what};
  }
  return nothing_usable(paths, builder.skipped());
}

/// `first`, and those of `others` about other resources.
std::vector<model::Omission> joined(std::vector<model::Omission> first,
                                    std::vector<model::Omission> others) {
  std::erase_if(others, [&](const model::Omission& omission) {
    return std::ranges::find(first, omission.resource, &model::Omission::resource) != first.end();
  });
  std::ranges::move(others, std::back_inserter(first));
  return first;
}

}  // namespace

std::vector<model::Omission> omissions_of(const model::Cluster& cluster, bool pods_seen) {
  std::vector<model::Omission> result;
  const auto add = [&](const char* resource, const char* what, std::string consequence) {
    result.push_back({resource, "", "NotInInput", fmt::format("the input has no {}", what),
                      std::move(consequence)});
  };
  if (!cluster.nodes_known) {
    add("nodes", "Nodes", "no node can be evaluated and no count can be checked");
  } else if (!cluster.all_nodes_known) {
    result.push_back(some_nodes_omitted(cluster));
  }
  if (cluster.daemon_sets.empty()) {
    const std::string owners = owners_text(cluster);
    add("daemonsets", "DaemonSets", owners.empty() ? "there is nothing to explain" : owners);
  }
  if (!cluster.pods_known) {
    add("pods", "Pods", pods_consequence);
  } else if (!cluster.namespaces_without_pods.empty()) {
    result.push_back(some_pods_omitted(cluster));
  } else if (!pods_seen && !cluster.daemon_sets.empty()) {
    add("pods", "Pods", "treated as no pods, as the status of no DaemonSet counts any");
  }
  const bool needs_revisions = std::ranges::any_of(cluster.daemon_sets, lacks_template_generation);
  if (!cluster.revisions_known && !cluster.pods.empty() && needs_revisions) {
    add("controllerrevisions", "ControllerRevisions",
        "cannot tell which pods are outdated for every DaemonSet");
  }
  if (lacks_pod_groups(cluster)) {
    add("podgroups", "PodGroups", "whether a PodGroup exists and has enough pods is unknown");
  }
  if (!cluster.known.device_taints && lacks_devices(cluster)) {
    add("resourceclaims", "ResourceClaims, ResourceSlices or DeviceTaintRules",
        "taints of devices are unknown");
  }
  return result;
}

FileSource::FileSource(std::vector<std::string> paths, std::istream& standard_input, Clock now,
                       const decode::UnpackLimits& limits)
    : paths_(std::move(paths)),
      standard_input_(standard_input),
      now_(std::move(now)),
      limits_(limits) {}

struct FileSource::Notes {
  std::optional<model::ServerVersion> version;
  model::OptionalTime collected;
};

std::vector<base::Error> FileSource::read_all(decode::ClusterBuilder& into,
                                              std::vector<model::Warning>& warnings, Notes& notes) {
  std::vector<base::Error> errors;
  bool standard_input_read = false;
  for (const std::string& path : paths_) {
    if (path == "-" && std::exchange(standard_input_read, true)) continue;
    if (paths_.size() > 1) into.listed_inputs().begin_input(path);
    InputReader reader(path == "-" ? std::string(standard_input_name) : path, into, warnings,
                       limits_, fields_);
    if (auto status = read_path(path, standard_input_, reader); !status) {
      errors.push_back(status.error());
    }
    std::ranges::move(reader.finish(), std::back_inserter(errors));
    if (reader.server_version()) notes.version = reader.server_version();
    notes.collected = std::max(notes.collected, reader.collected());
  }
  return errors;
}

base::Result<Snapshot> FileSource::load(const Query& query) {
  Snapshot snapshot;
  decode::ClusterBuilder builder(query.default_ns);
  builder.collect_templates(query.templates);
  Notes notes;
  if (auto errors = read_all(builder, snapshot.warnings, notes); !errors.empty()) {
    return combined(std::move(errors));
  }
  if (const decode::SnapshotHead* head = builder.snapshot()) {
    return restored(*head, builder, std::move(snapshot), paths_);
  }
  const bool only_templates = query.templates != nullptr && !query.templates->all().empty();
  if (auto lacks = without_objects(builder, paths_); lacks && !only_templates) return *lacks;
  const model::Time present = now_();
  for (const decode::ReplacedInput& replaced : builder.drop_earlier_states(present)) {
    snapshot.warnings.push_back(replaced_warning(replaced));
  }
  if (auto one = builder.check_one_cluster(); !one) return one.error();
  auto of_objects = builder.take_warnings();
  std::ranges::move(of_objects, std::back_inserter(snapshot.warnings));
  const bool pods_seen = builder.saw(decode::Kind::Pod);
  const auto cuts = builder.listed().cuts();
  // Single DaemonSets were chosen by the user.
  const bool daemon_sets_listed = builder.listed().was_listed(decode::Kind::DaemonSet);
  snapshot.cluster = builder.build();
  const bool of_some = !query.names.empty() || !query.selector.empty();
  std::vector<model::Omission> lacking;
  if (!of_some && daemon_sets_listed && !snapshot.cluster.known.own_daemon_set_list) {
    lacking = owners_omitted(snapshot.cluster, query.ns);
  }
  std::ranges::transform(cuts, std::back_inserter(lacking), later_pages_omitted);
  snapshot.omissions = joined(std::move(lacking), omissions_of(snapshot.cluster, pods_seen));
  snapshot.info.kind = "files";
  snapshot.info.paths = paths_;
  snapshot.info.read_at = present;
  snapshot.info.as_of = capture_time(snapshot.cluster, notes.collected, snapshot.info.read_at);
  if (notes.version) snapshot.info.server_version = notes.version->git_version;
  snapshot.cluster.version = std::move(notes.version);
  return snapshot;
}

}  // namespace dsdoctor::source
