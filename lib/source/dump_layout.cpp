// SPDX-License-Identifier: Apache-2.0
#include "source/dump_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"

namespace dsdoctor::source {
namespace {

using decode::Kind;
using Parts = std::vector<std::string>;

Parts parts_of(std::string_view path) {
  Parts parts;
  for (const std::string_view part : base::split(path, "/")) {
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

bool cut_suffix(std::string& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.resize(text.size() - suffix.size());
  return true;
}

template <std::size_t count>
bool cut_any_suffix(std::string& text, const std::array<std::string_view, count>& suffixes) {
  return std::ranges::any_of(suffixes, [&](auto suffix) { return cut_suffix(text, suffix); });
}

constexpr std::array<std::string_view, 4> packed = {".gz", ".zst", ".zstd", ".xz"};
constexpr std::array<std::string_view, 4> archives = {".tar", ".tgz", ".tzst", ".txz"};
constexpr std::array<std::string_view, 3> manifests = {".json", ".yaml", ".yml"};

/// Turns "storage-classes" into "storageclasses".
std::string plain_word(std::string_view word) {
  std::string result = base::lower_case(word);
  std::erase(result, '-');
  return result;
}

bool is_resource_of(std::string_view word, std::string_view kind) {
  const std::string name = plain_word(kind);
  return word.starts_with(name) && (word.size() == name.size() || word.substr(name.size()) == "s" ||
                                    word.substr(name.size()) == "es");
}

/// The kind for a resource's name, singular or plural, as dumps spell it. Kinds of other groups may
/// have the same name.
std::optional<Kind> kind_named(std::string_view name) {
  const std::string word = plain_word(name);
  if (word == "pvcs") return Kind::PersistentVolumeClaim;
  if (word == "pvs") return Kind::PersistentVolume;
  for (std::size_t i = 0; i < decode::kind_count; ++i) {
    const auto kind = static_cast<Kind>(i);
    if (is_resource_of(word, to_string(kind))) return kind;
  }
  return std::nullopt;
}

/// The kind for a resource's name without a group. PodGroups of Volcano and of other schedulers are
/// more common than those of Kubernetes.
std::optional<Kind> kind_of_resource(std::string_view name) {
  const auto kind = kind_named(name);
  return kind == Kind::PodGroup ? std::nullopt : kind;
}

/// The kind for a resource's name in a group: `core` `nodes`, but not `config.openshift.io`
/// `nodes`.
std::optional<Kind> kind_in_group(std::string_view group, std::string_view resource) {
  const auto kind = kind_named(resource);
  if (!kind) return kind;
  // The group of DaemonSets in old servers never reached v1.
  const std::string_view version = group == "extensions" ? "v1beta1" : "v1";
  const std::string api_version =
      group == "core" ? std::string(version) : fmt::format("{}/{}", group, version);
  return decode::kind_of(api_version, to_string(*kind));
}

/// Parses "core_v1_nodes", "extensions_v1beta1_daemonsets", or only "Nodes".
std::optional<Kind> kind_in_sonobuoy(std::string_view stem) {
  const std::size_t first = stem.find('_');
  const std::size_t last = stem.rfind('_');
  if (first == std::string_view::npos || first == last) return kind_of_resource(stem);
  return kind_in_group(stem.substr(0, first), stem.substr(last + 1));
}

/// The result of one layout for a path: `matches` if the path has the layout and names a resource.
struct Found {
  bool matches = false;
  std::optional<Kind> kind;
  std::string ns = {};  // the namespace of lists in the file
};

/// The parts after the last `name`; empty if it does not occur.
std::span<const std::string> behind(const Parts& parts, std::string_view name) {
  for (std::size_t i = parts.size(); i > 0; --i) {
    if (parts[i - 1] == name) return std::span(parts).subspan(i);
  }
  return {};
}

Found in_must_gather(const Parts& parts) {
  const auto cluster = behind(parts, "cluster-scoped-resources");  // GROUP/RESOURCE[/NAME]
  if (cluster.size() == 2 || cluster.size() == 3) {
    return {true, kind_in_group(cluster[0], cluster[1])};
  }
  const auto of_namespace = behind(parts, "namespaces");
  if (of_namespace.size() == 2 && of_namespace[0] == of_namespace[1])
    return {true, Kind::Namespace};
  if (of_namespace.size() < 3 || of_namespace.size() > 4) return {};
  const std::string& group = of_namespace[1];
  if (group == "pods") {  // NAMESPACE/pods/POD/POD
    const bool is_pod = of_namespace.size() == 4 && of_namespace[2] == of_namespace[3];
    return {is_pod, is_pod ? std::optional(Kind::Pod) : std::nullopt};
  }
  // NAMESPACE/GROUP/RESOURCE[/NAME]
  return {true, kind_in_group(group, of_namespace[2]), of_namespace[0]};
}

Found in_support_bundle(const Parts& parts) {
  const auto below = behind(parts, "cluster-resources");  // RESOURCE or RESOURCE/NAMESPACE
  if (below.size() != 1 && below.size() != 2) return {};
  return {true, kind_of_resource(below[0]), below.size() == 2 ? below[1] : std::string()};
}

Found in_sonobuoy(const Parts& parts) {
  const auto below = behind(parts, "resources");  // cluster/RESOURCE or ns/NAMESPACE/RESOURCE
  const bool cluster = below.size() == 2 && below[0] == "cluster";
  const bool of_namespace = below.size() == 3 && below[0] == "ns";
  if (!cluster && !of_namespace) return {};
  return {true, kind_in_sonobuoy(below.back()), of_namespace ? below[1] : std::string()};
}

Found in_insights(const Parts& parts) {
  const auto below = behind(parts, "config");  // node/NODE or pod/NAMESPACE/POD
  if (below.size() == 2 && below[0] == "node") return {true, Kind::Node};
  if (below.size() == 3 && below[0] == "pod") return {true, Kind::Pod};
  return {};
}

/// A file named after a resource, in any folder; implies nothing about other files there.
Found named_after_resource(const Parts& parts) {
  const auto kind = kind_of_resource(parts.back());
  return {kind.has_value(), kind, parts.size() > 1 ? parts[parts.size() - 2] : std::string()};
}

/// Finds the collectors' notes about the whole cluster and about the time.
std::optional<DumpPlace::Content> note_in(const Parts& parts, bool manifest) {
  using Content = DumpPlace::Content;
  const std::string& name = parts.back();
  const std::string_view folder =
      parts.size() > 1 ? std::string_view(parts[parts.size() - 2]) : std::string_view();
  if (manifest && (name == "serverversion" || name == "cluster_version")) {
    return Content::ServerVersion;
  }
  if (manifest && name == "kube-apiserver" && folder == "clusteroperators") {
    return Content::ServerVersion;
  }
  if (name == "timestamp" || (name == "run.log" && folder == "meta")) return Content::Timestamp;
  return std::nullopt;
}

bool begins_sensitive(std::string_view name) {
  const std::string word = plain_word(name);
  return word.starts_with("secret") || word.starts_with("configmap");
}

/// Matches names like "secrets", "core_v1_configmaps" and "image-pull-secrets".
bool is_sensitive(std::string_view name) {
  const std::string word = plain_word(name.substr(name.rfind('_') + 1));
  constexpr std::array<std::string_view, 5> words = {"secret", "secrets", "configmap", "configmaps",
                                                     "imagepullsecrets"};
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

DumpPlace place_in_dump(std::string_view path) {
  DumpPlace place;
  Parts parts = parts_of(path);
  if (parts.empty()) return place;
  const auto is_hidden = [](const std::string& part) { return part.starts_with('.'); };
  if (std::ranges::any_of(parts, is_hidden)) {
    place.content = DumpPlace::Content::Hidden;
    return place;
  }
  std::string& stem = parts.back();
  cut_any_suffix(stem, packed);
  const bool archive = cut_any_suffix(stem, archives);
  const bool manifest = !archive && cut_any_suffix(stem, manifests);

  Found found;
  for (const auto layout : {in_must_gather, in_support_bundle, in_sonobuoy, in_insights}) {
    if (!found.matches) found = layout(parts);
  }
  place.of_collector = found.matches;
  if (!found.matches) found = named_after_resource(parts);
  place.kind = manifest ? found.kind : std::nullopt;
  if (place.kind && !is_cluster_scoped(*place.kind)) place.ns = found.ns;

  using Content = DumpPlace::Content;
  if (std::ranges::any_of(parts, is_sensitive) ||
      (!place.kind && std::ranges::any_of(parts, begins_sensitive))) {
    place.content = Content::Sensitive;
    place.kind.reset();
  } else if (const auto note = note_in(parts, manifest)) {
    place.content = *note;
  } else if (archive) {
    place.content = Content::Archive;
  } else if (manifest) {
    place.content = place.of_collector && !place.kind ? Content::Foreign : Content::Objects;
  }
  return place;
}

}  // namespace dsdoctor::source
