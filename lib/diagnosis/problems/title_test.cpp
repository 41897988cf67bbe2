#include "diagnosis/problems/title.h"

#include <catch2/catch.hpp>

using dsdoctor::diagnosis::SharedTitle;

namespace {

std::string shared(std::initializer_list<const char*> messages) {
  SharedTitle title;
  for (const char* message : messages) title.add(message);
  return title.text();
}

}  // namespace

TEST_CASE("a title keeps what all messages begin with", "[problems]") {
  CHECK(shared({"CrashLoopBackOff: container agent exits with code 1 after 3s (9 restarts)",
                "CrashLoopBackOff: container agent exits with code 1 after 12s (4 restarts)"}) ==
        "CrashLoopBackOff: container agent exits with code 1");
  CHECK(shared({"Insufficient cpu: requested 7 cpu, free 6.9 of 8",
                "Insufficient cpu: requested 7 cpu, free 6.1 of 8"}) ==
        "Insufficient cpu: requested 7 cpu");
  CHECK(shared({"the autoscaler removes the node", "the autoscaler removes the node; overdue"}) ==
        "the autoscaler removes the node");
}

TEST_CASE("a title ends where a clause does", "[problems]") {
  CHECK(shared({"the pod is held (marked at 10:00)", "the pod is held (marked at 11:00)"}) ==
        "the pod is held");
  CHECK(shared({"the agent ends: it said \"a, b\"", "the agent ends: it said \"a, c\""}) ==
        "the agent ends: it said");
  CHECK(shared({"the pod (agent) is held by x", "the pod (agent) is held by y"}) ==
        "the pod (agent) is held");
  CHECK(shared({"the agent says \"a, b\" after 3s", "the agent says \"a, b\" after 12s"}) ==
        "the agent says \"a, b\"");
}

TEST_CASE("a title does not end with a word that announces what differs", "[problems]") {
  CHECK(shared({"Insufficient cpu: requested 1 cpu, free 0 of 8; largest: a/x 7, a/y 1",
                "Insufficient cpu: requested 1 cpu, free 0 of 8; largest: a/z 8"}) ==
        "Insufficient cpu: requested 1 cpu, free 0 of 8");
  CHECK(shared({"Too many pods: a runs 5 pods; most: x",
                "Too many pods: a runs 5 pods; most: y"}) == "Too many pods: a runs 5 pods");
  CHECK(shared({"Unhealthy: the probe fails; it runs since 10:00",
                "Unhealthy: the probe fails; it runs since 11:00"}) ==
        "Unhealthy: the probe fails");
  CHECK(shared({"Evicted: The node was low on memory. Threshold quantity: 9, available: 1",
                "Evicted: The node was low on memory. Threshold quantity: 9, available: 2"}) ==
        "Evicted: The node was low on memory");
  CHECK(shared({"FailedSandBox: the plugin fails: failed to a",
                "FailedSandBox: the plugin fails: failed to b"}) ==
        "FailedSandBox: the plugin fails");
  CHECK(shared({"FailedSandBox: the plugin fails: broken",
                "FailedSandBox: the plugin fails: broken; x"}) ==
        "FailedSandBox: the plugin fails: broken");
  // a clause that says something stays, and so does what all is about
  CHECK(shared({"Insufficient cpu: requested 1 cpu; used by a on 3 nodes",
                "Insufficient cpu: requested 1 cpu; used by a on 4 nodes"}) ==
        "Insufficient cpu: requested 1 cpu; used by a");
  CHECK(shared({"it is refused; webhook: policy a says no: 1 pod",
                "it is refused; webhook: policy a says no: 2 pods"}) ==
        "it is refused; webhook: policy a says no");
}

TEST_CASE("too little in common is no title", "[problems]") {
  CHECK(shared({"NotReady since 10:00: disk", "NotReady since 11:00: disk"}).empty());
  CHECK(shared({"Pulling: image a", "Pulling: image b"}).empty());
  CHECK(shared({"it said so; a", "it said so; b"}) == "it said so");    // three words are enough
  CHECK(shared({"the pod is held: a", "the pod is held: b"}).empty());  // no detail is shared
  CHECK(shared({"first", "second"}).empty());
  CHECK(shared({}).empty());
}
