#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace dsdoctor::redaction {

/// What texts name, be it read as an object or not.
struct Mentions {
  std::set<std::string> images;
  std::set<std::string> namespaces;
  std::set<std::string> nodes;    // as users: system:node:NAME
  std::set<std::string> objects;  // of all other kinds
  std::set<std::string> servers;  // hosts of URLs, and those that were looked up
  std::set<std::string> users;
  std::set<std::string> webhooks;
};

/// Of every message of the cluster, and of what was said of reading it.
[[nodiscard]] Mentions mentions_in(const model::Cluster& cluster,
                                   const std::vector<model::Omission>& omissions,
                                   const std::vector<model::Warning>& warnings);
[[nodiscard]] Mentions mentions_in(std::string_view text);

/// "Node/gpu-1 spec.taints[0]" of "nodes.yaml Node/gpu-1 spec.taints[0]"; empty where a warning is
/// about no object that has a name.
[[nodiscard]] std::string_view object_in(std::string_view where);

}  // namespace dsdoctor::redaction
