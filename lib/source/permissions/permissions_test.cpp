// SPDX-License-Identifier: Apache-2.0
#include "source/permissions/permissions.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "base/text.h"

namespace dsdoctor::source {
namespace {

TEST_CASE("each kind of object that is read has its resource", "[permissions]") {
  std::set<decode::Kind> kinds;
  std::set<std::string_view> ended;  // groups
  const ReadResource* before = nullptr;
  for (const ReadResource& resource : read_resources()) {
    CAPTURE(resource.name);
    CHECK(kinds.insert(resource.kind).second);
    const std::string kind = base::lower_case(decode::to_string(resource.kind));
    CHECK(resource.name.starts_with(kind.substr(0, kind.size() - 1)));  // plurals differ at the end
    const std::string version =
        std::string(resource.group) + (resource.group.empty() ? "v1" : "/v1");
    CHECK(decode::kind_of(version, decode::to_string(resource.kind)) == resource.kind);
    if (before != nullptr && before->for_causes == resource.for_causes &&
        before->group != resource.group) {
      ended.insert(before->group);
      CHECK_FALSE(ended.contains(resource.group));  // a rule for each group
    }
    if (before != nullptr && before->for_causes != resource.for_causes) {
      CHECK(resource.for_causes);
      ended.clear();
    }
    before = &resource;
  }
  CHECK(kinds.size() == decode::kind_count);
}

}  // namespace
}  // namespace dsdoctor::source
