// SPDX-License-Identifier: Apache-2.0
#include "base/misspelling.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

using dsdoctor::base::is_misspelling;

namespace {

using Pairs = std::vector<std::pair<const char*, const char*>>;

}  // namespace

TEST_CASE("a misspelling is one edit in a word that is not another word", "[base]") {
  for (const auto& [typed, meant] : Pairs{{"spott", "spot"},
                                          {"z11", "z1"},
                                          {"monitorng", "monitoring"},
                                          {"ingrses", "ingress"},
                                          {"pol=spot", "pool=spot"},
                                          {"databse", "database"},
                                          {"gateeway", "gateway"},
                                          {"loggimg", "logging"},
                                          {"wroker", "worker"},
                                          {"gpu-tesls-a100", "gpu-tesla-a100"}}) {
    CAPTURE(typed, meant);
    CHECK(is_misspelling(typed, meant));
  }
}

TEST_CASE("different values are not misspellings of each other", "[base]") {
  for (const auto& [typed, meant] : Pairs{{"gpu", "cpu"},
                                          {"1c", "1a"},
                                          {"us-east-1c", "us-east-1a"},
                                          {"arm64", "amd64"},
                                          {"v1", "v2"},
                                          {"dev", "prod"},
                                          {"pool-12", "pool-13"},
                                          {"pool-1", "pool-12"},
                                          {"europe-west1-b", "europe-west1-c"},
                                          {"aa", "a"},
                                          {"east", "west"},
                                          {"data", "date"},
                                          {"test", "text"},
                                          {"workers", "worker"},
                                          {"m5.large", "m6.large"},
                                          {"blue", "green"},
                                          {"cat", "bat"},
                                          {"spot", "spot"},
                                          {"zone-a", "zone-b"},
                                          {"stage", "staged"}}) {
    CAPTURE(typed, meant);
    CHECK_FALSE(is_misspelling(typed, meant));
    CHECK_FALSE(is_misspelling(meant, typed));
  }
}
