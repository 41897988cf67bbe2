#pragma once

#include <optional>
#include <string>

#include "kube/client/api_documents.h"
#include "kube/client/client.h"

namespace dsdoctor::kube {

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
