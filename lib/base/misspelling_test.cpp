// SPDX-License-Identifier: Apache-2.0
#include "base/misspelling.h"

#include <catch2/catch.hpp>
#include <utility>

using dsdoctor::base::is_misspelling;

TEST_CASE("a misspelling is one edit in a word that is not another word", "[base]") {
  for (const auto& [typed, meant] : {
           std::pair("spott", "spot"),
           std::pair("z11", "z1"),
           std::pair("monitorng", "monitoring"),
           std::pair("ingrses", "ingress"),
           std::pair("pol=spot", "pool=spot"),
           std::pair("databse", "database"),
           std::pair("gateeway", "gateway"),
           std::pair("loggimg", "logging"),
           std::pair("wroker", "worker"),
           std::pair("gpu-tesls-a100", "gpu-tesla-a100"),
       }) {
    CAPTURE(typed, meant);
    CHECK(is_misspelling(typed, meant));
  }
}

TEST_CASE("different values are not misspellings of each other", "[base]") {
  for (const auto& [typed, meant] : {
           std::pair("gpu", "cpu"),
           std::pair("1c", "1a"),
           std::pair("us-east-1c", "us-east-1a"),
           std::pair("arm64", "amd64"),
           std::pair("v1", "v2"),
           std::pair("dev", "prod"),
           std::pair("pool-12", "pool-13"),
           std::pair("pool-1", "pool-12"),
           std::pair("europe-west1-b", "europe-west1-c"),
           std::pair("aa", "a"),
           std::pair("east", "west"),
           std::pair("data", "date"),
           std::pair("test", "text"),
           std::pair("workers", "worker"),
           std::pair("m5.large", "m6.large"),
           std::pair("blue", "green"),
           std::pair("cat", "bat"),
           std::pair("spot", "spot"),
           std::pair("zone-a", "zone-b"),
           std::pair("stage", "staged"),
       }) {
    CAPTURE(typed, meant);
    CHECK_FALSE(is_misspelling(typed, meant));
    CHECK_FALSE(is_misspelling(meant, typed));
  }
}
