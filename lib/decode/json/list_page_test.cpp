// SPDX-License-Identifier: Apache-2.0
#include "decode/json/list_page.h"

#include <catch2/catch.hpp>
#include <string>
#include <tuple>

using namespace dsdoctor;
using decode::ListPage;
using decode::page_of;

TEST_CASE("the metadata of a list says whether more pages follow", "[decode][list_page]") {
  const auto [metadata, token, remaining, last] =
      GENERATE(table<std::string, std::string, std::int64_t, bool>({
          {R"({})", "", 0, true},
          {R"({"resourceVersion":"7","continue":"","remainingItemCount":0})", "", 0, true},
          {R"({"continue":null,"remainingItemCount":null})", "", 0, true},
          {R"({"continue":"t"})", "t", 0, false},
          {R"({"remainingItemCount":5})", "", 5, false},
          {R"({"continue":"t","remainingItemCount":5})", "t", 5, false},
          {R"({"continue":"t","continue":""})", "t", 0, false},
          {R"({"continue":"","continue":"t"})", "t", 0, false},
      }));
  CAPTURE(metadata);
  const auto page = page_of(R"({"items":[],"metadata":)" + metadata + "}", "x.json");
  REQUIRE(page);
  CHECK(page->token == token);
  CHECK(page->remaining == remaining);
  CHECK(page->is_last() == last);
}

TEST_CASE("a list without metadata is whole", "[decode][list_page]") {
  CHECK(page_of(R"({"items":[]})", "x.json")->is_last());
  CHECK(page_of(R"({"metadata":null})", "x.json")->is_last());
}

TEST_CASE("a page with unusable metadata is an error", "[decode][list_page]") {
  const auto [metadata, what] = GENERATE(table<std::string, std::string>({
      {R"({"continue":5})", "metadata.continue: expected a string"},
      {R"({"continue":{}})", "metadata.continue: expected a string"},
      {R"({"remainingItemCount":-1})",
       "metadata.remainingItemCount: expected a number of items, 0 or more"},
      {R"({"remainingItemCount":"5"})",
       "metadata.remainingItemCount: expected a number of items, 0 or more"},
  }));
  const auto page = page_of(R"({"metadata":)" + metadata + "}", "x.json");
  REQUIRE_FALSE(page);
  CHECK(page.error().where == "x.json");
  CHECK(page.error().what == what);
}
