#include "diagnosis/control_findings.h"

#include <catch2/catch.hpp>

#include "diagnosis/test_story.h"

using namespace dsdoctor;
using namespace dsdoctor::diagnosis;
using namespace dsdoctor::diagnosis::testing;

TEST_CASE("a scheduler that does not speak of a pod is down, unless the pod's devices are missing",
          "[diagnosis]") {
  TestStory story;
  story.nodes({"a"});
  model::Pod& pod = story.pod("a");
  TestStory::unbind(pod, "a", "");
  pod.conditions.clear();
  model::PodSpec spec;
  pod.spec = spec;
  CHECK(ids(story.ask(control_findings)) == "scheduler-down");
  spec.resource_claims = {{"gpu", "big-gpu", ""}};
  pod.spec = spec;
  CHECK(story.ask(control_findings).empty());
}
