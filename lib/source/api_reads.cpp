#include "source/api_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "decode/cluster_builder.h"
#include "kube/api_documents.h"

namespace dsdoctor::source {
namespace {

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

}  // namespace

std::optional<model::ServerVersion> ApiReads::version() const {
  kube::GetRequest request;
  request.path = "/version";
  request.resource = "version";
  std::string body;
  if (client_.get_text(request, body)) return std::nullopt;
  return kube::parse_version(body);
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
      kube::NamePage found = kube::parse_names(body);
      std::ranges::move(found.names, std::back_inserter(names));
      token = std::move(found.continue_token);
      if (token.empty()) break;
    }
    if (!names.empty()) break;
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace dsdoctor::source
