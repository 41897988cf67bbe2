#include "line/feature_gates.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace dsdoctor::cmd {
namespace {

constexpr std::string_view comparison_gate = "TaintTolerationComparisonOperators";

base::Error gate_error(std::string what) {
  return {base::ErrorKind::Usage, "--feature-gates", std::move(what)};
}

}  // namespace

base::Result<placement::FeatureGates> parse_feature_gates(const std::string& text) {
  placement::FeatureGates gates;
  std::optional<bool> named;  // a gate's own setting beats AllAlpha, wherever it stands
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view entry = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (entry.empty()) continue;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) {
      return gate_error(
          fmt::format("missing bool value for {}: write {}=true or {}=false", entry, entry, entry));
    }
    const std::string_view name = entry.substr(0, equals);
    const std::string_view value = entry.substr(equals + 1);
    if (value != "true" && value != "false") {
      return gate_error(fmt::format("invalid value of {}={}: must be true or false", name, value));
    }
    if (name == comparison_gate) {
      named = value == "true";
    } else if (name == "AllAlpha") {
      gates.taint_toleration_comparison_operators = value == "true";
    } else if (name != "AllBeta") {
      return gate_error(fmt::format("unrecognized feature gate: {}; only {} is supported", name,
                                    comparison_gate));
    }
  }
  if (named) gates.taint_toleration_comparison_operators = *named;
  return gates;
}

placement::FeatureGates gates_for(placement::FeatureGates wanted,
                                  const std::optional<model::ServerVersion>& version) {
  constexpr std::pair since = {1, 35};
  if (version && std::pair(version->major, version->minor) < since) {
    wanted.taint_toleration_comparison_operators = false;
  }
  return wanted;
}

}  // namespace dsdoctor::cmd
