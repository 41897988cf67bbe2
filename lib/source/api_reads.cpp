#include "source/api_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "decode/cluster_builder.h"

namespace dsdoctor::source {
namespace {

using nlohmann::json;

std::string collection(const char* group, const std::string& ns, const char* plural) {
  if (ns.empty()) return fmt::format("{}/{}", group, plural);
  return fmt::format("{}/namespaces/{}/{}", group, kube::encode_segment(ns), plural);
}

constexpr const char* core = "/api/v1";
constexpr const char* apps = "/apis/apps/v1";

kube::Query selector_query(const std::string& selector) {
  if (selector.empty()) return {};
  return {{"labelSelector", selector}};
}

/// The digits at the start; 0 without any.
int leading_number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string text_of(const json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

/// One page of names; the token of the next one, empty on the last.
std::string take_names(const std::string& body,
                       std::vector<std::pair<std::string, std::string>>& names) {
  const auto list = json::parse(body, nullptr, false);
  if (!list.is_object()) return {};
  const auto items = list.find("items");
  if (items != list.end() && items->is_array()) {
    for (const json& item : *items) {
      if (!item.is_object() || !item.contains("metadata")) continue;
      const json& metadata = item["metadata"];
      names.emplace_back(text_of(metadata, "namespace"), text_of(metadata, "name"));
    }
  }
  return list.contains("metadata") ? text_of(list["metadata"], "continue") : "";
}

}  // namespace

std::optional<model::ServerVersion> parse_version(const std::string& body) {
  const auto document = json::parse(body, nullptr, false);
  const std::string git_version = text_of(document, "gitVersion");
  const std::string major = text_of(document, "major");
  if (git_version.empty() && major.empty()) return std::nullopt;
  model::ServerVersion version;
  version.major = leading_number(major);
  version.minor = leading_number(text_of(document, "minor"));
  version.git_version = git_version;
  const auto second_dot = git_version.find('.', git_version.find('.') + 1);
  if (second_dot != std::string::npos) {
    version.patch = leading_number(std::string_view(git_version).substr(second_dot + 1));
  }
  return version;
}

std::optional<model::ServerVersion> ApiReads::version() const {
  kube::GetRequest request;
  request.path = "/version";
  request.resource = "version";
  std::string body;
  if (client_.get_text(request, body)) return std::nullopt;
  return parse_version(body);
}

kube::ListAnswer ApiReads::nodes() const {
  return kube::read_list(
      client_, {collection(core, "", "nodes"), {}, "nodes", decode::Kind::Node, page_size_});
}

kube::ListAnswer ApiReads::pods(const std::string& ns, const std::string& selector) const {
  return kube::read_list(client_, {collection(core, ns, "pods"), selector_query(selector), "pods",
                                   decode::Kind::Pod, page_size_});
}

kube::ListAnswer ApiReads::revisions(const std::string& ns, const std::string& selector) const {
  return kube::read_list(
      client_, {collection(apps, ns, "controllerrevisions"), selector_query(selector),
                "controllerrevisions.apps", decode::Kind::ControllerRevision, page_size_});
}

kube::ListAnswer ApiReads::daemon_sets(const Query& query) const {
  if (!query.names.empty() && !query.ns.empty() && query.selector.empty()) {
    return named_daemon_sets(query);
  }
  return kube::read_list(client_,
                         {collection(apps, query.ns, "daemonsets"), selector_query(query.selector),
                          "daemonsets.apps", decode::Kind::DaemonSet, page_size_});
}

kube::ListAnswer ApiReads::named_daemon_sets(const Query& query) const {
  decode::ClusterBuilder builder;
  builder.mark_seen(decode::Kind::DaemonSet);
  for (const std::string& name : query.names) {
    kube::GetRequest request;
    request.path = collection(apps, query.ns, "daemonsets") + "/" + kube::encode_segment(name);
    request.resource = "daemonsets.apps " + name;
    std::string body;
    if (auto failure = client_.get_text(request, body)) {
      if (failure->error.kind == base::ErrorKind::NotFound) continue;
      return {std::move(failure), {}, {}, {}};
    }
    if (auto failure = kube::failure_in_body(body)) return {std::move(failure), {}, {}, {}};
    const std::size_t size = body.size();
    body.append(decode::json_padding, '\0');
    const auto added = builder.add_json(std::string_view(body).substr(0, size),
                                        decode::Kind::DaemonSet, {request.path});
    if (!added) {
      kube::ApiFailure failure;
      failure.message = added.error().what;
      failure.error = added.error();
      return {std::move(failure), {}, {}, {}};
    }
  }
  kube::ListAnswer answer;
  answer.warnings = builder.take_warnings();
  answer.cluster = builder.build();
  return answer;
}

std::vector<std::pair<std::string, std::string>> ApiReads::daemon_set_names(
    const std::string& ns) const {
  constexpr int max_pages = 100;
  std::vector<std::pair<std::string, std::string>> names;
  for (const std::string& scope : {std::string(), ns}) {
    std::string token;
    for (int page = 0; page < max_pages; ++page) {
      kube::GetRequest request;
      request.path = collection(apps, scope, "daemonsets");
      request.resource = "daemonsets.apps";
      // names are all that is wanted: a tenth of the bytes
      request.accept =
          "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
      if (page_size_ > 0) request.query.emplace_back("limit", std::to_string(page_size_));
      if (!token.empty()) request.query.emplace_back("continue", token);
      std::string body;
      if (client_.get_text(request, body)) break;
      token = take_names(body, names);
      if (token.empty()) break;
    }
    if (!names.empty()) break;
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace dsdoctor::source
