// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/time.h"
#include "decode/cluster/snapshot.h"
#include "decode/cluster/snapshot_scope.h"
#include "decode/json/json_fields.h"
#include "decode/objects/object_json.h"

namespace dsdoctor::decode {
namespace {

/// Maximum number of warnings, so that the head has a limited size.
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
  result["readAt"] = base::rfc3339(source.moment());
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
  if (scope.all_pods_assumed) result[all_pods_assumed_flag] = true;  // only for files
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

std::string text_of(const Json& value) {
  return base::with_hidden_escaped(value.dump(-1, ' ', false, Json::error_handler_t::replace),
                                   base::Notation::Json);
}

/// The document before its objects.
std::string opening(const SnapshotHead& head) {
  Json document = {{"apiVersion", snapshot_api_version},
                   {"kind", snapshot_kind},
                   {"formatVersion", snapshot_format},
                   {"savedBy", head.saved_by},
                   {"source", source_json(head.source)}};
  if (head.scope.version) document["serverVersion"] = version_json(*head.scope.version);
  document["known"] = known_json(head.scope);
  put_texts(document, "crowdedNodes", head.scope.crowded_nodes);
  put_texts(document, "namespacesWithoutPods", head.scope.namespaces_without_pods);
  document["omissions"] = list_json(head.omissions, omission_json);
  document["warnings"] = warnings_json(head.warnings);
  std::string text = text_of(document);
  text.back() = ',';
  return text + R"("items":[)";
}

}  // namespace

base::Status write_snapshot(const SnapshotHead& head, const model::Cluster& cluster,
                            const SnapshotSink& sink) {
  if (auto status = sink(opening(head)); !status) return status;
  std::string_view separator = "\n";
  auto written = each_object_json(cluster, [&](const Json& object) -> base::Status {
    if (auto status = sink(separator); !status) return status;
    separator = ",\n";
    return sink(text_of(object));
  });
  if (!written) return written;
  return sink("\n]}\n");
}

}  // namespace dsdoctor::decode
