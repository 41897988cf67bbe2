// SPDX-License-Identifier: Apache-2.0
#include "line/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "placement/label_syntax.h"

namespace dsdoctor::cmd {
namespace {

constexpr std::array<std::string_view, 3> daemon_set_words = {"ds", "daemonset", "daemonsets"};

/// `daemonsets.v1.apps` is "daemonsets", "v1" and "apps"; the version may be empty.
struct TypeWords {
  std::string resource;
  std::string version;
  std::string group;
};

TypeWords split_type(std::string_view word) {
  const std::string type = base::lower_case(word);
  const std::size_t dot = type.find('.');
  TypeWords result{type.substr(0, dot), {}, dot == type.npos ? "" : type.substr(dot + 1)};
  if (result.group == "v1" || result.group.starts_with("v1.")) {
    result.version = "v1";
    result.group.erase(0, 3);
  }
  return result;
}

bool is_daemon_set(const TypeWords& type) {
  return std::ranges::find(daemon_set_words, type.resource) != daemon_set_words.end() &&
         (type.group == "apps" || (type.group.empty() && type.version.empty()));
}

/// Whether the word can be a namespace, which has no dots.
bool is_dns_label(std::string_view word) {
  return placement::is_label_value(word) && !word.empty() &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == word.npos;
}

/// Resources of Kubernetes that users name, by their words.
constexpr auto other_types = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"cj", "cronjobs"},
    {"cm", "configmaps"},
    {"configmap", "configmaps"},
    {"configmaps", "configmaps"},
    {"cronjob", "cronjobs"},
    {"cronjobs", "cronjobs"},
    {"deploy", "deployments"},
    {"deployment", "deployments"},
    {"deployments", "deployments"},
    {"sts", "statefulsets"},
    {"statefulset", "statefulsets"},
    {"statefulsets", "statefulsets"},
    {"rs", "replicasets"},
    {"replicaset", "replicasets"},
    {"job", "jobs"},
    {"jobs", "jobs"},
    {"namespace", "namespaces"},
    {"namespaces", "namespaces"},
    {"ns", "namespaces"},
    {"replicasets", "replicasets"},
    {"secret", "secrets"},
    {"secrets", "secrets"},
    {"service", "services"},
    {"services", "services"},
    {"svc", "services"},
});

const auto* find_other_type(std::string_view word) {
  return std::ranges::find(other_types, base::lower_case(word),
                           [](const auto& entry) { return entry.first; });
}

/// Whether the word is a type that is not a DaemonSet of apps/v1: of Kubernetes, or a custom one.
bool is_other_type(std::string_view word) {
  const std::string resource = split_type(word).resource;
  return find_other_type(word) != other_types.end() || resource.ends_with("daemonset") ||
         resource.ends_with("daemonsets");
}

base::Error wrong_type(std::string_view word, std::string_view name, const std::string& program) {
  const auto* const known = find_other_type(word);
  if (known != other_types.end()) {
    return base::usage_error(
        fmt::format("{} supports DaemonSets, not \"{}\"", program, known->second),
        {fmt::format("for a DaemonSet of namespace {} write: {} -n {}", word, name, word)});
  }
  const auto& [resource, version, group] = split_type(word);
  const bool may_be_custom = group.empty() || group.find('.') != group.npos;
  if (may_be_custom && (resource.ends_with("daemonset") || resource.ends_with("daemonsets"))) {
    return base::usage_error(
        fmt::format("\"{}\" is a custom resource: only DaemonSets of apps/v1 are supported", word));
  }
  return base::usage_error(fmt::format("the server doesn't have a resource type \"{}\"", word));
}

base::Result<ObjectName> parse_pair(std::string_view word, const std::string& program) {
  const std::size_t slash = word.find('/');
  const std::string_view type_word = word.substr(0, slash);
  const std::string_view name = word.substr(slash + 1);
  if (name.find('/') != std::string_view::npos) {
    return base::usage_error("arguments in resource/name form may not have more than one slash");
  }
  if (type_word.empty() || name.empty() || type_word.find(',') != std::string_view::npos) {
    return base::usage_error(
        "arguments in resource/name form must have a single resource and name");
  }
  if (const auto type = object_type(type_word)) return ObjectName{*type, std::string(name), true};
  if (is_other_type(type_word) || !is_dns_label(type_word)) {
    return wrong_type(type_word, name, program);
  }
  return ObjectName{ObjectType::DaemonSet, std::string(name), false, std::string(type_word)};
}

}  // namespace

base::Result<std::string> namespace_of_names(const std::vector<ObjectName>& names,
                                             const std::string& given) {
  const auto has_namespace = [](const ObjectName& name) { return !name.ns.empty(); };
  const auto first = std::ranges::find_if(names, has_namespace);
  if (first == names.end()) return std::string();
  const std::string& ns = given.empty() ? first->ns : given;
  for (const ObjectName& name : names) {
    if (name.ns == ns) continue;
    const std::string full = name.ns.empty() ? name.name : fmt::format("{}/{}", name.ns, name.name);
    return base::usage_error(fmt::format(
        "{} is not in namespace {}: one command answers for one namespace, or with -A and -l for "
        "all",
        full, ns));
  }
  return ns;
}

std::optional<ObjectType> object_type(std::string_view word) {
  constexpr std::array<std::string_view, 3> nodes = {"no", "node", "nodes"};
  constexpr std::array<std::string_view, 3> pods = {"po", "pod", "pods"};
  const std::string type = base::lower_case(word);
  if (is_daemon_set(split_type(word))) return ObjectType::DaemonSet;
  if (std::ranges::find(nodes, type) != nodes.end()) return ObjectType::Node;
  if (std::ranges::find(pods, type) != pods.end()) return ObjectType::Pod;
  return std::nullopt;
}

base::Result<std::vector<ObjectName>> parse_names(const std::vector<std::string>& arguments,
                                                  const std::string& program) {
  std::vector<ObjectName> result;
  const auto add = [&](ObjectName name) {
    if (std::ranges::find(result, name) == result.end()) result.push_back(std::move(name));
  };
  const auto has_slash = [](const std::string& word) { return word.find('/') != word.npos; };
  const auto pairs = std::ranges::count_if(arguments, has_slash);
  if (pairs != 0 && static_cast<std::size_t>(pairs) != arguments.size()) {
    return base::usage_error(
        "there is no need to specify a resource type as a separate argument when passing "
        "arguments in resource/name form");
  }
  if (pairs != 0) {
    for (const std::string& word : arguments) {
      auto name = parse_pair(word, program);
      if (!name) return name.error();
      add(std::move(*name));
    }
    return result;
  }
  auto first = arguments.begin();
  ObjectType type = ObjectType::DaemonSet;
  bool typed = false;
  if (first != arguments.end()) {
    if (const auto named = object_type(*first)) {
      type = *named;
      typed = true;
      ++first;
      if (type != ObjectType::DaemonSet && first == arguments.end()) {
        const std::string_view word = type == ObjectType::Node ? "node" : "pod";
        return base::usage_error(fmt::format("the {0} name is missing: use {0}/NAME", word));
      }
    }
  }
  for (; first != arguments.end(); ++first) {
    if (first->empty()) return base::usage_error("a name must not be empty");
    add({type, *first, typed});
  }
  return result;
}

}  // namespace dsdoctor::cmd
