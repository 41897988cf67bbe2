#include "render/words/alert_words.h"

#include <catch2/catch.hpp>

#include "render/data/json_parts.h"

using namespace dsdoctor;
using namespace dsdoctor::render;
using diagnosis::Alert;
using diagnosis::Clearing;

namespace {

model::Time at(int seconds) { return model::Time(std::chrono::seconds(1'700'000'000 + seconds)); }

diagnosis::AlertReport misscheduled() {
  diagnosis::AlertReport report;
  report.alert = Alert::MisScheduled;
  report.judged_at = at(0);
  report.holds = true;
  report.should_hold = true;
  report.terms = {{"numberMisscheduled", 1, "", 0, true}};
  return report;
}

}  // namespace

TEST_CASE("how long an alert's condition has held", "[render][alert]") {
  auto report = misscheduled();
  CHECK(alert_message(report) ==
        "the condition holds: numberMisscheduled is 1; the alert fires once it has held for 15 "
        "min; since when it has, no object tells");
  report.since = at(-1800);
  CHECK(alert_message(report) ==
        "the condition holds: numberMisscheduled is 1; it has for at least 30 min, so the alert "
        "fires");
  report.since = at(-60);
  CHECK(alert_message(report) ==
        "the condition holds: numberMisscheduled is 1; it has at least since 2023-11-14 22:12:20 "
        "UTC, so the alert fires by 2023-11-14 22:27:20 UTC unless it clears before");
  report.should_hold = false;
  CHECK(alert_message(report) ==
        "the condition holds: numberMisscheduled is 1; but the objects no longer say so: it clears "
        "when the controller counts again");
}

TEST_CASE("an alert's condition that does not hold", "[render][alert]") {
  auto report = misscheduled();
  report.holds = report.terms[0].holds = false;
  report.terms[0].left_value = 0;
  report.should_hold = false;
  CHECK(alert_message(report) ==
        "the condition does not hold, or no longer: numberMisscheduled is 0");
  report.should_hold = true;
  CHECK(alert_message(report) ==
        "the condition does not hold yet: numberMisscheduled is 0; it will when the controller "
        "counts again");
  report.alert = Alert::RolloutStuck;
  report.should_hold = false;
  report.terms = {{"updatedNumberScheduled", 1, "desiredNumberScheduled", 2, true}};
  report.progressed = at(-45);
  CHECK(alert_message(report) ==
        "the condition does not hold while the rollout moves: updatedNumberScheduled is 1, "
        "desiredNumberScheduled is 2, but a pod of the present template was created 45 s ago");
}

TEST_CASE("whether an alert clears by itself", "[render][alert]") {
  auto report = misscheduled();
  report.clearing = {{Clearing::NodeGone, {"n1"}, 600, true, at(300)},
                     {Clearing::NodeGone, {"n1", "n2"}, 30, false, at(-300)},
                     {Clearing::PodGone, {"n3"}, {}, true, {}},
                     {Clearing::Passing, {"n4"}, {}, true, {}},
                     {Clearing::NodeWell, {"n5", "n6"}, {}, true, {}},
                     {Clearing::Nothing, {"n7"}, {}, true, {}},
                     {Clearing::NotKnown, {"n8"}, {}, true, {}}};
  CHECK(clearing_sentences(report) ==
        std::vector<std::string>{
            "clears by itself when node n1 is gone; longest terminationGracePeriodSeconds of the "
            "pods on it is 600; about 2023-11-14 22:18:20 UTC",
            "clears by itself when nodes n1, n2 are gone; longest terminationGracePeriodSeconds of "
            "the pods that were read on them is 30; that was due at 2023-11-14 22:08:20 UTC: "
            "something holds it up",
            "clears by itself when the pod on node n3 is gone",
            "is expected to clear by itself on node n4",
            "clears when nodes n5, n6 are well again",
            "does not clear by itself on node n7",
            "whether it clears by itself on node n8 cannot be told",
        });
}

TEST_CASE("an alert as JSON", "[render][alert]") {
  auto report = misscheduled();
  report.findings = {"a", "b"};
  report.since = at(-1800);
  CHECK(alert_json(report).dump() ==
        R"({"name":"KubeDaemonSetMisScheduled","fires":true,)"
        R"("expression":"kube_daemonset_status_number_misscheduled > 0","for":"15m",)"
        R"("values":{"numberMisscheduled":1},"since":"2023-11-14T21:43:20Z","findings":["a","b"],)"
        R"("clearsByItself":null,"message":"the condition holds: numberMisscheduled is 1; it has )"
        R"(for at least 30 min, so the alert fires"})");
}
