// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "diagnosis/causes/nodes/node_findings.h"
#include "diagnosis/test_story.h"

namespace dsdoctor::diagnosis::testing {

/// The only finding of that id about node a.
inline Finding only_of_story(const TestStory& story, std::string_view id, bool asked = false) {
  const auto findings =
      story.ask_node([&](const NodeCase& c) { return node_findings(c, asked); }, "a");
  CAPTURE(ids(findings), std::string(id));
  REQUIRE(std::ranges::count(findings, id, &Finding::name) == 1);
  return *std::ranges::find(findings, id, &Finding::name);
}

}  // namespace dsdoctor::diagnosis::testing
