// SPDX-License-Identifier: Apache-2.0
#include "source/name_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/client/api_documents.h"
#include "kube/http/curl_transport.h"
#include "kube/http/headers.h"
#include "source/api_reads.h"

namespace dsdoctor::source {
namespace {

constexpr int max_names = 500;

kube::Connection hurried(kube::Connection connection) {
  const bool unlimited = connection.request_timeout.count() == 0;
  if (unlimited || connection.request_timeout > NameLookup::time_limit) {
    connection.request_timeout = NameLookup::time_limit;
  }
  connection.exec_time_limit = NameLookup::time_limit;
  return connection;
}

}  // namespace

std::vector<std::string> taint_words(const model::Node& node) {
  std::vector<std::string> words;
  words.reserve(node.taints.size());
  for (const model::Taint& taint : node.taints) {
    words.push_back(fmt::format("{}:{}", taint.key.view(), taint.effect.view()));
  }
  return words;
}

NameLookup::NameLookup(kube::Connection connection, kube::Environment environment,
                       const kube::Clock& clock, const std::string& program_version)
    : connection_(hurried(std::move(connection))),
      transport_(std::make_unique<kube::CurlTransport>(
          connection_, kube::user_agent(program_version), kube::Trace())),
      credentials_(connection_, std::move(environment), clock),
      client_(connection_, *transport_, credentials_, clock) {}

NameLookup::~NameLookup() = default;

std::vector<std::string> NameLookup::read(const std::string& path, const std::string& resource) {
  std::vector<std::string> names;
  const auto page = kube::read_names(client_, {path, resource, max_names});
  failed_ = failed_ || !page;
  if (!page) return names;
  for (const auto& [ns, name] : page->names) names.push_back(name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> NameLookup::daemon_sets(const std::string& ns) {
  return read(collection_path(apps_group, ns, "daemonsets"), "daemonsets.apps");
}

std::vector<std::string> NameLookup::nodes() {
  return read(collection_path(core_group, "", "nodes"), "nodes");
}

std::vector<std::string> NameLookup::pods(const std::string& ns) {
  return read(collection_path(core_group, ns, "pods"), "pods");
}

std::vector<std::string> NameLookup::taints(const std::string& node) {
  const std::string path = collection_path(core_group, "", "nodes");
  const kube::ListAnswer answer = get_object(client_, path + "/" + kube::encode_segment(node),
                                             "nodes " + node, decode::Kind::Node);
  failed_ = failed_ || answer.failure;
  return answer.cluster.nodes.empty() ? std::vector<std::string>()
                                      : taint_words(answer.cluster.nodes.front());
}

std::vector<std::string> NameLookup::namespaces() {
  return read(collection_path(core_group, "", "namespaces"), "namespaces");
}

}  // namespace dsdoctor::source
