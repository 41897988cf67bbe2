// SPDX-License-Identifier: Apache-2.0
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

TEST_CASE("an alert that holds has a start time and a firing time", "[render][alert]") {
  auto report = misscheduled();
  CHECK(alert_message(report) ==
        "the condition holds: numberMisscheduled is 1; start time unknown; the alert fires after "
        "15m");
  report.since = at(-1800);
  CHECK(alert_message(report) ==
        "the condition holds: numberMisscheduled is 1; for at least 30m, so the alert fires");
  report.since = at(-60);
  CHECK(alert_message(report) ==
        "the condition holds: numberMisscheduled is 1; at least since 2023-11-14 22:12:20 UTC; the "
        "alert fires by 2023-11-14 22:27:20 UTC unless the condition clears first");
  report.should_hold = false;
  CHECK(alert_message(report) ==
        "the condition holds: numberMisscheduled is 1; status is outdated: it clears when the "
        "controller updates status");
}

TEST_CASE("an alert that does not hold is worded as such", "[render][alert]") {
  auto report = misscheduled();
  report.holds = report.terms[0].holds = false;
  report.terms[0].left_value = 0;
  report.should_hold = false;
  CHECK(alert_message(report) == "the condition does not hold: numberMisscheduled is 0");
  report.should_hold = true;
  CHECK(alert_message(report) ==
        "the condition does not hold yet: numberMisscheduled is 0; it will when the controller "
        "updates status");
  report.alert = Alert::RolloutStuck;
  report.should_hold = false;
  report.terms = {{"updatedNumberScheduled", 1, "desiredNumberScheduled", 2, true}};
  report.progressed = at(-45);
  CHECK(alert_message(report) ==
        "the condition does not hold while updatedNumberScheduled changes: "
        "updatedNumberScheduled is 1, desiredNumberScheduled is 2, but a pod of the current "
        "revision was created, or the template changed, 45s ago");
}

TEST_CASE("each kind of node has a sentence about clearing", "[render][alert]") {
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
            "resolves without action when node n1 is removed; longest "
            "terminationGracePeriodSeconds of the pods on it is 600; about 2023-11-14 22:18:20 UTC",
            "resolves without action when nodes n1, n2 are removed; longest "
            "terminationGracePeriodSeconds of the pods that were read on them is 30; overdue since "
            "2023-11-14 22:08:20 UTC",
            "resolves without action when the pod on node n3 is deleted",
            "should resolve without action on node n4",
            "clears when nodes n5, n6 are Ready again",
            "needs action on node n7",
            "unknown whether it resolves without action on node n8",
        });
}

TEST_CASE("an alert is rendered as JSON", "[render][alert]") {
  auto report = misscheduled();
  report.findings = {"a", "b"};
  report.since = at(-1800);
  CHECK(alert_json(report).dump() ==
        R"({"name":"KubeDaemonSetMisScheduled","holds":true,"fires":true,)"
        R"("expression":"kube_daemonset_status_number_misscheduled > 0","for":"15m",)"
        R"("values":{"numberMisscheduled":1},"since":"2023-11-14T21:43:20Z","findings":["a","b"],)"
        R"("clearsByItself":null,"message":"the condition holds: numberMisscheduled is 1; )"
        R"(for at least 30m, so the alert fires"})");
  report.since = at(-60);
  CHECK(alert_json(report)["holds"] == true);
  CHECK(alert_json(report)["fires"].is_null());  // the condition may have held earlier
  report.not_before = at(-120);
  CHECK(alert_json(report)["fires"] == false);  // still pending
  report.since = {};
  report.not_before = {};
  CHECK(alert_json(report)["fires"].is_null());
  report.holds = false;
  CHECK(alert_json(report)["fires"] == false);
}
