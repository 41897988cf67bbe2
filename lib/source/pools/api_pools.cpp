// SPDX-License-Identifier: Apache-2.0
#include "source/pools/api_pools.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "decode/cluster/documents.h"
#include "decode/pools/api_group.h"

namespace dsdoctor::source {
namespace {

struct PoolResource {
  const char* group;
  const char* plural;
};

constexpr PoolResource resources[] = {
    {"karpenter.sh", "nodepools"},
    {"cluster.x-k8s.io", "machinedeployments"},
    {"cluster.x-k8s.io", "machinesets"},
    {"machine.openshift.io", "machinesets"},
};

constexpr int not_found = 404;

std::optional<kube::ApiFailure> get(kube::Client& client, std::string path,
                                    const std::string& resource, std::string& body) {
  kube::GetRequest request;
  request.path = std::move(path);
  request.resource = resource;
  return client.get_text(request, body);
}

/// Errors: those of reading the objects. The failure of a request is an omission.
base::Status read_into(kube::Client& client, const PoolResource& of,
                       std::optional<kube::ApiFailure>& failure, decode::NodeTemplates& into) {
  const std::string resource = fmt::format("{}.{}", of.plural, of.group);
  std::string body;
  failure = get(client, fmt::format("/apis/{}", of.group), resource, body);
  if (failure) return std::monostate{};
  const std::string version = decode::preferred_version(body);
  if (version.empty()) {
    return base::Error{base::ErrorKind::Malformed, fmt::format("/apis/{}", of.group),
                       "expected an APIGroup with a preferredVersion"};
  }
  body.clear();
  failure =
      get(client, fmt::format("/apis/{}/{}/{}", of.group, version, of.plural), resource, body);
  if (failure) return std::monostate{};
  decode::ClusterBuilder builder;
  builder.collect_templates(&into);
  std::vector<model::Warning> ignored;
  return decode::read_documents(std::move(body), resource, builder, ignored);
}

}  // namespace

std::vector<model::Omission> read_pools(kube::Client& client, decode::NodeTemplates& into) {
  std::vector<model::Omission> result;
  for (const PoolResource& each : resources) {
    const std::string consequence =
        fmt::format("new nodes of {} are not part of the forecast", each.plural);
    std::optional<kube::ApiFailure> failure;
    if (auto read = read_into(client, each, failure, into); !read) {
      result.push_back({each.plural, "", "Unreadable", base::to_string(read.error()), consequence});
    }
    if (!failure || failure->status == not_found) continue;
    std::string advice;
    if (failure->error.kind == base::ErrorKind::Forbidden) {
      advice = fmt::format("; ask for RBAC permission to list {}.{}", each.plural, each.group);
    }
    result.push_back({each.plural, "", failure->reason.empty() ? "Unreadable" : failure->reason,
                      failure->message.empty() ? failure->error.what : failure->message,
                      consequence + advice});
  }
  return result;
}

}  // namespace dsdoctor::source
