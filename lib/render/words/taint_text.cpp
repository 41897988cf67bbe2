// SPDX-License-Identifier: Apache-2.0
#include "render/words/taint_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "base/printable.h"
#include "base/text.h"
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
    case model::TaintLifecycle::Leaving: return "removed with the node";
    case model::TaintLifecycle::UntilReady: return "until the node is ready";
    case model::TaintLifecycle::Maintenance: return "until the maintenance of the node ends";
    case model::TaintLifecycle::Permanent: return "permanent";
  }
  std::abort();
}

std::string short_setter(const model::KnownTaint& known) {
  return known.setter.empty() ? known.set_by.str() : known.setter.str();
}

TaintMark mark_of(const diagnosis::TaintCell& cell, const diagnosis::TaintRow& taint) {
  switch (cell.treatment) {
    case diagnosis::Treatment::Tolerated: return TaintMark::Tolerated;
    case diagnosis::Treatment::Automatic: return TaintMark::Automatic;
    case diagnosis::Treatment::Mixed: return TaintMark::Some;
    case diagnosis::Treatment::NotTolerated: break;
  }
  return taint.decides && cell.advised == model::Advised::Yes ? TaintMark::Advised : TaintMark::Not;
}

std::string_view meaning(TaintMark mark) {
  switch (mark) {
    case TaintMark::Tolerated: return "tolerated";
    case TaintMark::Automatic: return "tolerated by default";
    case TaintMark::Not: return "not tolerated";
    case TaintMark::Some: return "some values tolerated";
    case TaintMark::Advised: return "not tolerated, though such DaemonSets usually do";
  }
  return "";
}

std::string taint_title(const diagnosis::TaintRow& row) {
  if (!row.value_varies) return to_string(row.taint);
  return fmt::format("{}:{} (its value varies)", row.taint.key.view(), row.taint.effect.view());
}

std::string values_of(const diagnosis::TaintRow& row) {
  constexpr std::size_t shown = 2;
  std::set<std::string_view> values;
  for (const auto& node : row.nodes) values.insert(node.value);
  if (values.size() == 1 && values.begin()->empty()) return {};
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const std::string_view value : values) {
    names.push_back(value.empty() ? "\"\"" : base::printable_line(value));
  }
  return base::listed(names, shown);
}

}  // namespace dsdoctor::render
