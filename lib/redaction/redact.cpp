// SPDX-License-Identifier: Apache-2.0
#include "redaction/redact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include "base/text.h"
#include "redaction/collect.h"
#include "redaction/text_walker.h"
#include "redaction/well_known.h"

namespace dsdoctor::redaction {
namespace {

/// "spec.containers{main}" contains the name of a container.
model::Text redact_field_path(const model::Text& path, Pseudonyms& names) {
  const std::string_view text = path.view();
  const std::size_t open = text.find('{');
  if (open == std::string_view::npos || !text.ends_with('}')) return {names.words(text)};
  const model::Text name(text.substr(open + 1, text.size() - open - 2));
  return {fmt::format("{}{{{}}}", names.words(text.substr(0, open)), names.name(name).view())};
}

/// "host_0a1b..": the host of the process, and a UID.
model::Text redact_holder(const model::Text& holder, Pseudonyms& names) {
  const std::size_t end = std::min(holder.view().find('_'), holder.view().size());
  const model::Text host(holder.view().substr(0, end));
  return {names.name(host).str() + names.words(holder.view().substr(end))};
}

/// Keeps selectors, tolerations and numbers, with names in them replaced; replaces all other
/// values.
void redact_annotations(model::Labels& annotations, Pseudonyms& names) {
  std::vector<model::Labels::Entry> entries(annotations.begin(), annotations.end());
  for (auto& [key, value] : entries) {
    const bool decides = key.view().ends_with("/node-selector") ||
                         key.view().ends_with("olerations") ||
                         key.view().ends_with("/tolerationsWhitelist") || base::is_number(value);
    if (!value.empty()) value = decides ? names.name(value) : model::Text("redacted");
    key = names.name(key);
  }
  annotations = model::Labels(std::move(entries));
}

/// "Node/gpu-1 spec.taints[0]" for "nodes.yaml Node/gpu-1 spec.taints[0]"; empty if a warning is
/// not about an object with a name.
std::string_view object_in(std::string_view where) {
  // Search from the end, because the name of a file can contain blanks and slashes.
  for (std::size_t at = where.rfind('/'); at != where.npos && at > 0;
       at = where.rfind('/', at - 1)) {
    const std::size_t blank = where.rfind(' ', at);
    const std::size_t start = blank == where.npos ? 0 : blank + 1;
    const std::string_view kind = where.substr(start, at - start);
    const bool is_kind =
        !kind.empty() && base::is_upper(kind.front()) && std::ranges::all_of(kind, base::is_letter);
    if (is_kind) return where.substr(start);
  }
  return {};
}

/// Whether an apiVersion is one of Kubernetes' owners of pods, or of projects that have DaemonSets
/// of their own.
bool is_public_version(std::string_view api_version) {
  constexpr std::array<std::string_view, 9> all = {"v1",
                                                   "apps/v1",
                                                   "apps/v1beta1",
                                                   "apps/v1beta2",
                                                   "apps.kruise.io/v1alpha1",
                                                   "apps.kruise.io/v1beta1",
                                                   "batch/v1",
                                                   "datadoghq.com/v1alpha1",
                                                   "extensions/v1beta1"};
  return api_version.empty() || std::ranges::find(all, api_version) != all.end();
}

model::Text redacted(const model::Text& text, Holds holds, Pseudonyms& names) {
  switch (holds) {
    case Holds::VolumeSource:
    case Holds::ByHand: return text;
    case Holds::Nothing: return names.defined(text);
    case Holds::OwnName:
    case Holds::Node:
    case Holds::Namespace:
    case Holds::Object:
    case Holds::User:
    case Holds::Container:
    case Holds::Volume:
    case Holds::Key:
    case Holds::Value:
    case Holds::Path:
    case Holds::Message: return names.name(text);
    case Holds::Program: return is_known_program(text) ? text : names.name(text);
    case Holds::Driver: return is_known_driver(text) ? text : names.name(text);
    case Holds::Handler: return is_known_handler(text) ? text : names.name(text);
    case Holds::Image: return names.image(text);
    case Holds::Uid: return names.uid(text);
    case Holds::Address: return names.address(text);
  }
  return text;
}

/// Replaces the names in fields by the descriptions in `model/fields.h`. Objects that share a value
/// continue to share it.
class Redactor {
 public:
  explicit Redactor(Pseudonyms& names) : names_(names) {}

  template <typename Names = description::UsualNames, typename T>
  void redact(T& of) {
    description::each_member<Names>(
        of, [&](auto& value, const auto& member) { redact_member(value, member); });
    if constexpr (requires { by_hand(of); }) by_hand(of);
  }

 private:
  template <auto Member, typename Form>
  void redact_member(auto& value, const description::Field<Member, Form>& field) {
    replace<typename NamesOf<Form>::Type>(value, field.holds);
  }
  void redact_member(auto& value, const auto& member) {
    if constexpr (requires { member.holds; }) {
      replace<description::UsualNames>(value, member.holds);
    } else {  // a list of objects
      replace<description::UsualNames>(value, Holds::Nothing);
    }
  }

  template <typename Names, typename T>
  void replace(T& value, Holds holds) {
    if constexpr (std::is_same_v<T, model::Text>) {
      value = redacted(value, holds, names_);
    } else if constexpr (std::is_same_v<T, model::UniqueText>) {
      value = redacted(value.str(), holds, names_);
    } else if constexpr (std::is_same_v<T, model::Labels>) {
      if (holds == Holds::ByHand) return;
      std::vector<model::Labels::Entry> entries(value.begin(), value.end());
      for (auto& [key, held] : entries) {
        key = redacted(key, Holds::Key, names_);
        held = redacted(held, holds, names_);
      }
      value = model::Labels(std::move(entries));
    } else if constexpr (description::Described<T>) {
      redact<Names>(value);
    }
  }
  template <typename Names, typename T>
  void replace(std::vector<T>& list, Holds holds) {
    for (T& element : list) replace<Names>(element, holds);
  }
  template <typename Names, description::KeptList List>
  void replace(List& list, Holds holds) {
    for (auto& element : list) replace<Names>(element, holds);
  }
  template <typename Names, typename T>
  void replace(std::optional<T>& value, Holds holds) {
    if (value) replace<Names>(*value, holds);
  }
  template <typename Names, typename T>
  void replace(model::SharedOptional<T>& value, Holds holds) {
    if (value) replace<Names>(*value, holds);
  }
  template <typename Names, typename T>
  void replace(model::Shared<T>& value, Holds holds) {
    auto& done = std::get<Done<T>>(done_);
    const auto [at, first] = done.try_emplace(&*value);
    if (first) {
      T copy = *value;
      replace<Names>(copy, holds);
      at->second = {value, model::Shared<T>(std::move(copy))};
    }
    value = at->second.second;
  }

  void by_hand(model::Node& node) {
    if (!node.provider_id.empty()) node.provider_id = "anon:///" + node.meta.name.str();
  }
  void by_hand(model::Volume& volume) {
    const bool has_driver = volume.kind == "csi" || volume.kind == "flexVolume";
    volume.source = redacted(volume.source, has_driver ? Holds::Driver : Holds::Object, names_);
  }
  void by_hand(model::ControllerRef& owner) {
    if (!is_public_version(owner.api_version)) owner.api_version = "anon.example/v1";
  }
  void by_hand(model::SpecEdit& edit) {
    edit.path = names_.words(edit.path);
    if (!edit.applied.empty()) edit.applied = "(not shown)";
    if (!edit.live.empty()) edit.live = "(not shown)";
  }
  void by_hand(model::DaemonSet& ds) {
    redact_annotations(ds.annotations, names_);
    renumber(ds.template_fingerprint);
    if (ds.other_kind && !is_public_version(ds.other_kind->api_version)) {
      ds.other_kind->api_version =
          fmt::format("{}/v1", model::api_group(ds.other_kind->api_version));
    }
  }
  void by_hand(model::ControllerRevision& revision) { renumber(revision.template_fingerprint); }
  void by_hand(model::Namespace& ns) { redact_annotations(ns.annotations, names_); }
  void by_hand(model::Event& event) {
    // Events are named after their object; the same number of digits for all keeps their order.
    event.meta.name = fmt::format("anon-event-{}", ++last_event_);
    event.field_path = redact_field_path(event.field_path, names_);
  }
  void by_hand(model::Lease& lease) { lease.holder = redact_holder(lease.holder, names_); }

  /// Replaces a fingerprint with a number. The original covers the whole template, including
  /// environments, and could confirm a guess of it.
  void renumber(std::uint64_t& fingerprint) {
    if (fingerprint == 0) return;  // unknown
    fingerprint = fingerprints_.try_emplace(fingerprint, fingerprints_.size() + 1).first->second;
  }

  /// Results by address of the original, which is kept so that its address is not reused.
  template <typename T>
  using Done = std::map<const T*, std::pair<model::Shared<T>, model::Shared<T>>>;

  Pseudonyms& names_;
  std::tuple<Done<model::PodSpec>, Done<std::vector<model::Toleration>>> done_;
  std::map<std::uint64_t, std::uint64_t> fingerprints_;
  std::size_t last_event_ = 1'000'000;
};

model::Cluster redact_cluster(model::Cluster cluster, Pseudonyms& names, Renamed& renamed) {
  Redactor(names).redact(cluster);
  for (const model::DaemonSet& ds : cluster.daemon_sets) {
    renamed.daemon_sets.emplace_back(ds.meta.ns, ds.meta.name);
  }
  for (const model::Node& node : cluster.nodes) renamed.nodes.push_back(node.meta.name);
  if (cluster.version) cluster.version->git_version = names.words(cluster.version->git_version);
  description::each_list(cluster, [](auto& list, const auto& /*described*/) {
    std::ranges::stable_sort(list, {}, [](const auto& object) {
      return std::tuple(object.meta.ns.view(), object.meta.name.view());
    });
  });
  std::ranges::sort(cluster.crowded_nodes);
  std::ranges::sort(cluster.namespaces_without_pods);
  return cluster;
}

model::SourceInfo redact_source(model::SourceInfo source, Pseudonyms& names) {
  if (!source.context.empty()) source.context = "anon-cluster";
  if (!source.server.empty()) source.server = "https://anon-cluster";
  source.paths.clear();
  source.saved_from = names.words(source.saved_from);
  return source;
}

void replace_all(std::string& text, const std::string& part, std::string_view by) {
  if (part.empty()) return;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.replace(at, part.size(), by);
    at += by.size();
  }
}

/// Replaces the user's file name in the place of a warning with "input".
std::string redact_place(std::string_view where, Pseudonyms& names) {
  const std::string_view object = object_in(where);
  return object.empty() ? "input" : "input " + names.words(object);
}

}  // namespace

Redacted redact(const Redacted& original) {
  const auto kept = std::make_shared<Pseudonyms>(pseudonyms_for(original.cluster));
  Pseudonyms& names = *kept;
  Renamed renamed;
  renamed.words = [kept](std::string_view text) { return kept->words(text); };
  Redacted result{redact_cluster(original.cluster, names, renamed),
                  redact_source(original.source, names), original.omissions, original.warnings};
  result.renamed = std::move(renamed);
  for (model::Omission& omission : result.omissions) {
    for (const std::string& path : original.source.paths) {
      replace_all(omission.message, path, "the input");
      replace_all(omission.consequence, path, "the input");
    }
    omission.resource = names.defined(model::Text(omission.resource)).str();
    omission.reason = names.defined(model::Text(omission.reason)).str();
    omission.ns = names.name(model::Text(omission.ns)).str();
    omission.message = names.words(omission.message);
    omission.consequence = names.words(omission.consequence);
  }
  for (model::Warning& warning : result.warnings) {
    warning.where = redact_place(warning.where, names);
    warning.what = names.words(warning.what);
  }
  return result;
}

}  // namespace dsdoctor::redaction
