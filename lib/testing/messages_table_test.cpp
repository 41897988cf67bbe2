// SPDX-License-Identifier: Apache-2.0

// Compares our parsers with the texts in Kubernetes' sources: testdata/messages.tsv.

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "base/text.h"
#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/role.h"
#include "diagnosis/causes/pending/pending_case.h"
#include "diagnosis/report/refusal_reason.h"
#include "model/release.h"
#include "scheduling/messages.h"
#include "testing/gzip_file.h"

using namespace dsdoctor;
using scheduling::parse_scheduler_message;

namespace {

struct TextRow {
  std::string releases;
  std::string source;
  std::string finding;
  std::string text;
};

std::vector<TextRow> table_of_texts() {
  const std::string content = testing::read_file(DSDOCTOR_TESTDATA "/messages.tsv");
  std::vector<TextRow> rows;
  std::string_view rest = content;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with('#')) continue;
    TextRow row;
    for (std::string* column : {&row.releases, &row.source, &row.finding}) {
      *column = line.substr(0, line.find('\t'));
      line.remove_prefix(std::min(column->size() + 1, line.size()));
    }
    row.text = line;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The text with values in place of Go's verbs.
std::string with_values(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    if (text[++i] == '+') ++i;
    result += text[i] == 'q' ? "\"x\"" : text[i] == 'd' ? "7" : "x";
  }
  return result;
}

/// Whether the text has a list of numbers. The scheduler never counts such a text by node.
bool has_numbers(std::string_view text) {
  for (std::size_t at = text.find(", "); at != text.npos; at = text.find(", ", at + 1)) {
    if (at + 2 < text.size() && base::is_digit(text[at + 2])) return true;
  }
  return false;
}

void check_rejection(const TextRow& row) {
  const std::string text = with_values(row.text);
  const std::string after = ". preemption: 0/9 nodes are available: 9 No preemption victims found.";
  std::vector<std::string> messages = {text, "0/9 nodes are available: " + text + after};
  if (!has_numbers(text)) {
    messages.push_back("0/9 nodes are available: 1 " + text +
                       ", 8 node(s) didn't satisfy plugin(s) [NodeAffinity]" + after);
  }
  for (const std::string& message : messages) {
    CAPTURE(message);
    const auto said = parse_scheduler_message(message);
    if (row.finding == "sched-pod-group") {
      CHECK(said.reasons.empty());
      CHECK(!said.of_group.empty());
      continue;
    }
    REQUIRE(said.reasons.size() == 1);
    CHECK(to_string(diagnosis::id_of(said.reasons.front().filter)) == row.finding);
  }
}

/// Texts about preemption do not change the reasons of the filters.
void check_dropped(const TextRow& row) {
  const bool is_own = row.source.find("/dynamicresources/") != std::string::npos ||
                      row.source.find("/runtime/") != std::string::npos ||
                      row.text.find("preemption: ") != std::string::npos;
  const std::string text = with_values(row.text);
  const auto said = parse_scheduler_message("0/1 nodes are available: 1 Insufficient cpu. " +
                                            (is_own ? text : "preemption: " + text));
  REQUIRE(said.reasons.size() == 1);
  CHECK(said.reasons.front().text == "Insufficient cpu");
}

void check_text_of_scheduler(const TextRow& row) {
  if (row.finding == "not-reported") return;
  if (row.finding == "preemption") return check_dropped(row);
  if (row.finding == "other-nodes") {
    CHECK(parse_scheduler_message("0/9 nodes are available: 9 " + row.text).target_unknown);
    return;
  }
  if (row.finding == "sched-target-gone") {
    CHECK(parse_scheduler_message(row.text).target_unknown);
    return;
  }
  check_rejection(row);
}

/// Splits "REASON: MESSAGE"; a message alone has the reason of its finding.
std::pair<std::string, std::string> reason_and_message(const TextRow& row) {
  const std::size_t colon = row.text.find(": ");
  const std::string reason = row.text.substr(0, colon);
  if (reason.find(' ') == std::string::npos) {
    const std::string message = colon == std::string::npos ? "" : row.text.substr(colon + 2);
    return {reason == diagnosis::short_of ? reason + "example.com/gpu" : reason, message};
  }
  const auto entry = std::ranges::find(diagnosis::catalogue(), row.finding,
                                       [](const auto& one) { return std::string(one.id); });
  REQUIRE(entry != diagnosis::catalogue().end());
  const auto reasons = diagnosis::role_of(diagnosis::id_of(*entry)).pod_reasons;
  return {reasons.empty() ? "Evicted" : std::string(*reasons.begin()), row.text};
}

void check_text_of_kubelet(const TextRow& row) {
  if (row.finding == "not-reported") return;
  const auto [reason, message] = reason_and_message(row);
  // Every message about a pod that is rejected begins with these words.
  const auto id = diagnosis::refusal_id(reason, "Pod was rejected: " + with_values(message),
                                        diagnosis::Source::Status);
  REQUIRE(id);
  CHECK(to_string(*id) == row.finding);
}

}  // namespace

TEST_CASE("every text of Kubernetes with which a pod is rejected is recognized", "[conformance]") {
  std::set<std::string> foreign;
  std::set<std::string> releases;
  for (const TextRow& row : table_of_texts()) {
    CAPTURE(row.releases, row.source, row.text);
    releases.insert(row.releases.substr(row.releases.rfind(' ') + 1));
    if (row.finding == "scheduler-disagrees") foreign.insert(row.text);
    if (row.source.starts_with("pkg/kubelet/")) {
      check_text_of_kubelet(row);
    } else {
      check_text_of_scheduler(row);
    }
  }
  CHECK(releases.contains(to_string(model::newest_known_release)));
  // Plugins that are not part of Kubernetes: those of Kubernetes never say this of a daemon pod.
  CHECK(foreign == std::set<std::string>{"node(s) didn't satisfy plugin %v",
                                         "node(s) didn't satisfy plugin(s) %v simultaneously",
                                         "rejected due to timeout after waiting %v at plugin %v"});
}

TEST_CASE("errors that the scheduler quotes are recognized", "[conformance]") {
  struct Case {
    const char* text;
    const char* finding;
  };
  // They come from client-go's listers and from helpers outside of the scheduler's packages.
  const Case row = GENERATE(values<Case>({
      {"persistentvolumeclaim \"data\" not found", "sched-claim-missing"},
      {"looking up PVC x/data: persistentvolumeclaim \"data\" not found", "sched-claim-missing"},
      {"PVC x/data was not created for pod x/a (pod is not owner)", "sched-claim-missing"},
      {"storageclass.storage.k8s.io \"fast\" not found", "sched-claim-missing"},
      {"persistentvolume \"pv-1\" not found", "sched-volume-affinity"},
      {"resourceclaim.resource.k8s.io \"gpu\" not found", "sched-resource-claim"},
      {"pod \"x/a\": ResourceClaim not created yet", "sched-resource-claim"},
      {"ResourceClaim x/gpu was not created for Pod x/a (Pod is not owner)",
       "sched-resource-claim"},
      {"invalid resource pools were encountered", "sched-resource-claim"},
      {"node(s) didn't satisfy plugin(s) [NodeAffinity VolumeBinding] simultaneously",
       "sched-volume-affinity"},
      {"rejected due to timeout after waiting 5m0s at plugin GangScheduling", "sched-pod-group"},
      {"0/2 placements are available, first placement status: minCount (5) cannot be satisfied: 2 "
       "scheduled, 2 remaining",
       "sched-pod-group"},
      {"pod group is unschedulable, minCount (5) cannot be satisfied: 2 scheduled, 2 remaining, "
       "pod group preemption: No preemption victims found for incoming preemptor",
       "sched-pod-group"},
      {"rejected due to timeout after waiting 5m0s at plugin Quotas", "scheduler-disagrees"},
      {"the licence server said no", "scheduler-disagrees"},
  }));
  CAPTURE(row.text);
  check_rejection({"", "", row.finding, row.text});
}
