// SPDX-License-Identifier: Apache-2.0
#include "scheduling/synthetic_pod.h"

#include <catch2/catch.hpp>

#include "scheduling/host_ports.h"
#include "scheduling/pod_requests.h"
#include "scheduling/preemption.h"

using namespace dsdoctor;
using namespace dsdoctor::scheduling;

namespace {

model::DaemonSet daemon_set() {
  model::DaemonSet ds;
  ds.meta.ns = "x";
  ds.meta.name = "agent";
  ds.pod_template.labels = {{"app", "agent"}};
  ds.pod_template.spec.containers.resize(1);
  ds.pod_template.spec.containers[0].name = "a";
  return ds;
}

std::string request(const model::Pod& pod, const char* resource) {
  const auto amounts = pod_requests(pod, CountedBy::Spec).amounts;
  const auto found = amounts.find(resource);
  return found == amounts.end() ? "none" : to_string(found->second);
}

}  // namespace

TEST_CASE("a synthetic pod is like the one that the API server would store", "[synthetic]") {
  model::DaemonSet ds = daemon_set();
  auto& container = ds.pod_template.spec.containers[0];
  SECTION("it has affinity to its node and the automatic tolerations") {
    const model::Pod pod = synthetic_pod(ds, "n1", {});
    CHECK(pod.node_affinity->terms[0].match_fields[0].values[0] == "n1");
    CHECK(pod.tolerations->size() == 6);
    CHECK(pod.meta.labels == ds.pod_template.labels);
    CHECK(priority_of(pod) == 0);
  }
  SECTION("a limit is the default of a request") {
    container.limits = {{"cpu", "2"}, {"memory", "1Gi"}};
    container.requests = {{"cpu", "1"}};
    const model::Pod pod = synthetic_pod(ds, "n1", {});
    CHECK(request(pod, "cpu") == "1");
    CHECK(request(pod, "memory") == "1Gi");
  }
  SECTION("limit ranges fill missing requests") {
    model::LimitRange range;
    range.limits = {
        {"Pod", {}, {}, {{"cpu", "9"}}, {}, {}},
        {"Container", {}, {}, {{"cpu", "500m"}, {"memory", "64Mi"}}, {{"cpu", "100m"}}, {}}};
    const model::Pod pod = synthetic_pod(ds, "n1", {{&range}, nullptr, {}});
    CHECK(request(pod, "cpu") == "100m");
    CHECK(request(pod, "memory") == "64Mi");
  }
  SECTION("pod-level limits are defaults of pod-level requests") {
    container.requests = {{"cpu", "1"}};
    ds.pod_template.spec.limits = model::Labels{{"cpu", "4"}, {"memory", "2Gi"}};
    const model::Pod pod = synthetic_pod(ds, "n1", {});
    CHECK(request(pod, "cpu") == "1");
    CHECK(request(pod, "memory") == "2Gi");
  }
  SECTION("with hostNetwork every container port is a host port") {
    container.ports = {{9100, 0, "", ""}, {9200, 9201, "UDP", ""}};
    CHECK(host_ports(synthetic_pod(ds, "n1", {})).size() == 1);
    ds.pod_template.host_network = true;
    const auto ports = host_ports(synthetic_pod(ds, "n1", {}));
    CHECK(ports == std::vector<HostPort>{{"0.0.0.0", "TCP", 9100}, {"0.0.0.0", "UDP", 9201}});
  }
  SECTION("a runtime class adds overhead and node selector and tolerations") {
    model::RuntimeClass runtime;
    runtime.overhead = {{"cpu", "250m"}};
    runtime.node_selector = {{"runtime", "kata"}};
    runtime.tolerations = {{"kata", "Exists", "", ""}};
    const model::Pod pod = synthetic_pod(ds, "n1", {{}, &runtime, {}});
    CHECK(request(pod, "cpu") == "250m");
    CHECK(pod.node_selector == runtime.node_selector);
    CHECK(pod.tolerations->size() == 7);
  }
}

TEST_CASE("a synthetic pod has the priority that admission would set", "[synthetic]") {
  model::DaemonSet ds = daemon_set();
  model::PriorityClass high{{}, 1000, false, "Never"};
  high.meta.name = "high";
  model::PriorityClass standard{{}, 10, true, ""};
  standard.meta.name = "standard";
  const Admission admission{{}, nullptr, {&high, &standard}};
  CHECK(priority_of(synthetic_pod(ds, "n1", admission)) == 10);
  ds.pod_template.spec.priority_class = "high";
  CHECK(priority_of(synthetic_pod(ds, "n1", admission)) == 1000);
  CHECK(synthetic_pod(ds, "n1", admission).spec->preemption_policy == "Never");
  ds.pod_template.spec.priority_class = "system-node-critical";
  CHECK(priority_of(synthetic_pod(ds, "n1", admission)) == 2'000'001'000);
  ds.pod_template.spec.priority_class = "system-cluster-critical";
  CHECK(priority_of(synthetic_pod(ds, "n1", {})) == 2'000'000'000);
}
