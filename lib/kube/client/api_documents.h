// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/client/client.h"
#include "model/cluster.h"

namespace dsdoctor::kube {

/// Parses the body of /version: `{"major": "1", "minor": "36+", "gitVersion": "v1.36.2-gke.1"}`;
/// null if it is anything else.
[[nodiscard]] std::optional<model::ServerVersion> parse_version(std::string_view body);

/// Finds the server version in a file of a dump: the answer of /version, at the top level, in
/// `info` or in `serverVersion`; or OpenShift's ClusterOperator kube-apiserver. Null for any other
/// text.
[[nodiscard]] std::optional<model::ServerVersion> noted_version(std::string_view text);

/// (namespace, name) of a list's items, and the token of its next page.
struct NamePage {
  std::vector<std::pair<std::string, std::string>> names;
  std::string continue_token;  // empty on the last page
};
/// Reads full and metadata-only lists alike. Text that is not a list has no names.
[[nodiscard]] NamePage parse_names(std::string_view body);

/// A collection of which only the names are read.
struct NameListRequest {
  std::string path;  // "/apis/apps/v1/daemonsets"
  ResourceName resource;
  int page_size = 500;     // objects; 0: all
  std::string token = {};  // for pages after the first
};

/// Reads one page, requested as metadata only: a tenth of the bytes. Null if it cannot be read.
[[nodiscard]] std::optional<NamePage> read_names(Client& client, const NameListRequest& request);

}  // namespace dsdoctor::kube
