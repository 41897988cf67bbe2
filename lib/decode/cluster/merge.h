// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/cluster.h"

namespace dsdoctor::decode {

/// Sorts every list by (namespace, name) and keeps one of each object: the newest resourceVersion,
/// or the last of equally new ones.
void sort_unique(model::Cluster& cluster);

/// Adds the objects of `more`; the known kinds, version and completeness of `into` do not change.
void merge(model::Cluster& into, std::vector<model::Cluster> more);

}  // namespace dsdoctor::decode
