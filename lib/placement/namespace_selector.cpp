#include "placement/namespace_selector.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace dsdoctor::placement {

std::optional<model::Labels> parse_equalities(std::string_view text) {
  const auto trimmed = [](std::string_view part) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    return part;
  };
  std::vector<model::Labels::Entry> pairs;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    std::string_view key = part.substr(0, equals);
    std::string_view value = part.substr(equals + 1);
    value = value.starts_with('=') ? value.substr(1) : value;  // "==" is as good
    key = trimmed(key);
    if (key.empty() || key.find_first_of("!()<> ") != std::string_view::npos) return std::nullopt;
    pairs.emplace_back(model::Text(key), model::Text(trimmed(value)));
  }
  return model::Labels(std::move(pairs));
}

bool is_openshift(const model::Namespace& ns) {
  return std::ranges::any_of(ns.annotations, [](const auto& pair) {
    return pair.first.view().starts_with("openshift.io/sa.scc.");
  });
}

std::string_view heeded_annotation(const model::Namespace& ns) {
  for (const std::string_view key :
       {namespace_selector_annotation, openshift_selector_annotation}) {
    if (ns.annotations.find(key) != nullptr) return key;
  }
  return {};
}

namespace {

model::Labels heeded_selector(const model::Namespace& ns) {
  const std::string_view key = is_openshift(ns) ? heeded_annotation(ns) : std::string_view();
  if (key.empty()) return {};
  return parse_equalities(*ns.annotations.find(key)).value_or(model::Labels());
}

}  // namespace

void set_namespace_selectors(model::Cluster& cluster) {
  std::map<std::string_view, model::Labels> by_name;
  for (const model::Namespace& ns : cluster.namespaces) {
    by_name.emplace(ns.meta.name.view(), heeded_selector(ns));
  }
  for (model::DaemonSet& ds : cluster.daemon_sets) {
    const auto at = by_name.find(ds.meta.ns.view());
    ds.pod_template.namespace_selector = at == by_name.end() ? model::Labels() : at->second;
  }
}

}  // namespace dsdoctor::placement
