#include "render/words/taint_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "render/words/reason_text.h"

namespace dsdoctor::render {

std::string known_clause(const model::KnownTaint& known) {
  std::string result = known.meaning.str();
  if (!result.ends_with('.')) result += '.';
  const std::string setter = short_setter(known);
  const std::string_view lasts = lifecycle_words(known.lifecycle);
  if (!setter.empty()) result += fmt::format(" Set by {}{}", setter, lasts.empty() ? "." : "; ");
  if (lasts.empty()) return result;
  if (setter.empty()) result += " It is ";
  return result + fmt::format("{}.", lasts);
}

std::string_view lifecycle_words(model::TaintLifecycle lifecycle) {
  switch (lifecycle) {
    case model::TaintLifecycle::Unknown: return "";
    case model::TaintLifecycle::Transient: return "transient";
    case model::TaintLifecycle::Leaving: return "gone with the node";
    case model::TaintLifecycle::UntilReady: return "until the node is ready";
    case model::TaintLifecycle::Maintenance: return "until the work on the node is done";
    case model::TaintLifecycle::Permanent: return "lasting";
  }
  std::abort();
}

std::string short_setter(const model::KnownTaint& known) {
  const std::string_view whole = known.set_by;
  std::string_view first = whole.substr(0, whole.find(';'));
  first = first.substr(0, first.find(", then "));
  std::string result(first.substr(0, first.find(" (")));
  if (first.size() < whole.size()) result += " and others";
  return result;
}

std::string age_text(model::Time since, model::Time now) {
  using namespace std::chrono;
  const auto seconds = std::max(std::int64_t{0}, floor<std::chrono::seconds>(now - since).count());
  constexpr std::int64_t minute = 60;
  constexpr std::int64_t hour = 60 * minute;
  constexpr std::int64_t day = 24 * hour;
  constexpr std::int64_t year = 365 * day;
  if (seconds < 2 * minute) return fmt::format("{}s", seconds);
  if (seconds < 2 * hour) return fmt::format("{}m", seconds / minute);
  if (seconds < 2 * day) return fmt::format("{}h", seconds / hour);
  if (seconds < 2 * year) return fmt::format("{}d", seconds / day);
  return fmt::format("{}y", seconds / year);
}

TaintMark mark_of(const diagnosis::TaintCell& cell, const diagnosis::TaintRow& taint) {
  switch (cell.treatment) {
    case diagnosis::Treatment::Tolerated: return TaintMark::Tolerated;
    case diagnosis::Treatment::Automatic: return TaintMark::Automatic;
    case diagnosis::Treatment::NotTolerated: break;
  }
  return taint.decides && cell.advised == model::Advised::Yes ? TaintMark::Wanted : TaintMark::Not;
}

std::string_view meaning(TaintMark mark) {
  switch (mark) {
    case TaintMark::Tolerated: return "tolerated";
    case TaintMark::Automatic: return "by the controller's own toleration";
    case TaintMark::Not: return "not tolerated";
    case TaintMark::Wanted: return "not tolerated, though such DaemonSets usually do";
  }
  return "";
}

std::string taint_title(const diagnosis::TaintRow& row) {
  if (!row.value_varies) return to_string(row.taint);
  return fmt::format("{}:{} (its value varies)", row.taint.key.view(), row.taint.effect.view());
}

}  // namespace dsdoctor::render
