#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/cluster.h"

namespace dsdoctor::kube {

/// The body of /version: `{"major": "1", "minor": "36+", "gitVersion": "v1.36.2-gke.1"}`; null
/// when it is none.
[[nodiscard]] std::optional<model::ServerVersion> parse_version(std::string_view body);

/// (namespace, name) of a list's items, and the token of its next page.
struct NamePage {
  std::vector<std::pair<std::string, std::string>> names;
  std::string continue_token;  // empty on the last page
};
/// Reads full and metadata-only lists alike. What is no list has no names.
[[nodiscard]] NamePage parse_names(std::string_view body);

}  // namespace dsdoctor::kube
