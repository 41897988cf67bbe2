#include "render/words/taint_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

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

}  // namespace dsdoctor::render
