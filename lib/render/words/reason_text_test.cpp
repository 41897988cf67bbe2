// SPDX-License-Identifier: Apache-2.0
#include "render/words/reason_text.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;

TEST_CASE("omitted requirements are counted after the last one shown", "[render][reason]") {
  placement::AffinityTermMismatch reason;
  reason.requirement = model::NodeSelectorRequirement{"disk", "In", {"ssd"}};
  reason.have = "hdd";
  const auto said = [&] { return render::sentence(placement::Reason(reason)); };
  CHECK(said() == "affinity term 0 requires disk In [ssd], the node has disk=hdd");
  reason.more = 1;
  CHECK(said() ==
        "affinity term 0 requires disk In [ssd], the node has disk=hdd; 1 more requirement fails");
  reason.more = 2;
  CHECK(said().ends_with("; 2 more requirements fail"));
  reason.fault = placement::RequirementFault::IllegalKey;
  CHECK(said().ends_with("; 2 more requirements fail"));
}
