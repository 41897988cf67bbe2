#pragma once

#include <cstddef>
#include <cstdint>

#include "model/cluster.h"

namespace dsdoctor::testing {

struct TroubledSize {
  std::size_t nodes = 0;
  std::size_t daemon_sets = 0;
  unsigned trouble = 10;  // of a hundred pods and nodes, how many have a fault
};

/// A random cluster of which much is broken in many ways immediately: nodes that are not ready,
/// under pressure, tainted, cordoned or being removed; pods that are missing, pending, refused,
/// crashing, terminating, misscheduled or there twice; refusals of the API server. The same for a
/// seed.
[[nodiscard]] model::Cluster troubled_cluster(std::uint64_t seed, const TroubledSize& size);

/// The moment at which its questions are asked.
[[nodiscard]] model::Time troubled_now();

}  // namespace dsdoctor::testing
