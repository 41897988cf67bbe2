// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"

/// Compares the inputs of two states before the states themselves.
namespace dsdoctor::diagnosis {

/// The kinds of which `first` has objects and `second` has neither an object nor a complete list:
/// "Event". In the order of a Snapshot.
[[nodiscard]] std::vector<std::string_view> kinds_only_in(const model::Cluster& first,
                                                          const model::Cluster& second);

/// The object whose UIDs show that the inputs are of two clusters: "Namespace kube-system", or
/// "Node a" if no object has the same UID in both. Absent if they may be of one cluster, in which a
/// node was perhaps created again.
[[nodiscard]] std::optional<std::string> sign_of_two_clusters(const model::Cluster& first,
                                                              const model::Cluster& second);

}  // namespace dsdoctor::diagnosis
