// SPDX-License-Identifier: Apache-2.0
#include "render/terminal/template_lines.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "base/text.h"
#include "diagnosis/report/reach.h"
#include "render/terminal/problem_lines.h"
#include "render/words/message_text.h"
#include "render/words/reason_text.h"

namespace dsdoctor::render {
namespace {

using diagnosis::TemplatePart;

std::string pair_of(std::string_view key, std::string_view value) {
  return fmt::format("{}={}", key, value);
}

/// "pool=gpu, kubernetes.io/os=linux"; empty without a selector.
std::string selector_text(const model::PodTemplate& of) {
  std::vector<std::string> parts;
  if (!of.node_name.empty()) parts.push_back(fmt::format("node name {}", of.node_name.view()));
  for (const auto& [key, value] : of.node_selector) parts.push_back(pair_of(key, value));
  for (const auto& [key, value] : of.namespace_selector) {
    parts.push_back(pair_of(key, value) + " of the namespace");
  }
  return base::listed(parts);
}

/// "pool In [gpu] and zone In [a, b], or arch In [arm64]"
std::string affinity_text(const model::PodTemplate& of) {
  if (!of.node_affinity) return {};
  std::vector<std::string> terms;
  for (const model::NodeSelectorTerm& term : of.node_affinity->terms) {
    std::string text;
    for (const auto* requirements : {&term.match_expressions, &term.match_fields}) {
      for (const model::NodeSelectorRequirement& each : *requirements) {
        text += (text.empty() ? "" : " and ") + to_string(each);
      }
    }
    terms.push_back(text.empty() ? std::string("an empty term") : text);
  }
  if (terms.empty()) return "no terms";
  constexpr std::size_t shown = 2;
  std::string result;
  for (std::size_t i = 0; i < std::min(shown, terms.size()); ++i) {
    result += (i == 0 ? "" : ", or ") + terms[i];
  }
  if (terms.size() > shown) result += fmt::format(", or {} more terms", terms.size() - shown);
  return result;
}

/// "gpu=yes:NoSchedule", "every taint", "x:NoExecute for 300s"
std::string words_of_toleration(const model::Toleration& toleration) {
  std::string result = toleration.key.empty() ? std::string("every taint") : toleration.key.str();
  const bool compares = toleration.op == "Gt" || toleration.op == "Lt";
  if (compares) result += fmt::format(" {} {}", toleration.op.view(), toleration.value.view());
  if (!compares && !toleration.value.empty()) result += fmt::format("={}", toleration.value.view());
  if (!toleration.effect.empty()) {
    result +=
        fmt::format("{}{}", toleration.key.empty() ? " with " : ":", toleration.effect.view());
  }
  if (toleration.toleration_seconds) {
    result += fmt::format(" for {}s", *toleration.toleration_seconds);
  }
  return result;
}

std::string tolerations_text(const model::PodTemplate& of, std::size_t shown) {
  return base::listed(
      of.tolerations.size(), [&](std::size_t i) { return words_of_toleration(of.tolerations[i]); },
      shown);
}

/// "4 by taint gpu:NoSchedule, 3 by taint x:NoSchedule and 2 more"; empty if no node is excluded.
std::string excluded_text(const diagnosis::DaemonSetReport& report, TemplatePart part,
                          std::size_t shown) {
  const diagnosis::Obstacles obstacles = diagnosis::obstacles(report, shown, part);
  std::string result;
  for (const diagnosis::Message& each : obstacles.most_frequent) {
    result += (result.empty() ? "" : ", ") + text_of(each);
  }
  if (obstacles.others != 0) result += fmt::format(" and {} more", obstacles.others);
  return result;
}

}  // namespace

std::vector<std::string> template_sentences(const fixes::DaemonSetAnswer& answer,
                                            std::size_t shown) {
  if (answer.ds == nullptr || !answer.report.evaluated.nodes_known) return {};
  const model::PodTemplate& of = answer.ds->pod_template;
  std::vector<std::string> result;
  const auto add = [&](std::string_view name, const std::string& text, TemplatePart part) {
    const std::string excluded = excluded_text(answer.report, part, shown);
    if (text.empty() && excluded.empty()) return;
    result.push_back(
        base::printable_line(fmt::format("{}: {}{}{}", name, text.empty() ? "none" : text,
                                         excluded.empty() ? "" : "; nodes kept out: ", excluded)));
  };
  add("node selector", selector_text(of), TemplatePart::Selector);
  add("node affinity", affinity_text(of), TemplatePart::Affinity);
  add("tolerations", tolerations_text(of, shown + 1), TemplatePart::Tolerations);
  return result;
}

Lines template_lines(const fixes::DaemonSetAnswer& answer, const Style& style) {
  Lines result;
  const std::size_t shown = style.is_small_screen() ? 1 : 4;
  for (const std::string& sentence : template_sentences(answer, shown)) {
    // Two lines of a small screen, which words do not fill.
    const std::size_t longest =
        style.is_small_screen() ? 2 * style.width - style.width / 4 : std::string::npos;
    append(result, lines_of_text(wrapped(style, 0, base::without_middle(sentence, longest))));
  }
  return result;
}

}  // namespace dsdoctor::render
