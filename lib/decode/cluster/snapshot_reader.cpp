// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "decode/cluster/snapshot.h"
#include "decode/cluster/snapshot_scope.h"
#include "decode/json/json_reader.h"

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

/// Reads fields by type; absent ones are empty. Keeps the first error.
class HeadReader {
 public:
  explicit HeadReader(std::string where) : where_(std::move(where)) {}

  const json* part(const json& object, const char* key, bool (json::*is)() const noexcept,
                   const char* expected) {
    const auto at = object.find(key);
    if (at == object.end() || at->is_null()) return nullptr;
    if (((*at).*is)()) return &*at;
    if (!error_) {
      error_ = base::Error{base::ErrorKind::Malformed, where_,
                           fmt::format("{} of the Snapshot is not {}", key, expected)};
    }
    return nullptr;
  }
  std::string text(const json& object, const char* key) {
    const json* found = part(object, key, &json::is_string, "a string");
    return found == nullptr ? std::string() : found->get<std::string>();
  }
  bool flag(const json& object, const char* key) {
    const json* found = part(object, key, &json::is_boolean, "a boolean");
    return found != nullptr && found->get<bool>();
  }
  int number(const json& object, const char* key) {
    const json* found = part(object, key, &json::is_number_integer, "an integer");
    return found == nullptr ? 0 : found->get<int>();
  }
  const json& object(const json& object, const char* key) {
    const json* found = part(object, key, &json::is_object, "an object");
    return found == nullptr ? empty_ : *found;
  }
  /// Calls `read` for each object of a list.
  template <typename Read>
  void objects(const json& object, const char* key, Read&& read) {
    const json* found = part(object, key, &json::is_array, "a list");
    if (found == nullptr) return;
    for (const json& element : *found) {
      if (element.is_object()) read(element);
    }
  }
  std::vector<std::string> texts(const json& object, const char* key) {
    std::vector<std::string> result;
    const json* found = part(object, key, &json::is_array, "a list");
    if (found == nullptr) return result;
    for (const json& element : *found) {
      if (element.is_string()) result.push_back(element.get<std::string>());
    }
    return result;
  }
  [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }

 private:
  std::string where_;
  json empty_ = json::object();
  std::optional<base::Error> error_;
};

void read_scope(const json& document, HeadReader& reader, model::Cluster& into) {
  const json& known = reader.object(document, "known");
  for (const auto& [name, field] : scope_flags) into.*field = reader.flag(known, name);
  for (const auto& [name, field] : known_flags) into.known.*field = reader.flag(known, name);
  into.all_pods_assumed = reader.flag(known, all_pods_assumed_flag);
  // Older releases did not write these, and saved only complete lists.
  if (!known.contains("daemonSets")) into.known.daemon_sets = true;
  // Older releases did not write this; most snapshots are of API servers.
  if (!known.contains("ownDaemonSetList")) {
    into.known.own_daemon_set_list = into.known.every_daemon_set;
  }
  if (!known.contains("allNodes")) into.all_nodes_known = true;
  for (const std::string& name : reader.texts(document, "crowdedNodes")) {
    into.crowded_nodes.emplace_back(name);
  }
  for (const std::string& name : reader.texts(document, "namespacesWithoutPods")) {
    into.namespaces_without_pods.emplace_back(name);
  }
  if (!document.contains("serverVersion")) return;
  const json& version = reader.object(document, "serverVersion");
  into.version =
      model::ServerVersion{reader.number(version, "major"), reader.number(version, "minor"),
                           reader.number(version, "patch"), reader.text(version, "gitVersion")};
}

}  // namespace

model::Cluster scope_of(const model::Cluster& cluster) {
  model::Cluster scope;
  set_scope(scope, cluster);
  return scope;
}

void set_scope(model::Cluster& cluster, const model::Cluster& scope) {
  for (const auto& [name, field] : scope_flags) cluster.*field = scope.*field;
  cluster.all_pods_assumed = scope.all_pods_assumed;
  cluster.known = scope.known;
  cluster.version = scope.version;
  cluster.crowded_nodes = scope.crowded_nodes;
  cluster.namespaces_without_pods = scope.namespaces_without_pods;
}

bool is_snapshot(std::string_view api_version, std::string_view kind) {
  return kind == snapshot_kind && api_version.starts_with(snapshot_group);
}

base::Status check_snapshot_version(std::string_view api_version,
                                    std::optional<std::int64_t> format, const std::string& where) {
  if (api_version == snapshot_api_version && !format) {
    return base::Error{base::ErrorKind::Malformed, where,
                       "formatVersion of the Snapshot is not an integer"};
  }
  if (api_version == snapshot_api_version && *format >= 1 && *format <= snapshot_format) {
    return std::monostate{};
  }
  const std::string found =
      format ? fmt::format("{}, formatVersion {}", api_version, *format) : std::string(api_version);
  return base::Error{
      base::ErrorKind::Malformed,
      where,
      fmt::format("a Snapshot of {}; this program reads {}, formatVersion {}", found,
                  snapshot_api_version, snapshot_format),
      {"read it with the version of kubectl-dsdoctor that saved it, or a newer one"}};
}

base::Result<SnapshotHead> read_snapshot_head(std::string_view text, const std::string& where) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) {
    return base::Error{base::ErrorKind::Malformed, where, "the Snapshot is not a JSON object"};
  }
  HeadReader reader(where);
  SnapshotHead head;
  head.saved_by = reader.text(document, "savedBy");
  const json& source = reader.object(document, "source");
  head.source.kind = reader.text(source, "kind");
  head.source.context = reader.text(source, "context");
  head.source.server = reader.text(source, "server");
  head.source.paths = reader.texts(source, "paths");
  const auto read_at = parse_rfc3339(reader.text(source, "readAt"));
  reader.objects(document, "omissions", [&](const json& omission) {
    head.omissions.push_back({reader.text(omission, "resource"), reader.text(omission, "namespace"),
                              reader.text(omission, "reason"), reader.text(omission, "message"),
                              reader.text(omission, "consequence")});
  });
  reader.objects(document, "warnings", [&](const json& warning) {
    head.warnings.push_back({reader.text(warning, "where"), reader.text(warning, "message")});
  });
  read_scope(document, reader, head.scope);
  if (head.scope.version) head.source.server_version = head.scope.version->git_version;
  if (reader.error()) return *reader.error();
  if (!read_at) {
    return base::Error{base::ErrorKind::Malformed, where,
                       "source.readAt of the Snapshot is not a time like 2006-01-02T15:04:05Z"};
  }
  head.source.read_at = *read_at;
  return head;
}

}  // namespace dsdoctor::decode
