// SPDX-License-Identifier: Apache-2.0

// Properties of all entries of the catalogue; the generator checks their form.

#include "diagnosis/catalogue/catalogue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/catalogue/test_fix.h"
#include "diagnosis/report/report.h"

using namespace dsdoctor::diagnosis;

namespace {

bool is_clean(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c != '\x7f'; });
}

std::string braced(std::string_view name) { return "{" + std::string(name) + "}"; }

finding::ContainerCrash crash_of(std::string_view container) {
  return {.a_probe_ends_it = false,
          .container = container,
          .exits = {},
          .it_has_ended = false,
          .its_hook_ends_it = false,
          .its_image_is_damaged = false,
          .reason = ""};
}

}  // namespace

TEST_CASE("every entry of the catalogue is complete", "[diagnosis][catalogue]") {
  for (const CatalogueEntry& entry : listed_entries()) {
    CAPTURE(entry.id);
    CHECK_FALSE(entry.title.ends_with('.'));
    CHECK(is_clean(entry.title));
    CHECK(is_clean(entry.detected));
    CHECK(find_listed(entry.id) == &entry);
    if (!entry.alias.empty()) CHECK(find_listed(entry.alias) == &entry);
    for (const StepPattern& pattern : entry.fix) {
      const Step step = described(pattern, braced);
      CHECK(is_clean(step.text));
      CHECK(step.text == pattern.text);
      if (step.command) CHECK_FALSE(step.command->words.empty());
    }
  }
  CHECK(find_listed("") == nullptr);
  CHECK(find_listed("no-such-finding") == nullptr);
}

TEST_CASE("the entries are in the order of FindingId", "[diagnosis][catalogue]") {
  for (std::size_t i = 0; i < catalogue().size(); ++i) {
    CHECK(entry_of(static_cast<FindingId>(i)).id == catalogue()[i].id);
  }
  CHECK(to_string(FindingId::ContainerOom) == "container-oom");
  CHECK(to_string(FindingId::RolloutSurgeRoom) == "rollout-surge-room");
}

TEST_CASE("the roles of findings contradict neither themselves nor each other",
          "[diagnosis][catalogue]") {
  std::set<std::string_view> reasons;
  for (const CatalogueEntry& entry : catalogue()) {
    CAPTURE(entry.id);
    const FindingId id = id_of(entry);
    const Role& role = role_of(id);
    CHECK((role.stage == Stage::None) == role.explains.empty());
    if (role.umbrella) CHECK(role.explains.contains(NodeVerdict::Missing));
    for (const auto& ids : {role.implies, role.cause_of, role.outranks}) {
      CHECK(std::ranges::find(ids, id) == ids.end());
      CHECK(std::set(ids.begin(), ids.end()).size() == ids.size());
    }
    for (const FindingId refusal : role.cause_of) {
      CHECK(entry_of(refusal).family == Family::Kubelet);
    }
    for (const std::string_view reason : role.pod_reasons) CHECK(reasons.insert(reason).second);
    for (const NeedFor& reading : role.reads) CHECK_FALSE(reading.verdicts.empty());
  }
}

TEST_CASE("events are needed for a node without a pod but not for a healthy one",
          "[diagnosis][catalogue]") {
  CHECK_FALSE(needs_for(NodeVerdict::Running).contains(Need::Events));
  CHECK_FALSE(needs_for(NodeVerdict::Excluded).contains(Need::Events));
  for (const NodeVerdict verdict : all_verdicts) {
    const bool needs_events = is_wrong(verdict) || verdict == NodeVerdict::Terminating;
    CHECK(needs_for(verdict).contains(Need::Events) == needs_events);
  }
  CHECK(needs_for(NodeVerdict::Missing).contains(Need::Leases));
  CHECK_FALSE(needs_for(NodeVerdict::Failed).contains(Need::Leases));
  CHECK(needs_for(NodeVerdict::Pending).contains(Need::Claims));
}

TEST_CASE("the list has each family in one block sorted by id with the terms last",
          "[diagnosis][catalogue]") {
  const auto entries = listed_entries();
  std::set<Family> left;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].family == entries[i - 1].family) {
      CHECK(entries[i - 1].id < entries[i].id);
    } else {
      CHECK(left.insert(entries[i - 1].family).second);
      CHECK_FALSE(left.contains(entries[i].family));
    }
  }
  CHECK(entries.back().family == Family::Terms);
}

TEST_CASE("every verdict has an entry in the catalogue", "[diagnosis][catalogue]") {
  CHECK(std::ranges::count(listed_entries(), Family::Verdicts, &CatalogueEntry::family) ==
        std::ssize(all_verdicts));
  for (const NodeVerdict verdict : all_verdicts) {
    CAPTURE(to_string(verdict));
    const CatalogueEntry* entry = find_listed(to_string(verdict));
    REQUIRE(entry != nullptr);
    CHECK(entry->family == Family::Verdicts);
    CHECK((entry->severity == Severity::Info) == !is_wrong(verdict));
  }
}

TEST_CASE("a fix has a step if its condition holds and its names are known",
          "[diagnosis][catalogue]") {
  const CaseNames names{.ns = "x", .ds = "agent", .node = "n1", .pod = "p"};
  const auto oom = [&](bool limit, const CaseNames& of) {
    return fix_of(
        make_finding(finding::ContainerOom{.container = "a b",
                                           .its_limit_is_low = limit,
                                           .limit = "",
                                           .only_deletion_replaces_the_pod = false,
                                           .ran = std::optional<dsdoctor::base::Time::duration>(),
                                           .restarts = std::optional<std::int64_t>(),
                                           .the_node_ran_out = !limit},
                     {}, of));
  };
  CHECK(
      oom(true, names) ==
      "raise the memory limit of container a b, or reduce its memory usage: kubectl --namespace x "
      "edit daemonset agent");
  CHECK(oom(false, names) ==
        "set requests and limits for what runs on the node: kubectl describe node n1");
  CHECK(oom(false, {}).empty());
  CHECK(fix_of(make_finding(crash_of("agent"), {}, names)) ==
        "kubectl --namespace x logs p --container agent --previous");
}

TEST_CASE("a word of an answer leads to its entries", "[diagnosis][catalogue]") {
  const auto ids = [](std::string_view word) {
    std::vector<std::string_view> result;
    for (const CatalogueEntry* entry : entries_for(word)) result.push_back(entry->id);
    return result;
  };
  using Ids = std::vector<std::string_view>;
  CHECK(ids("container-crash") == Ids{"container-crash"});
  CHECK(ids("MISSCHEDULED") == Ids{"misscheduled"});  // the verdict, not its finding
  CHECK(ids("not ready") == Ids{"not-ready"});
  CHECK(ids("create-quota-exceeded=logging/compute") == Ids{"create-quota-exceeded"});
  CHECK(ids("sched-host-port=a/b#9100-tcp+none") == Ids{"sched-host-port"});
  CHECK(ids("CrashLoopBackOff") == Ids{"container-crash"});
  CHECK(ids("errimagepull") == Ids{"image-pull"});
  CHECK(ids("too many pods") == Ids{"sched-too-many-pods"});
  CHECK(ids("UnexpectedAdmissionError") == Ids{"kubelet-admission-error"});
  CHECK(ids("NodeAffinity") == Ids{"sched-node-selector", "kubelet-node-affinity"});
  CHECK(ids("FailedCreate").size() > 10);
  CHECK(ids("desiredNumberScheduled") == Ids{"eligible"});
  for (const char* term : {"placement", "eligible", "overdue", "root"}) {
    CHECK(ids(term) == Ids{term});
  }
  for (const CatalogueEntry* entry : entries_for("terms")) CHECK(entry->family == Family::Terms);
  CHECK(ids("terms").size() >= 10);
  CHECK(ids("").empty());
  CHECK(ids("=").empty());
  CHECK(ids("no-such-word").empty());
  // Every id and every word leads to its entry.
  for (const CatalogueEntry& entry : listed_entries()) {
    CAPTURE(entry.id);
    CHECK(ids(entry.id) == Ids{entry.id});
    for (const std::string_view word : entry.words) {
      CAPTURE(word);
      CHECK_FALSE(ids(word).empty());
    }
  }
}

TEST_CASE("no command has a name that the API rejects", "[diagnosis][catalogue]") {
  for (const char* name : {"--server=https://evil.example", "-x", "a\nb", "\x1b[31m", "\u009b",
                           "\u202ea", "it's", "a b", "pod/x", "a,b", "A", "$(id)"}) {
    CAPTURE(name);
    CHECK(make_finding(crash_of(name), {},
                       CaseNames{.ns = "x", .ds = "agent", .node = "n1", .pod = "p"})
              .fix.empty());
    CHECK(make_finding(crash_of("c"), {},
                       CaseNames{.ns = "x", .ds = "agent", .node = "n1", .pod = name})
              .fix.empty());
  }
}
