#pragma once

#include <vector>

#include "model/cluster.h"

namespace dsdoctor::decode {

/// Sorts every list by (namespace, name) and leaves one of each object: the newest resourceVersion,
/// of equally new ones the last.
void sort_unique(model::Cluster& cluster);

/// Adds the objects of `more`; what `into` knows of kinds, version and completeness stays.
void merge(model::Cluster& into, std::vector<model::Cluster> more);

}  // namespace dsdoctor::decode
