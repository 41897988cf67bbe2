#pragma once

#include <string>
#include <string_view>

#include "kube/text/url.h"

namespace dsdoctor::source {

constexpr std::string_view core_group = "/api/v1";
constexpr std::string_view apps_group = "/apis/apps/v1";

/// "/apis/apps/v1/namespaces/NS/daemonsets"; without a namespace that of the whole cluster.
[[nodiscard]] inline std::string collection_path(std::string_view group, const std::string& ns,
                                                 std::string_view plural) {
  std::string path(group);
  if (!ns.empty()) path.append("/namespaces/").append(kube::encode_segment(ns));
  return path.append("/").append(plural);
}

}  // namespace dsdoctor::source
