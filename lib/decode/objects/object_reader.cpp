// SPDX-License-Identifier: Apache-2.0
#include "decode/objects/object_reader.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "decode/objects/toleration_text.h"
#include "model/annotations.h"

namespace dsdoctor::decode {
namespace {

/// Times and counts of an event in fields that the model does not have.
struct Occurrence {
  model::OptionalTime event_time;
  model::OptionalTime series_last;
  std::int64_t series_count = 0;
};

/// The name in `v1` of a field of `events.k8s.io/v1`.
std::string_view core_name(std::string_view key) {
  using Names = std::pair<std::string_view, std::string_view>;
  constexpr std::array names = {Names{"regarding", "involvedObject"},
                                Names{"note", "message"},
                                Names{"reportingController", "reportingComponent"},
                                Names{"deprecatedSource", "source"},
                                Names{"deprecatedFirstTimestamp", "firstTimestamp"},
                                Names{"deprecatedLastTimestamp", "lastTimestamp"},
                                Names{"deprecatedCount", "count"}};
  const auto at = std::ranges::find(names, key, &Names::first);
  return at == names.end() ? key : at->second;
}

void read_series(JsonReader& reader, JsonReader::Value value, Occurrence& into) {
  reader.object(value, [&](std::string_view key, JsonReader::Value field) {
    if (key == "count") into.series_count = reader.int32(field);
    if (key == "lastObservedTime") into.series_last = reader.time(field);
  });
}

/// The first time that is set. Go writes the year 1 for one that is not set.
model::OptionalTime first_set(std::initializer_list<model::OptionalTime> times) {
  constexpr model::Time unset = std::chrono::sys_days(std::chrono::year(1) / 1 / 2);
  for (const auto& time : times) {
    if (time && *time > unset) return time;
  }
  return std::nullopt;
}

}  // namespace

void read_object(JsonReader& reader, Document& doc, model::Event& into) {
  FieldReader fields(reader);
  Occurrence times;
  model::Text reporter;
  reader.document(doc, [&](std::string_view key, JsonReader::Value field) {
    const std::string_view name = core_name(key);
    if (name == "reportingComponent")
      reporter = reader.text(field);
    else if (name == "eventTime")
      times.event_time = reader.time(field);
    else if (name == "series")
      read_series(reader, field, times);
    else
      fields.read_field(name, field, into);
  });
  if (into.component.empty()) into.component = reporter;
  into.first = first_set({into.first, times.event_time, into.meta.created});
  into.last = first_set({times.series_last, into.last, times.event_time, into.meta.created});
  into.count = std::max<std::int64_t>({times.series_count, into.count, 1});
}

void settle(model::Namespace& ns) {
  if (const model::Text* text = ns.annotations.find(model::default_tolerations_annotation)) {
    ns.default_tolerations = parse_tolerations(*text);
  }
}

void settle(model::StorageClass& storage) {
  for (model::NodeSelectorTerm& term : storage.allowed_topologies) {
    for (auto& requirement : term.match_expressions) requirement.op = "In";
  }
}

}  // namespace dsdoctor::decode
