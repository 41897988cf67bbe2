// SPDX-License-Identifier: Apache-2.0
#include "testing/dump_layouts.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace dsdoctor::testing {
namespace {

using Json = nlohmann::ordered_json;

struct Resource {
  std::string kind;
  std::string api_version;
  std::string ns;  // empty: cluster-scoped
  auto operator<=>(const Resource&) const = default;
};

/// "daemonsets"
std::string plural(const std::string& kind) {
  return base::lower_case(kind) + (kind.ends_with("s") ? "es" : "s");
}

/// "core" or "apps"
std::string group_of(const Resource& resource) {
  const std::size_t slash = resource.api_version.find('/');
  return slash == std::string::npos ? "core" : resource.api_version.substr(0, slash);
}

/// "core_v1_nodes"
std::string sonobuoy_name(const Resource& resource) {
  const std::string& version = resource.api_version;
  return group_of(resource) + "_" + version.substr(version.find('/') + 1) + "_" +
         plural(resource.kind);
}

Json untyped(Json object) {
  object.erase("kind");
  object.erase("apiVersion");
  return object;
}

Json typed_list(const Resource& resource, const Json& items) {
  Json list = {{"kind", resource.kind + "List"}, {"apiVersion", resource.api_version}};
  list["metadata"] = {{"resourceVersion", "1"}};
  list["items"] = Json::array();
  for (const Json& item : items) list["items"].push_back(untyped(item));
  return list;
}

std::string name_of(const Json& object) { return object["metadata"]["name"]; }

void add_cluster_info(const Resource& at, const Json& items, std::vector<TarEntry>& into) {
  const std::string folder = at.ns.empty() ? "" : at.ns + "/";
  into.push_back({"dump/" + folder + plural(at.kind) + ".json", typed_list(at, items).dump(4)});
  if (at.kind != "Pod") return;
  for (const Json& pod : items) {
    into.push_back({"dump/" + folder + name_of(pod) + "/logs.txt", "==== START logs\n{ not: json"});
  }
}

void add_must_gather(const Resource& at, const Json& items, std::vector<TarEntry>& into) {
  const std::string root = "must-gather.local/quay-io-sha256-1/";
  if (at.ns.empty()) {
    for (const Json& item : items) {
      into.push_back({root + "cluster-scoped-resources/" + group_of(at) + "/" + plural(at.kind) +
                          "/" + name_of(item) + ".yaml",
                      "---\n" + yaml_from_json(item.dump())});
    }
    return;
  }
  const std::string folder = root + "namespaces/" + at.ns + "/";
  into.push_back({folder + group_of(at) + "/" + plural(at.kind) + ".yaml",
                  "---\n" + yaml_from_json(typed_list(at, items).dump())});
  if (at.kind != "Pod") return;
  for (const Json& pod : items) {
    const std::string pod_folder = folder + "pods/" + name_of(pod) + "/";
    into.push_back({pod_folder + name_of(pod) + ".yaml", "---\n" + yaml_from_json(pod.dump())});
    into.push_back({pod_folder + "c/c/logs/current.log", "2026-11-21 {"});
    into.push_back({pod_folder + "c/c/healthz/index.json", "{not json"});
  }
}

void add_support_bundle(const Resource& at, const Json& items, std::vector<TarEntry>& into) {
  const std::string root = "support-bundle-2026/cluster-resources/";
  if (at.ns.empty()) {
    into.push_back({root + plural(at.kind) + ".json", typed_list(at, items).dump(2)});
  } else {
    into.push_back({root + plural(at.kind) + "/" + at.ns + ".json", items.dump(2)});
  }
}

void add_sonobuoy(const Resource& at, const Json& items, bool old, std::vector<TarEntry>& into) {
  const std::string folder = at.ns.empty() ? "resources/cluster/" : "resources/ns/" + at.ns + "/";
  if (!old) {
    const Json list = {{"apiVersion", "v1"}, {"items", items}, {"kind", "List"}};
    into.push_back({folder + sonobuoy_name(at) + ".json", list.dump()});
    return;
  }
  Json bare = Json::array();
  for (const Json& item : items) bare.push_back(untyped(item));
  into.push_back({folder + at.kind + "s.json", bare.dump()});
}

/// Files beside the objects.
std::vector<TarEntry> beside(DumpLayout layout) {
  switch (layout) {
    case DumpLayout::ClusterInfo: return {};
    case DumpLayout::MustGather:
      return {{"must-gather.local/event-filter.html", "<!DOCTYPE html>"},
              {"must-gather.local/timestamp", "2026-11-21"},
              {"must-gather.local/quay-io-sha256-1/version", "4.16"},
              {"must-gather.local/quay-io-sha256-1/cluster-scoped-resources/config.openshift.io/"
               "nodes.yaml",
               "apiVersion: config.openshift.io/v1\nitems:\n- metadata: {name: cluster}\n"
               "kind: NodeList\n"},
              {"must-gather.local/quay-io-sha256-1/namespaces/x/core/secrets.yaml", "{broken"},
              {"must-gather.local/quay-io-sha256-1/namespaces/x/core/configmaps.yaml", "{broken"}};
    case DumpLayout::SupportBundle:
      return {{"support-bundle-2026/version.yaml", "versionNumber: 1\n"},
              {"support-bundle-2026/analysis.json", "[{\"name\": 1}]"},
              {"support-bundle-2026/cluster-resources/pods-errors.json", "[\"forbidden\"]"},
              {"support-bundle-2026/cluster-resources/configmaps/default.json", "{broken"},
              {"support-bundle-2026/host-collectors/system/node_list.json", "{broken"}};
    case DumpLayout::Sonobuoy:
    case DumpLayout::OldSonobuoy:
      return {{"meta/config.json", "{\"Description\": \"x\"}"},
              {"meta/run.json", "not JSON"},
              {"serverversion.json", "{\"major\": \"1\"}"},
              {"plugins/e2e/sonobuoy_results.yaml", "name: e2e\nitems:\n- name: x\n"},
              {"resources/ns/default/core_v1_secrets.json", "{broken"}};
  }
  return {};
}

void append_yaml(const Json& value, const std::string& indent, std::string& into) {
  if (value.empty() && value.is_structured()) {
    into += value.is_array() ? " []\n" : " {}\n";
  } else if (value.is_object()) {
    into += "\n";
    for (const auto& [key, field] : value.items()) {
      into += indent + Json(key).dump() + ":";
      append_yaml(field, indent + "  ", into);
    }
  } else if (value.is_array()) {
    into += "\n";
    for (const Json& element : value) {
      into += indent + "-";
      append_yaml(element, indent + "  ", into);
    }
  } else {
    into += " " + value.dump() + "\n";
  }
}

}  // namespace

std::string yaml_from_json(std::string_view json) {
  std::string result;
  append_yaml(Json::parse(json), "", result);
  return result.substr(result.find_first_not_of('\n'));
}

std::vector<TarEntry> dumped(std::string_view list, DumpLayout layout) {
  std::map<Resource, Json> objects;
  const Json whole = Json::parse(list);
  for (const Json& item : whole["items"]) {
    const Json& meta = item["metadata"];
    Json& of = objects[{item["kind"], item["apiVersion"], meta.value("namespace", "")}];
    if (of.is_null()) of = Json::array();
    of.push_back(item);
  }
  std::vector<TarEntry> result = beside(layout);
  for (const auto& [at, items] : objects) {
    switch (layout) {
      case DumpLayout::ClusterInfo: add_cluster_info(at, items, result); break;
      case DumpLayout::MustGather: add_must_gather(at, items, result); break;
      case DumpLayout::SupportBundle: add_support_bundle(at, items, result); break;
      case DumpLayout::Sonobuoy: add_sonobuoy(at, items, false, result); break;
      case DumpLayout::OldSonobuoy: add_sonobuoy(at, items, true, result); break;
    }
  }
  return result;
}

}  // namespace dsdoctor::testing
