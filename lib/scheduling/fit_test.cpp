// SPDX-License-Identifier: Apache-2.0
#include "scheduling/fit.h"

#include <catch2/catch.hpp>
#include <limits>

#include "scheduling/pod_requests.h"

using namespace dsdoctor;
using namespace dsdoctor::scheduling;

namespace {

model::Pod pod_with(model::Labels requests) {
  model::PodSpec spec;
  spec.containers.resize(1);
  spec.containers[0].name = "app";
  spec.containers[0].requests = std::move(requests);
  model::Pod pod;
  pod.spec = spec;
  return pod;
}

model::Node node_with(model::Labels allocatable) {
  model::Node node;
  node.allocatable = std::move(allocatable);
  if (node.allocatable.find("pods") == nullptr) node.allocatable.set("pods", "110");
  return node;
}

FitResult fit(const model::Pod& pod, const model::Node& node, const std::vector<model::Pod>& others,
              const DeviceClasses& classes = {}) {
  const Fit problem(pod, node, classes, CountedBy::Containers);
  std::vector<Load> loads;
  for (const model::Pod& other : others) loads.push_back(problem.load_of(other));
  std::vector<const Load*> chosen;
  for (const Load& load : loads) chosen.push_back(&load);
  FitResult result = problem.beside(loads);
  CHECK(problem.fits_beside(chosen) == result.fits());
  std::vector<const model::Pod*> there;
  for (const model::Pod& other : others) there.push_back(&other);
  CHECK(fits_in(pod_requests(pod, CountedBy::Spec), room_of(node, there, CountedBy::Containers),
                classes) == result.fits());
  return result;
}

/// "cpu:200:100" for each shortage: resource, gap, free.
std::string shortages(const FitResult& result) {
  std::string text;
  for (const Shortage& shortage : result.shortages) {
    text += (text.empty() ? "" : " ") + shortage.demand.resource + ":" +
            std::to_string(shortage.gap()) + ":" + std::to_string(shortage.free()) +
            (shortage.never_fits() ? "!" : "");
  }
  return text;
}

}  // namespace

TEST_CASE("the number of pods is limited", "[fit]") {
  const model::Pod pod = pod_with({});
  CHECK(fit(pod, node_with({{"pods", "2"}}), {pod}).fits());
  CHECK(fit(pod, node_with({{"pods", "2"}}), {pod, pod}).too_many_pods);
  CHECK(fit(pod, node_with({{"pods", "0"}}), {}).too_many_pods);
  model::Node silent;
  CHECK(fit(pod, silent, {}).too_many_pods);
  CHECK_FALSE(Fit(pod, silent, {}, CountedBy::Containers).allowed_pods());
}

TEST_CASE("a request that exceeds the free amount of a resource is a shortage", "[fit]") {
  const model::Node node = node_with({{"cpu", "2"}, {"memory", "4Gi"}});
  const model::Pod big = pod_with({{"cpu", "1500m"}, {"memory", "3Gi"}});
  CHECK(fit(big, node, {}).fits());
  CHECK(shortages(fit(big, node, {big})) == "cpu:1000:500 memory:2147483648:1073741824");
  CHECK(shortages(fit(pod_with({{"cpu", "3"}}), node, {})) == "cpu:1000:2000!");
  CHECK(fit(pod_with({{"cpu", "500m"}}), node, {big}).fits());
  CHECK(shortages(fit(pod_with({{"cpu", "500m"}, {"memory", "2Gi"}}), node, {big})) ==
        "memory:1073741824:1073741824");
}

TEST_CASE("cpu amounts are in thousandths and other amounts in whole units", "[fit]") {
  const auto shown = [](const char* resource, Quantity::Format format) {
    Demand demand;
    demand.resource = resource;
    demand.format = format;
    return to_string(quantity_of(demand, 1536));
  };
  CHECK(shown("cpu", Quantity::Format::Decimal) == "1536m");
  CHECK(shown("memory", Quantity::Format::Decimal) == "1536");
  CHECK(shown("example.com/gpu", Quantity::Format::Binary) == "1536");
}

TEST_CASE("a resource that is not requested is never short even on an over-committed node",
          "[fit]") {
  const model::Node node = node_with({{"cpu", "1"}});
  CHECK(fit(pod_with({{"cpu", "0"}}), node, {pod_with({{"cpu", "1200m"}})}).fits());
  CHECK(fit(pod_with({}), node, {pod_with({{"cpu", "1200m"}})}).fits());
  CHECK(shortages(fit(pod_with({{"cpu", "1m"}}), node, {pod_with({{"cpu", "1200m"}})})) ==
        "cpu:201:-200");
}

TEST_CASE("only resources that the scheduler considers can be short", "[fit]") {
  const model::Node node = node_with({{"example.com/dead", "0"}});
  const auto blocks = [&](const char* name) {
    return !fit(pod_with({{name, "1"}}), node, {}).fits();
  };
  CHECK(blocks("example.com/gpu"));
  CHECK(blocks("example.com/dead"));
  CHECK(blocks("hugepages-2Mi"));
  CHECK(blocks("attachable-volumes-aws-ebs"));
  CHECK(blocks("kubernetes.io/batch-cpu"));
  CHECK_FALSE(blocks("gpu"));               // without a prefix
  CHECK_FALSE(blocks("requests.foo/bar"));  // the prefix is reserved for quotas
  CHECK_FALSE(blocks("-bad-/name"));
  CHECK_FALSE(blocks("deviceclass.resource.kubernetes.io/gpu"));  // allocated by claim
  CHECK(is_extended_resource("example.com/gpu"));
  CHECK_FALSE(is_extended_resource("hugepages-2Mi"));
}

TEST_CASE("a device class counts only if the node offers its name as a resource", "[fit]") {
  constexpr const char* name = "deviceclass.resource.kubernetes.io/gpu";
  CHECK(fit(pod_with({{name, "2"}}), node_with({{name, "2"}}), {}).fits());
  CHECK_FALSE(fit(pod_with({{name, "2"}}), node_with({{name, "1"}}), {}).fits());
  CHECK(fit(pod_with({{name, "2"}}), node_with({{name, "0"}}), {}).fits());
}

TEST_CASE("a resource that a DeviceClass provides by extendedResourceName is not short", "[fit]") {
  constexpr const char* name = "example.com/gpu";
  model::DeviceClass of_gpus;
  of_gpus.extended_resource = name;
  const model::DeviceClass of_others;
  const DeviceClasses classes = {of_others, of_gpus};
  const model::Pod pod = pod_with({{name, "2"}});
  CHECK_FALSE(fit(pod, node_with({}), {}, {of_others}).fits());
  CHECK(fit(pod, node_with({}), {}, classes).fits());
  CHECK(fit(pod, node_with({{name, "0"}}), {}, classes).fits());
  // A device plugin has precedence.
  CHECK_FALSE(fit(pod, node_with({{name, "1"}}), {}, classes).fits());
  CHECK_FALSE(fit(pod_with({{"example.com/nic", "1"}}), node_with({}), {}, classes).fits());
}

TEST_CASE("shortages are in the order of the scheduler's filter", "[fit]") {
  const model::Pod pod = pod_with({{"cpu", "1"},
                                   {"ephemeral-storage", "2"},
                                   {"example.com/b", "3"},
                                   {"example.com/a", "4"},
                                   {"memory", "5"}});
  CHECK(shortages(fit(pod, node_with({}), {})) ==
        "cpu:1000:0! memory:5:0! ephemeral-storage:2:0! example.com/a:4:0! example.com/b:3:0!");
}

TEST_CASE("rounding happens once per pod and resource", "[fit]") {
  const model::Node node = node_with({{"cpu", "1m"}, {"example.com/x", "1"}});
  CHECK(fit(pod_with({{"cpu", "100u"}}), node, {}).fits());
  CHECK(shortages(fit(pod_with({{"cpu", "100u"}}), node, {pod_with({{"cpu", "1n"}})})) ==
        "cpu:1:0");
  CHECK(fit(pod_with({{"example.com/x", "500m"}}), node, {}).fits());
}

TEST_CASE("amounts beyond int64 do not overflow", "[fit]") {
  const model::Node node = node_with({{"memory", "9Ei"}});
  const model::Pod huge = pod_with({{"memory", "8Ei"}});
  const FitResult result = fit(pod_with({{"memory", "1"}}), node, {huge, huge, huge});
  CHECK(shortages(result) == "memory:1:0");
  const model::Pod negative = pod_with({{"memory", "-9Ei"}});
  CHECK(fit(huge, node, {negative, negative}).fits());
  CHECK_FALSE(fit(huge, node_with({{"memory", "-9Ei"}}), {huge}).fits());
}

TEST_CASE("invalid quantities are listed", "[fit]") {
  const Fit problem(pod_with({{"cpu", "garbage"}}), node_with({{"memory", "1x"}}), {},
                    CountedBy::Containers);
  CHECK(problem.unusable() ==
        std::vector<std::string>{"spec.containers[app].requests[cpu]: garbage",
                                 "status.allocatable[memory]: 1x"});
  CHECK(problem.beside({}).fits());
}

TEST_CASE("overhead that the status includes already is counted twice since 1.37", "[fit]") {
  const model::Node node = node_with({{"cpu", "4"}});
  model::Pod sandboxed = pod_with({{"cpu", "2"}});
  model::PodSpec spec = *sandboxed.spec;
  spec.overhead = {{"cpu", "500m"}};
  sandboxed.spec = spec;
  const auto repeated = [&](CountedBy counted_by) {
    const Fit problem(pod_with({{"cpu", "1"}}), node, {}, counted_by);
    return problem.repeated_overhead_of(sandboxed).amounts.at(0);
  };
  CHECK(repeated(CountedBy::WholePod) == 0);  // the kubelet has not reported yet
  sandboxed.allocated_resources = {{"cpu", "2500m"}};
  sandboxed.resized_requests = model::Labels{{"cpu", "2500m"}};
  CHECK(repeated(CountedBy::WholePod) == 500);
  CHECK(repeated(CountedBy::Containers) == 0);
  sandboxed.allocated_resources = {{"cpu", "3500m"}};  // a resize that is not actuated
  CHECK(repeated(CountedBy::WholePod) == 500);
  sandboxed.allocated_resources = {{"cpu", "2"}};  // without the overhead
  sandboxed.resized_requests = model::Labels{{"cpu", "2"}};
  CHECK(repeated(CountedBy::WholePod) == 0);
}
