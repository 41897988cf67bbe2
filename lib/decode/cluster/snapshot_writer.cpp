#include <fmt/format.h>

#include <algorithm>

#include "decode/cluster/snapshot.h"
#include "decode/cluster/snapshot_scope.h"
#include "decode/objects/object_json.h"

namespace dsdoctor::decode {
namespace {

/// A head has a bounded size: so many warnings are kept.
constexpr std::size_t most_warnings = 1000;

Json paths_json(const std::vector<std::string>& texts) {
  Json result = Json::array();
  for (const std::string& text : texts) result.push_back(text);
  return result;
}

Json source_json(const model::SourceInfo& source) {
  Json result = {{"kind", source.saved_from.empty() ? source.kind : source.saved_from}};
  put_text(result, "context", source.context);
  put_text(result, "server", source.server);
  put_part(result, "paths", paths_json(source.paths));
  result["readAt"] = rfc3339_text(source.read_at);
  return result;
}

Json version_json(const model::ServerVersion& version) {
  return {{"major", version.major},
          {"minor", version.minor},
          {"patch", version.patch},
          {"gitVersion", version.git_version}};
}

Json known_json(const model::Cluster& scope) {
  Json result = Json::object();
  for (const auto& [name, field] : scope_flags) result[name] = scope.*field;
  for (const auto& [name, field] : known_flags) result[name] = scope.known.*field;
  return result;
}

Json omission_json(const model::Omission& omission) {
  return {{"resource", omission.resource},
          {"namespace", omission.ns},
          {"reason", omission.reason},
          {"message", omission.message},
          {"consequence", omission.consequence}};
}

Json warning_json(const model::Warning& warning) {
  return {{"where", warning.where}, {"message", warning.what}};
}

Json warnings_json(const std::vector<model::Warning>& warnings) {
  Json result = Json::array();
  for (std::size_t i = 0; i < std::min(most_warnings, warnings.size()); ++i) {
    result.push_back(warning_json(warnings[i]));
  }
  if (warnings.size() > most_warnings) {
    result.push_back(warning_json({"snapshot", fmt::format("{} more warnings were not kept",
                                                           warnings.size() - most_warnings)}));
  }
  return result;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The document up to its objects.
std::string opening(const SnapshotHead& head) {
  Json document = {{"apiVersion", snapshot_api_version},
                   {"kind", snapshot_kind},
                   {"formatVersion", snapshot_format},
                   {"savedBy", head.saved_by},
                   {"source", source_json(head.source)}};
  if (head.scope.version) document["serverVersion"] = version_json(*head.scope.version);
  document["known"] = known_json(head.scope);
  put_texts(document, "crowdedNodes", head.scope.crowded_nodes);
  document["omissions"] = list_json(head.omissions, omission_json);
  document["warnings"] = warnings_json(head.warnings);
  std::string text = text_of(document);
  text.back() = ',';
  return text + R"("items":[)";
}

/// Writes lists of objects with commas between them.
class ItemWriter {
 public:
  explicit ItemWriter(const SnapshotSink& sink) : sink_(sink) {}

  template <typename Object>
  void add(const std::vector<Object>& objects) {
    for (const Object& object : objects) {
      if (!status_) return;
      const std::string text = text_of(to_json(object));
      status_ = sink_(first_ ? "\n" : ",\n");
      if (status_) status_ = sink_(text);
      first_ = false;
    }
  }
  [[nodiscard]] const base::Status& status() const { return status_; }

 private:
  const SnapshotSink& sink_;
  base::Status status_ = std::monostate{};
  bool first_ = true;
};

}  // namespace

base::Status write_snapshot(const SnapshotHead& head, const model::Cluster& cluster,
                            const SnapshotSink& sink) {
  if (auto status = sink(opening(head)); !status) return status;
  ItemWriter items(sink);
  items.add(cluster.nodes);
  items.add(cluster.daemon_sets);
  items.add(cluster.pods);
  items.add(cluster.revisions);
  items.add(cluster.events);
  items.add(cluster.namespaces);
  items.add(cluster.resource_quotas);
  items.add(cluster.limit_ranges);
  items.add(cluster.priority_classes);
  items.add(cluster.runtime_classes);
  items.add(cluster.service_accounts);
  items.add(cluster.claims);
  items.add(cluster.volumes);
  items.add(cluster.storage_classes);
  items.add(cluster.csi_nodes);
  items.add(cluster.leases);
  items.add(cluster.cluster_roles);
  items.add(cluster.cluster_role_bindings);
  if (!items.status()) return items.status();
  return sink("\n]}\n");
}

}  // namespace dsdoctor::decode
