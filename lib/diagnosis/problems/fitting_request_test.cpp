// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/problems/fitting_request.h"

#include <catch2/catch.hpp>

#include "render/words/message_text.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;

namespace {

/// The message for nodes with these amounts of free cpu, in thousandths.
std::string for_rooms(const std::vector<std::int64_t>& rooms) {
  FittingRequest request;
  for (const std::int64_t free : rooms) request.add({free, std::to_string(free) + "m"});
  const std::optional<Message> message = request.message();
  return message ? render::text_of(*message) : "";
}

}  // namespace

TEST_CASE("the request that fits is that of the node with the least room", "[problems]") {
  CHECK(for_rooms({400, 900, 500}) == "a request of at most 400m fits all 3 nodes");
  CHECK(for_rooms({300, 300}) == "a request of at most 300m fits all 2 nodes");
  CHECK(for_rooms({300}).empty());  // the node's own message has it
  CHECK(for_rooms({}).empty());
}

TEST_CASE("nodes with another obstacle do not count as fitting", "[problems]") {
  FittingRequest request;
  for (const std::int64_t free : {400, 400, 900}) request.add({free, std::to_string(free) + "m"});
  request.add_other();
  CHECK(render::text_of(*request.message()) == "a request of at most 400m fits 3 of 4 nodes");
  request.add_other();
  request.add_other();
  request.add_other();
  CHECK_FALSE(request.message());
}

TEST_CASE("a few nodes with less room are left out", "[problems]") {
  std::vector<std::int64_t> rooms(21, 1'000);
  rooms.insert(rooms.end(), {400, 450});
  CHECK(for_rooms(rooms) ==
        "a request of at most 400m fits all 23 nodes, of at most 1000m fits 21");
  SECTION("they have almost as much") {
    rooms[21] = rooms[22] = 900;
    CHECK(for_rooms(rooms) == "a request of at most 900m fits all 23 nodes");
  }
  SECTION("they have nothing") {
    rooms[21] = 0;
    CHECK(for_rooms(rooms) == "a request of at most 1000m fits 21 of 23 nodes");
  }
  SECTION("they are too many") {
    rooms.insert(rooms.end(), {400, 400});
    CHECK(for_rooms(rooms) == "a request of at most 400m fits all 25 nodes");
  }
  SECTION("nothing is free on most of them") { CHECK(for_rooms({0, 0, 0, 500}).empty()); }
}
