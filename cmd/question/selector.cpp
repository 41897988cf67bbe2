#include "question/selector.h"

#include <fmt/format.h>

#include <algorithm>

#include "decode/objects/selector_syntax.h"
#include "placement/integers.h"
#include "placement/label_syntax.h"

namespace dsdoctor::cmd {
namespace {

using model::NodeSelectorRequirement;

constexpr std::string_view name_rule =
    "1 to 63 letters, digits, \"-\", \"_\" or \".\", the first and the last a letter or a digit";

/// What is wrong with it; empty where nothing is.
std::string fault_of(const NodeSelectorRequirement& requirement) {
  if (!placement::is_label_key(requirement.key)) {
    return fmt::format(
        "\"{}\" is not a label key, which is [PREFIX/]NAME, PREFIX a DNS name, NAME {}",
        requirement.key.view(), name_rule);
  }
  const bool compares = requirement.op == "Gt" || requirement.op == "Lt";
  for (const model::Text& value : requirement.values) {
    if (!placement::is_label_value(value)) {
      return fmt::format("\"{}\" is not a label value, which is empty, or {}", value.view(),
                         name_rule);
    }
    if (compares && !placement::parse_lenient_integer(value)) {
      return fmt::format("\"{}\" is not an integer, which < and > need", value.view());
    }
  }
  return {};
}

}  // namespace

base::Result<Requirements> parse_typed_selector(std::string_view text) {
  auto requirements = decode::parse_label_selector(text);
  if (!requirements) return requirements;
  for (const NodeSelectorRequirement& requirement : *requirements) {
    if (std::string fault = fault_of(requirement); !fault.empty()) {
      return base::usage_error(std::move(fault));
    }
  }
  return requirements;
}

}  // namespace dsdoctor::cmd
