// SPDX-License-Identifier: Apache-2.0
#include "decode/catalogue/finding_role.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace dsdoctor::decode {
namespace {

using nlohmann::json;

constexpr std::string_view verdicts[] = {"missing",  "failed",  "duplicate", "misscheduled",
                                         "removing", "pending", "not-ready", "terminating",
                                         "excluded", "running", "unknown"};
constexpr std::string_view all_stopped[] = {"creation"};
constexpr std::string_view all_summed_up[] = {"nodes", "rollout", "new-pods"};
constexpr std::string_view ways_in_what_if[] = {"kept",      "judged-again", "reworded",
                                                "by-counts", "by-missing",   "of-today"};
constexpr std::string_view topics[] = {"leaving",          "volume",  "room",       "template",
                                       "operating-system", "silence", "young-node", "rollout",
                                       "obstacle",         "ahead"};
constexpr std::string_view bases[] = {"confirmed", "recomputed", "reported", "predicted",
                                      "suspected"};
constexpr std::string_view readings[] = {"events",
                                         "leases",
                                         "admission",
                                         "claims",
                                         "device-classes",
                                         "device-taints",
                                         "nominated-pods",
                                         "pods-of-node",
                                         "disruption-budgets",
                                         "node-events",
                                         "node-managers",
                                         "pods-of-leaving-node",
                                         "node-leases",
                                         "startup-agents",
                                         "pods-of-overdue-node",
                                         "pods-holding-ports",
                                         "pod-groups"};
constexpr std::string_view stage_keys[] = {"stage", "explains", "informs"};

/// `reads` is a list, valid for the verdicts that the finding explains, or maps data to verdicts.
std::vector<WrittenNeed> reads_of(KeyReader& keys, const Path& path, const json& object) {
  std::vector<WrittenNeed> result;
  if (!object.is_object() || !object.contains("reads")) return result;
  const json& reads = object["reads"];
  if (!reads.is_object()) {
    for (std::string& word : keys.words_of(path, object, "reads", readings)) {
      result.push_back({std::move(word), {}});
    }
    return result;
  }
  const Path here = below(path, "reads");
  keys.only(here, reads, readings);
  for (const auto& [reading, of] : reads.items()) {
    result.push_back({reading, keys.words_of(here, reads, reading, verdicts)});
  }
  return result;
}

}  // namespace

WrittenRole role_of(KeyReader& keys, const Path& path, const json& entry, const json& family,
                    std::vector<Reference>& references) {
  // The mapping that has the key: the entry, else the family.
  struct Place {
    const json& object;
    Path path;
  };
  const auto place_of = [&](std::string_view key) -> Place {
    if (entry.is_object() && entry.contains(key)) return {entry, path};
    return {family, {}};
  };
  const auto optional_word = [&](std::string_view key, WordList words) {
    const Place place = place_of(key);
    return keys.optional_word_of(place.path, place.object, key, words);
  };
  const auto words = [&](std::string_view key, WordList of) {
    const Place place = place_of(key);
    return keys.words_of(place.path, place.object, key, of);
  };
  const auto ids = [&](std::string_view key) {
    const Place place = place_of(key);
    std::vector<std::string> result = keys.texts_of(place.path, place.object, key);
    for (const std::string& id : result) references.push_back({below(place.path, key), id});
    return result;
  };
  WrittenRole role;
  const Place stage = place_of("stage");
  role.stage = keys.text_of(stage.path, stage.object, "stage", false);
  if (role.stage.empty())
    keys.complain(path, "stage is missing; a finding that is never a cause has the stage \"none\"");
  references.push_back({below(stage.path, "stage"), role.stage, true});
  role.explains = words("explains", verdicts);
  role.umbrella = keys.flag_of(path, entry, "umbrella", false);
  role.implies = ids("implies");
  role.cause_of = ids("cause-of");
  role.outranks = ids("outranks");
  role.stops = optional_word("stops", all_stopped);
  role.sums_up = optional_word("sums-up", all_summed_up);
  role.in_what_if = optional_word("in-what-if", ways_in_what_if);
  role.about = words("about", topics);
  role.quiet = keys.flag_of(path, entry, "quiet", true);
  role.basis = optional_word("basis", bases);
  role.pod_reasons = keys.texts_of(path, entry, "pod-reasons");
  const Place reads = place_of("reads");
  role.reads = reads_of(keys, reads.path, reads.object);
  return role;
}

std::vector<WrittenStage> stages_of(KeyReader& keys, const json& document) {
  std::vector<WrittenStage> result;
  const json& stages = keys.list_of({}, document, "stages");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Path path = {"stages", std::to_string(i)};
    keys.only(path, stages[i], stage_keys);
    WrittenStage stage;
    stage.name = keys.text_of(path, stages[i], "stage", true);
    stage.explains = keys.words_of(path, stages[i], "explains", verdicts);
    if (stage.explains.empty()) keys.complain(path, "explains is missing");
    stage.informs = keys.flag_of(path, stages[i], "informs", false);
    result.push_back(std::move(stage));
  }
  return result;
}

}  // namespace dsdoctor::decode
