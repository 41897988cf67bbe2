// SPDX-License-Identifier: Apache-2.0
#include "scheduling/pod_requests.h"

#include <catch2/catch.hpp>

using namespace dsdoctor;
using namespace dsdoctor::scheduling;

namespace {

model::Container container(const char* name, model::Labels requests) {
  model::Container result;
  result.name = name;
  result.requests = std::move(requests);
  return result;
}

model::Container sidecar(const char* name, model::Labels requests) {
  model::Container result = container(name, std::move(requests));
  result.restart_policy = "Always";
  return result;
}

std::string sum(const model::PodSpec& spec, const char* resource = "cpu") {
  model::Pod pod;
  pod.spec = spec;
  const PodRequests requests = pod_requests(pod, CountedBy::Spec);
  const auto found = requests.amounts.find(resource);
  return found == requests.amounts.end() ? "none" : to_string(found->second);
}

}  // namespace

TEST_CASE("init containers and sidecars and overhead and pod-level requests count", "[requests]") {
  model::PodSpec spec;
  spec.containers = {container("a", {{"cpu", "100m"}}), container("b", {{"cpu", "200m"}})};
  CHECK(sum(spec) == "300m");
  CHECK(sum(spec, "memory") == "none");
  spec.init_containers = {sidecar("s", {{"cpu", "50m"}}), container("i", {{"cpu", "500m"}})};
  CHECK(sum(spec) == "550m");
  spec.overhead = {{"cpu", "250m"}, {"memory", "1Mi"}};
  CHECK(sum(spec) == "800m");
  CHECK(sum(spec, "memory") == "1Mi");  // overhead counts without a request
  spec.requests = model::Labels{{"cpu", "300m"}, {"example.com/gpu", "1"}};
  CHECK(sum(spec) == "550m");
  CHECK(sum(spec, "example.com/gpu") == "none");  // not a pod-level resource
}

TEST_CASE("the first of equal requests determines the format", "[requests]") {
  model::PodSpec spec;
  spec.containers = {container("a", {{"memory", "1Ki"}})};
  spec.init_containers = {container("i", {{"memory", "1024"}})};
  CHECK(sum(spec, "memory") == "1Ki");
  spec.init_containers = {container("i", {{"memory", "1025"}})};
  CHECK(sum(spec, "memory") == "1025");
}

TEST_CASE("a sidecar counts only for the init containers after it", "[requests]") {
  model::PodSpec spec;
  spec.containers = {container("a", {{"cpu", "100m"}})};
  spec.init_containers = {container("i", {{"cpu", "500m"}}), sidecar("s", {{"cpu", "300m"}})};
  CHECK(sum(spec) == "500m");
  spec.init_containers.push_back(container("j", {{"cpu", "250m"}}));
  CHECK(sum(spec) == "550m");
  spec.init_containers.push_back(sidecar("t", {{"cpu", "200m"}}));
  CHECK(sum(spec) == "600m");  // a + s + t
}

TEST_CASE("a resized pod counts with the resources that it has", "[requests]") {
  model::Pod pod;
  model::PodSpec spec;
  spec.containers = {container("a", {{"cpu", "200m"}})};
  spec.init_containers = {sidecar("s", {{"cpu", "10m"}}), container("i", {{"cpu", "1m"}})};
  pod.spec = spec;
  pod.statuses.resize(1);
  pod.statuses[0].name = "a";
  pod.statuses[0].requests = model::Labels{{"cpu", "400m"}};
  pod.statuses[0].allocated_resources = model::Labels{{"cpu", "300m"}};
  pod.init_statuses.resize(2);
  pod.init_statuses[0].name = "s";
  pod.init_statuses[0].requests = model::Labels{{"cpu", "20m"}};
  pod.init_statuses[1].name = "i";
  pod.init_statuses[1].requests = model::Labels{{"cpu", "9"}};  // ignored: not a sidecar
  const auto cpu = [&](CountedBy counted_by) {
    return to_string(pod_requests(pod, counted_by).amounts.at("cpu"));
  };
  CHECK(cpu(CountedBy::Spec) == "210m");
  CHECK(cpu(CountedBy::Containers) == "420m");

  SECTION("an infeasible resize of the spec is ignored") {
    spec.containers[0].requests = {{"cpu", "8"}};
    pod.spec = spec;
    CHECK(cpu(CountedBy::Containers) == "8020m");
    pod.conditions = {{"PodResizePending", "True", "Deferred", "", {}}};
    CHECK(cpu(CountedBy::Containers) == "8020m");
    pod.conditions = {{"PodResizePending", "True", "Infeasible", "", {}}};
    CHECK(cpu(CountedBy::Containers) == "420m");
  }
  SECTION("allocated resources count if the status has no requests") {
    pod.statuses[0].requests = model::Labels{};
    CHECK(cpu(CountedBy::Containers) == "320m");
  }
  SECTION("only the spec counts if the status has no resources") {
    pod.statuses[0].requests.reset();
    CHECK(cpu(CountedBy::Containers) == "220m");
  }
}

// Values of Kubernetes 1.36.3 and 1.37.2.
TEST_CASE("from 1.37 on the sums of spec and status are compared", "[requests]") {
  model::Pod pod;
  model::PodSpec spec;
  const auto status = [](const char* name, const char* requests, const char* allocated) {
    model::ContainerStatus result;
    result.name = name;
    if (*requests != '\0') result.requests = model::Labels{{"cpu", requests}};
    if (*allocated != '\0') result.allocated_resources = model::Labels{{"cpu", allocated}};
    return result;
  };
  const auto cpu = [&](CountedBy counted_by) {
    pod.spec = spec;
    return to_string(pod_requests(pod, counted_by).amounts.at("cpu"));
  };
  const auto is = [&](const char* containers, const char* whole_pod) {
    CHECK(cpu(CountedBy::Containers) == containers);
    CHECK(cpu(CountedBy::WholePod) == whole_pod);
  };

  SECTION("overhead of a running pod counts twice") {
    spec.containers = {container("a", {{"cpu", "2"}})};
    spec.overhead = {{"cpu", "500m"}};
    pod.statuses = {status("a", "2", "2")};
    is("2500m", "2500m");
    pod.resized_requests = model::Labels{{"cpu", "2500m"}};
    pod.allocated_resources = model::Labels{{"cpu", "2500m"}};
    is("2500m", "3");
    CHECK(cpu(CountedBy::Spec) == "2500m");
    pod.resized_requests = model::Labels{};  // resources without requests do not count
    is("2500m", "2500m");
  }
  SECTION("two resizes in opposite directions") {
    spec.containers = {container("a", {{"cpu", "1"}}), container("b", {{"cpu", "2"}})};
    pod.statuses = {status("a", "2", "2"), status("b", "1", "1")};
    is("4", "3");
  }
  SECTION("an init container has a status, too") {
    spec.containers = {container("a", {{"cpu", "500m"}})};
    spec.init_containers = {container("i", {{"cpu", "1"}})};
    pod.init_statuses = {status("i", "3", "3")};
    is("1", "3");
  }
  SECTION("a resize that is infeasible, without the amounts in use") {
    spec.containers = {container("a", {{"cpu", "8"}})};
    pod.statuses = {status("a", "", "1")};
    pod.conditions = {{"PodResizePending", "True", "Infeasible", "", {}}};
    is("8", "1");
    pod.statuses.clear();
    CHECK(cpu(CountedBy::Containers) == "8");
    CHECK_FALSE(pod_requests(pod, CountedBy::WholePod).amounts.contains("cpu"));
  }
  SECTION("a pod-level status may name what the spec does not") {
    spec.containers = {container("a", {{"cpu", "1"}})};
    spec.requests = model::Labels{{"cpu", "1"}};
    pod.resized_requests = model::Labels{{"cpu", "1"}, {"memory", "1Gi"}};
    is("1", "1");
    CHECK_FALSE(pod_requests(pod, CountedBy::Containers).amounts.contains("memory"));
    CHECK(pod_requests(pod, CountedBy::WholePod).amounts.contains("memory"));
    spec.requests = model::Labels{{"example.com/gpu", "1"}};  // cannot be requested by a pod
    is("1", "1");
    CHECK_FALSE(pod_requests(pod, CountedBy::WholePod).amounts.contains("memory"));
  }
}

TEST_CASE("the rule of requests by release", "[requests]") {
  CHECK(counted_by({36, 9}) == CountedBy::Containers);
  CHECK(counted_by({37, 0}) == CountedBy::WholePod);
  CHECK(counted_by({99, 0}) == CountedBy::WholePod);
}

TEST_CASE("a pod with a pod-level resize counts with the resources that it has", "[requests]") {
  model::Pod pod;
  model::PodSpec spec;
  spec.containers = {container("a", {{"cpu", "200m"}})};
  spec.requests = model::Labels{{"cpu", "300m"}};
  spec.overhead = {{"cpu", "1m"}};
  pod.spec = spec;
  pod.allocated_resources = model::Labels{{"cpu", "400m"}, {"memory", "1Gi"}};
  const auto cpu = [&](CountedBy counted_by) {
    return to_string(pod_requests(pod, counted_by).amounts.at("cpu"));
  };
  CHECK(cpu(CountedBy::Containers) == "301m");  // the kubelet has not reported the resize yet
  pod.resized_requests = model::Labels{};
  CHECK(cpu(CountedBy::Containers) == "401m");
  CHECK(cpu(CountedBy::Spec) == "301m");
  pod.resized_requests = model::Labels{{"cpu", "500m"}};
  CHECK(cpu(CountedBy::Containers) == "501m");
  CHECK_FALSE(pod_requests(pod, CountedBy::Containers).amounts.contains("memory"));

  spec.requests = model::Labels{{"cpu", "8"}};
  pod.spec = spec;
  pod.conditions = {{"PodResizePending", "True", "Infeasible", "", {}}};
  CHECK(cpu(CountedBy::Containers) == "501m");
}

TEST_CASE("invalid requests are listed and count as 0", "[requests]") {
  model::Pod pod;
  model::PodSpec spec;
  spec.containers = {container("a", {{"cpu", "garbage"}, {"memory", "1Gi"}})};
  spec.overhead = {{"cpu", "1i"}};
  pod.spec = spec;
  const PodRequests requests = pod_requests(pod, CountedBy::Spec);
  CHECK(requests.unusable ==
        std::vector<std::string>{"containers[a].requests[cpu]: garbage", "overhead[cpu]: 1i"});
  CHECK(requests.amounts.size() == 1);
}
