// SPDX-License-Identifier: Apache-2.0
#include <cfloat>  // Catch2 needs it but does not include it

#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
