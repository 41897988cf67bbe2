#include <cfloat>  // which Catch2 takes for granted

#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
