// SPDX-License-Identifier: Apache-2.0
#include "fixes/target.h"

#include <fmt/format.h>

#include "diagnosis/evidence/node_state.h"
#include "diagnosis/report/node_pool.h"

namespace dsdoctor::fixes {

base::Result<FixTarget> parse_target(std::string_view text) {
  if (text == "misscheduled") return FixTarget{FixTarget::Kind::Misscheduled, {}, {}};
  if (text == "missing") return FixTarget{FixTarget::Kind::Missing, {}, {}};
  if (text == "all") return FixTarget{FixTarget::Kind::All, {}, {}};
  for (const std::string_view prefix : {"node/", "nodes/", "no/"}) {
    if (!text.starts_with(prefix) || text.size() == prefix.size()) continue;
    return FixTarget{FixTarget::Kind::Node, std::string(text.substr(prefix.size())), {}};
  }
  if (text.starts_with("pool=")) {
    const std::string_view rest = text.substr(5);
    const std::size_t equals = rest.find('=');
    const bool has_key = equals != std::string_view::npos;
    FixTarget target{FixTarget::Kind::Pool, std::string(has_key ? rest.substr(equals + 1) : rest),
                     std::string(has_key ? rest.substr(0, equals) : std::string_view())};
    if (!target.name.empty() && (!has_key || !target.key.empty())) return target;
  }
  return base::Error{base::ErrorKind::Usage, "",
                     fmt::format("invalid argument \"{}\" for \"--for\" flag: must be "
                                 "misscheduled, missing, node/NAME, pool=NAME or all",
                                 text)};
}

std::string to_string(const FixTarget& target) {
  switch (target.kind) {
    case FixTarget::Kind::Each: return "every node";
    case FixTarget::Kind::Misscheduled: return "the misscheduled nodes";
    case FixTarget::Kind::Missing: return "the eligible nodes without a pod";
    case FixTarget::Kind::Node: return "node " + target.name;
    case FixTarget::Kind::Pool: return "the nodes of pool " + target.name;
    case FixTarget::Kind::All:
    default: return "all nodes";
  }
}

bool is_target(const FixTarget& target, const diagnosis::NodeReport& report,
               const model::Node& node) {
  const bool wanted = placement::should_run(report.decision());
  switch (target.kind) {
    case FixTarget::Kind::Each:
    case FixTarget::Kind::All: return true;
    case FixTarget::Kind::Misscheduled: return !wanted && !report.pods().empty();
    case FixTarget::Kind::Missing: return wanted && report.pods().empty();
    case FixTarget::Kind::Node: return report.name == target.name;
    case FixTarget::Kind::Pool:
    default:
      return target.key.empty() ? diagnosis::is_of_pool(node, target.name)
                                : diagnosis::has_label(node, target.key, target.name);
  }
}

}  // namespace dsdoctor::fixes
