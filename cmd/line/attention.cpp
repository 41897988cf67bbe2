// SPDX-License-Identifier: Apache-2.0
#include "line/attention.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/edit_distance.h"
#include "base/glob.h"
#include "base/text.h"
#include "diagnosis/catalogue/catalogue.h"

namespace dsdoctor::cmd {
namespace {

using diagnosis::Accepted;
using diagnosis::Severity;

/// Ids of findings that are similar to `id`; a star may match a whole family.
std::string no_finding(const std::string& id) {
  std::vector<std::string> ids;
  for (const auto& entry : diagnosis::listed_entries()) {
    if (entry.family != diagnosis::Family::Terms) ids.emplace_back(entry.id);
  }
  const auto near = base::near_words(id, ids, 1);
  const std::string what = fmt::format("no finding is called \"{}\"", id);
  if (!near.empty()) return fmt::format("{}; did you mean {}?", what, near.front());
  return what + "; \"kubectl dsdoctor findings\" lists them";
}

}  // namespace

base::Result<Accepted> parse_ignored(const std::string& text) {
  const std::string problem = text.substr(0, text.find('+'));  // without its action
  const std::string whole = problem.substr(0, problem.find('#'));
  const std::size_t equals = whole.find('=');
  Accepted accepted{.finding = whole.substr(0, equals),
                    .root = equals == std::string::npos ? "" : whole.substr(equals + 1),
                    .part = problem.size() > whole.size() ? problem.substr(whole.size() + 1) : ""};
  if (accepted.finding.empty()) return base::usage_error("the form is ID, ID=ROOT or ID=ROOT#PART");
  if (base::is_foreign_glob(text)) {
    return base::usage_error("only * (any characters) and [0-9] (a digit) stand for others");
  }
  // An older id of the same finding is still accepted.
  const auto* const entry = diagnosis::find_listed(accepted.finding);
  if (entry != nullptr && entry->alias == accepted.finding) accepted.finding = entry->id;
  const bool known = std::ranges::any_of(diagnosis::listed_entries(), [&](const auto& each) {
    return each.family != diagnosis::Family::Terms && base::matches_glob(accepted.finding, each.id);
  });
  if (!known) return base::usage_error(no_finding(accepted.finding));
  return accepted;
}

base::Result<diagnosis::Attention> parse_attention(const std::string& severity,
                                                   const std::vector<std::string>& ignored) {
  diagnosis::Attention attention;
  constexpr Severity all[] = {Severity::Critical, Severity::Error, Severity::Warning,
                              Severity::Info};
  const auto at = std::ranges::find(all, std::string_view(severity),
                                    [](Severity one) { return to_string(one); });
  if (at == std::end(all)) {
    return base::usage_error(
        fmt::format("--severity \"{}\" must be critical, error, warning or info", severity));
  }
  attention.threshold = *at;
  for (const std::string& text : ignored) {
    auto accepted = parse_ignored(text);
    if (!accepted) {
      return base::usage_error(fmt::format("--ignore \"{}\": {}", text, accepted.error().what));
    }
    attention.ignored.push_back(std::move(*accepted));
  }
  return attention;
}

base::Result<Until> parse_until(const std::string& text) {
  if (text == "healthy") return Until{Until::State::Healthy};
  if (text == "resolved") return Until{Until::State::Resolved};
  if (text == "rolled-out") return Until{Until::State::RolledOut};
  constexpr std::string_view with_id = "resolved=";
  if (!text.starts_with(with_id)) {
    return base::usage_error(
        fmt::format("--until \"{}\" must be healthy, resolved, resolved=ID or rolled-out", text));
  }
  auto problem = parse_ignored(text.substr(with_id.size()));
  if (!problem) {
    return base::usage_error(fmt::format("--until \"{}\": {}", text, problem.error().what));
  }
  return Until{Until::State::Resolved, std::move(*problem)};
}

base::Result<std::optional<std::size_t>> parse_limit(const std::string& text) {
  if (text.empty()) return std::optional<std::size_t>();
  const auto limit = base::to_number<std::size_t>(text);
  if (limit) return limit;
  return base::usage_error(
      fmt::format("--limit \"{}\" must be a number of problems, or 0 for all", text));
}

}  // namespace dsdoctor::cmd
