#include <algorithm>

#include "decode/objects/meta_fields.h"
#include "decode/objects/surroundings.h"

namespace dsdoctor::decode {
namespace {

using Value = JsonReader::Value;

void read_involved(JsonReader& reader, Value value, model::Event& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "kind")
      into.kind = reader.text(field);
    else if (key == "namespace")
      into.ns = reader.text(field);
    else if (key == "name")
      into.name = reader.text(field);
    else if (key == "uid")
      into.uid = reader.text(field);
    else if (key == "fieldPath")
      into.field_path = reader.text(field);
  });
}

/// The times and counts that the two APIs and their generations of writers have.
struct Occurrence {
  std::optional<model::Time> first;
  std::optional<model::Time> last;
  std::optional<model::Time> event_time;
  std::optional<model::Time> series_last;
  std::int64_t count = 0;
  std::int64_t series_count = 0;
};

void read_series(JsonReader& reader, Value value, Occurrence& into) {
  reader.object(value, [&](std::string_view key, Value field) {
    if (key == "count") into.series_count = reader.integer(field);
    if (key == "lastObservedTime") into.series_last = reader.time(field);
  });
}

/// Go writes the year 1 for a time that nobody set.
std::optional<model::Time> set_time(const std::optional<model::Time>& time) {
  return time && *time > model::Time(std::chrono::sys_days(std::chrono::year(1) / 1 / 2))
             ? time
             : std::nullopt;
}

std::optional<model::Time> first_of(std::initializer_list<std::optional<model::Time>> times) {
  for (const auto& time : times) {
    if (const auto usable = set_time(time)) return usable;
  }
  return std::nullopt;
}

void settle(const Occurrence& times, model::Event& into) {
  into.first = first_of({times.first, times.event_time, into.meta.created});
  into.last = first_of({times.series_last, times.last, times.event_time, into.meta.created});
  into.count = std::max<std::int64_t>({times.series_count, times.count, 1});
}

}  // namespace

void read_event(JsonReader& reader, Document& doc, model::Event& into) {
  Occurrence times;
  model::Text reporter;
  reader.document(doc, [&](std::string_view key, Value field) {
    if (key == "metadata")
      read_meta(reader, field, into.meta);
    else if (key == "involvedObject" || key == "regarding")
      read_involved(reader, field, into);
    else if (key == "type")
      into.type = reader.text(field);
    else if (key == "reason")
      into.reason = reader.text(field);
    else if (key == "message" || key == "note")
      into.message = reader.text(field);
    else if (key == "reportingComponent" || key == "reportingController")
      reporter = reader.text(field);
    else if (key == "source" || key == "deprecatedSource") {
      reader.object(field, [&](std::string_view name, Value text) {
        if (name == "component") into.component = reader.text(text);
        if (name == "host") into.host = reader.text(text);
      });
    } else if (key == "firstTimestamp" || key == "deprecatedFirstTimestamp")
      times.first = reader.time(field);
    else if (key == "lastTimestamp" || key == "deprecatedLastTimestamp")
      times.last = reader.time(field);
    else if (key == "eventTime")
      times.event_time = reader.time(field);
    else if (key == "count" || key == "deprecatedCount")
      times.count = reader.integer(field);
    else if (key == "series")
      read_series(reader, field, times);
  });
  if (into.component.empty()) into.component = reporter;
  settle(times, into);
}

}  // namespace dsdoctor::decode
