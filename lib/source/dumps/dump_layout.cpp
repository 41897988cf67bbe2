// SPDX-License-Identifier: Apache-2.0
#include "source/dumps/dump_layout.h"

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

constexpr std::array<std::string_view, 6> packed = {".gz", ".zst", ".zstd", ".xz", ".bz2", ".lz4"};
constexpr std::array<std::string_view, 6> archives = {".tar", ".tgz",  ".tzst",
                                                      ".txz", ".tbz2", ".zip"};
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

/// Resources of groups without a dot in their names that a must-gather has and that are not needed.
bool is_known_other(std::string_view resource) {
  constexpr std::array<std::string_view, 12> others = {"configmaps",
                                                       "cronjobs",
                                                       "deployments",
                                                       "endpoints",
                                                       "horizontalpodautoscalers",
                                                       "jobs",
                                                       "podtemplates",
                                                       "replicasets",
                                                       "replicationcontrollers",
                                                       "secrets",
                                                       "services",
                                                       "statefulsets"};
  return std::ranges::find(others, resource) != others.end();
}

/// GROUP/RESOURCE of a must-gather. Other folders can have such a path, too: it counts only if the
/// resource is known, or if the group has a domain like all groups of other projects.
Found of_group(std::string_view group, std::string_view resource) {
  const auto kind = kind_in_group(group, resource);
  return {kind || group.find('.') != group.npos || is_known_other(resource), kind};
}

Found in_must_gather(const Parts& parts) {
  const auto cluster = behind(parts, "cluster-scoped-resources");  // GROUP/RESOURCE[/NAME]
  if (cluster.size() == 2 || cluster.size() == 3) return of_group(cluster[0], cluster[1]);
  const auto of_namespace = behind(parts, "namespaces");
  if (of_namespace.size() == 2 && of_namespace[0] == of_namespace[1])
    return {true, Kind::Namespace};
  if (of_namespace.size() < 3 || of_namespace.size() > 4) return {};
  const std::string& group = of_namespace[1];
  if (group == "pods") {  // NAMESPACE/pods/POD/POD
    const bool is_pod = of_namespace.size() == 4 && of_namespace[2] == of_namespace[3];
    return {is_pod, is_pod ? std::optional(Kind::Pod) : std::nullopt};
  }
  Found found = of_group(group, of_namespace[2]);  // NAMESPACE/GROUP/RESOURCE[/NAME]
  found.ns = of_namespace[0];
  return found;
}

Found in_support_bundle(const Parts& parts) {
  const auto below = behind(parts, "cluster-resources");  // RESOURCE or RESOURCE/NAMESPACE
  if (below.size() != 1 && below.size() != 2) return {};
  const auto kind = kind_of_resource(below[0]);
  return {kind.has_value(), kind, below.size() == 2 ? below[1] : std::string()};
}

Found in_sonobuoy(const Parts& parts) {
  const auto below = behind(parts, "resources");  // cluster/RESOURCE or ns/NAMESPACE/RESOURCE
  const bool cluster = below.size() == 2 && below[0] == "cluster";
  const bool of_namespace = below.size() == 3 && below[0] == "ns";
  if (!cluster && !of_namespace) return {};
  const auto kind = kind_in_sonobuoy(below.back());
  const bool is_resource = std::ranges::count(below.back(), '_') >= 2;  // GROUP_VERSION_RESOURCE
  return {kind || is_resource, kind, of_namespace ? below[1] : std::string()};
}

Found in_velero(const Parts& parts) {
  // RESOURCE[.GROUP][/VERSION]/cluster/NAME or .../namespaces/NAMESPACE/NAME
  const auto below = behind(parts, "resources");
  if (below.size() < 3) return {};
  const bool cluster = below[below.size() - 2] == "cluster";
  const bool of_namespace = below.size() >= 4 && below[below.size() - 3] == "namespaces";
  if (!cluster && !of_namespace) return {};
  const std::string_view resource = below[0];
  const std::size_t dot = std::min(resource.find('.'), resource.size());
  const auto group = dot == resource.size() ? "core" : resource.substr(dot + 1);
  return {true, kind_in_group(group, resource.substr(0, dot))};
}

/// "v1", "apps-v1", "storage.k8s.io-v1beta1": the group; absent if the text has no version.
std::optional<std::string_view> group_before_version(std::string_view text) {
  const std::size_t dash = text.rfind('-');
  const std::string_view version = dash == text.npos ? text : text.substr(dash + 1);
  if (version.size() < 2 || version[0] != 'v' || version[1] < '0' || version[1] > '9') return {};
  return dash == text.npos ? "core" : text.substr(0, dash);
}

Found in_crust_gather(const Parts& parts) {
  auto below = behind(parts, "namespaces");  // NAMESPACE/GROUP-VERSION/KIND/NAME
  if (below.size() == 4) {
    below = below.subspan(1);
  } else {
    below = behind(parts, "cluster");  // GROUP-VERSION/KIND/NAME
  }
  if (below.size() != 3) return {};
  const auto group = group_before_version(below[0]);
  const auto kind = group ? kind_in_group(*group, below[1]) : std::nullopt;
  return {kind.has_value(), kind};
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

/// Matches "secrets", "core_v1_configmaps", "image-pull-secrets" and the like, but no other name
/// that begins or ends with such a word.
bool is_sensitive(std::string_view name) {
  const std::string word = plain_word(name.substr(name.rfind('_') + 1));
  constexpr std::array<std::string_view, 5> words = {"secret", "secrets", "configmap", "configmaps",
                                                     "imagepullsecrets"};
  return std::ranges::find(words, word) != words.end();
}

bool has_extension(std::string_view name) { return name.find('.') != name.npos; }

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
  for (const auto layout :
       {in_must_gather, in_support_bundle, in_sonobuoy, in_velero, in_crust_gather, in_insights}) {
    if (!found.matches) found = layout(parts);
  }
  place.of_collector = found.matches;
  if (!found.matches) found = named_after_resource(parts);
  place.kind = manifest ? found.kind : std::nullopt;
  if (place.kind && !is_cluster_scoped(*place.kind)) place.ns = found.ns;

  using Content = DumpPlace::Content;
  const bool is_known = place.of_collector && place.kind;
  if (!is_known && std::ranges::any_of(parts, is_sensitive)) {
    place.content = Content::Sensitive;
    place.kind.reset();
  } else if (const auto note = note_in(parts, manifest)) {
    place.content = *note;
  } else if (archive) {
    place.content = Content::Archive;
  } else if (manifest) {
    place.content = place.of_collector && !place.kind ? Content::Foreign : Content::Objects;
  } else if (!has_extension(stem)) {
    place.content = Content::Unnamed;
  }
  return place;
}

bool may_have_node_templates(std::string_view path) {
  constexpr std::array<std::string_view, 3> names = {"nodepool", "machineset", "machinedeployment"};
  return std::ranges::any_of(parts_of(path), [&](const std::string& part) {
    const std::string word = plain_word(part);
    return std::ranges::any_of(names, [&](std::string_view name) {
      return word.starts_with(name) || word.find(fmt::format("_{}", name)) != word.npos;
    });
  });
}

}  // namespace dsdoctor::source
