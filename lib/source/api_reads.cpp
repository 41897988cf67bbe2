// SPDX-License-Identifier: Apache-2.0
#include "source/api_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/printable.h"
#include "decode/cluster/cluster_builder.h"
#include "decode/cluster/merge.h"
#include "kube/client/api_documents.h"

namespace dsdoctor::source {
namespace {

kube::Query selector_query(const std::string& selector) {
  if (selector.empty()) return {};
  return {{"labelSelector", selector}};
}

/// Why a name cannot be a path segment, in kubectl's words; empty if it can.
const char* fault_of_segment(std::string_view name) {
  if (name == ".") return "may not be '.'";
  if (name == "..") return "may not be '..'";
  if (name.find('/') != std::string_view::npos) return "may not contain '/'";
  if (name.find('%') != std::string_view::npos) return "may not contain '%'";
  return "";
}

}  // namespace

model::Omission omission_of(const kube::ApiFailure& failure, const Lack& lack,
                            const std::string& ns) {
  std::string consequence = lack.consequence;
  if (failure.error.kind == base::ErrorKind::Forbidden && *lack.permission != '\0') {
    consequence += fmt::format("; ask for RBAC permission to {}", lack.permission);
  }
  return {lack.resource, ns, failure.reason.empty() ? "Unreadable" : failure.reason,
          failure.message.empty() ? failure.error.what : failure.message, std::move(consequence)};
}

std::optional<model::ServerVersion> ApiReads::version(const std::atomic<bool>& enough) const {
  kube::GetRequest request;
  request.repeats = false;
  request.abandoned = [&enough] { return enough.load(); };
  request.path = "/version";
  request.resource = "version";
  std::string body;
  if (client_.get_text(request, body)) return std::nullopt;
  return kube::parse_version(body);
}

kube::ListAnswer ApiReads::nodes() const {
  return kube::read_list(client_, {collection_path(core_group, "", "nodes"),
                                   {},
                                   "nodes",
                                   decode::Kind::Node,
                                   page_size_,
                                   on_progress_});
}

kube::ListAnswer ApiReads::pods(const std::string& ns, const std::string& selector) const {
  return kube::read_list(client_,
                         {collection_path(core_group, ns, "pods"), selector_query(selector), "pods",
                          decode::Kind::Pod, page_size_, on_progress_});
}

kube::ListAnswer ApiReads::pods_where(const std::string& ns, const std::string& fields) const {
  return kube::read_list(client_, {collection_path(core_group, ns, "pods"),
                                   {{"fieldSelector", fields}},
                                   "pods",
                                   decode::Kind::Pod,
                                   page_size_,
                                   on_progress_});
}

kube::ListAnswer ApiReads::pods_on(const std::string& ns, const std::string& node) const {
  return pods_where(ns, "spec.nodeName=" + node);
}

kube::ListAnswer ApiReads::pods_named(const std::string& ns, const std::string& name) const {
  return pods_where(ns, "metadata.name=" + name);
}

kube::ListAnswer ApiReads::revisions(const std::string& ns) const {
  return kube::read_list(client_, {collection_path(apps_group, ns, "controllerrevisions"),
                                   {},
                                   "controllerrevisions.apps",
                                   decode::Kind::ControllerRevision,
                                   page_size_,
                                   on_progress_});
}

kube::ListAnswer ApiReads::daemon_sets(const Query& query) const {
  if (!query.names.empty() && !query.ns.empty() && query.selector.empty()) {
    return named_daemon_sets(query);
  }
  return kube::read_list(
      client_, {collection_path(apps_group, query.ns, "daemonsets"), selector_query(query.selector),
                "daemonsets.apps", decode::Kind::DaemonSet, page_size_, on_progress_});
}

kube::ListAnswer get_object(kube::Client& client, const std::string& path,
                            const kube::ResourceName& resource, decode::Kind kind) {
  kube::GetRequest request;
  request.path = path;
  request.resource = resource;
  std::string body;
  if (auto failure = client.get_text(request, body)) return {std::move(failure), {}, {}, {}};
  if (auto failure = kube::failure_in_body(body)) return {std::move(failure), {}, {}, {}};
  const std::size_t size = body.size();
  body.append(decode::json_padding, '\0');
  decode::ClusterBuilder builder;
  const auto added = builder.add_json(std::string_view(body).substr(0, size), kind, {request.path});
  if (!added) return {kube::failure_of(added.error()), {}, {}, {}};
  kube::ListAnswer answer;
  answer.warnings = builder.take_warnings();
  answer.cluster = builder.build();
  return answer;
}

kube::ListAnswer ApiReads::node(const std::string& name) const {
  const std::string path = collection_path(core_group, "", "nodes");
  return get_object(client_, path + "/" + kube::encode_segment(name), "nodes " + name,
                    decode::Kind::Node);
}

kube::ListAnswer ApiReads::named_daemon_sets(const Query& query) const {
  kube::ListAnswer result;
  std::vector<model::Cluster> found;
  for (const std::string& name : query.names) {
    if (const char* fault = fault_of_segment(name); *fault != '\0') {
      return {kube::failure_of(base::usage_error(fmt::format("invalid resource name \"{}\": [{}]",
                                                             base::printable_line(name), fault))),
              {},
              {},
              {}};
    }
    kube::ListAnswer one = get_object(
        client_,
        collection_path(apps_group, query.ns, "daemonsets") + "/" + kube::encode_segment(name),
        "daemonsets.apps " + name, decode::Kind::DaemonSet);
    if (one.failure && kube::is_absence(*one.failure, "daemonsets", name)) continue;
    if (one.failure) return one;
    std::ranges::move(one.warnings, std::back_inserter(result.warnings));
    found.push_back(std::move(one.cluster));
  }
  decode::merge(result.cluster, std::move(found));
  return result;
}

std::vector<std::pair<std::string, std::string>> ApiReads::daemon_set_names(
    const std::string& ns) const {
  constexpr int max_pages = 100;
  std::vector<std::pair<std::string, std::string>> names;
  for (const std::string& scope : {std::string(), ns}) {
    kube::NameListRequest request{collection_path(apps_group, scope, "daemonsets"),
                                  "daemonsets.apps", page_size_};
    for (int page = 0; page < max_pages; ++page) {
      auto found = kube::read_names(client_, request);
      if (!found) break;
      std::ranges::move(found->names, std::back_inserter(names));
      request.token = std::move(found->continue_token);
      if (request.token.empty()) break;
    }
    if (!names.empty()) break;
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace dsdoctor::source
