#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/client/client.h"
#include "model/cluster.h"

namespace dsdoctor::kube {

/// The body of /version: `{"major": "1", "minor": "36+", "gitVersion": "v1.36.2-gke.1"}`; null
/// when it is none.
[[nodiscard]] std::optional<model::ServerVersion> parse_version(std::string_view body);

/// The version in what a collector of a dump keeps: the answer of /version, as it is, in `info` or
/// in `serverVersion`; or OpenShift's ClusterOperator kube-apiserver. Null where the text is none.
[[nodiscard]] std::optional<model::ServerVersion> noted_version(std::string_view text);

/// (namespace, name) of a list's items, and the token of its next page.
struct NamePage {
  std::vector<std::pair<std::string, std::string>> names;
  std::string continue_token;  // empty on the last page
};
/// Reads full and metadata-only lists alike. What is no list has no names.
[[nodiscard]] NamePage parse_names(std::string_view body);

/// A collection of which only the names are wanted.
struct NameListRequest {
  std::string path;  // "/apis/apps/v1/daemonsets"
  ResourceName resource;
  int page_size = 500;     // objects; 0: all
  std::string token = {};  // of a page after the first
};

/// One page, asked for as metadata only: a tenth of the bytes. Null where it cannot be read.
[[nodiscard]] std::optional<NamePage> read_names(Client& client, const NameListRequest& request);

}  // namespace dsdoctor::kube
