// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/rollout/template_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace dsdoctor::diagnosis {
namespace {

class Comparison {
 public:
  void text(std::string field, std::string before, std::string after) {
    if (before == after) return;
    changes_.push_back({std::move(field), std::move(before), std::move(after)});
  }

  /// Each key of both maps.
  void map(std::string_view name, const model::Labels& before, const model::Labels& after) {
    std::set<std::string_view> keys;
    for (const model::Labels* labels : {&before, &after}) {
      for (const auto& entry : *labels) keys.insert(entry.first.view());
    }
    for (const std::string_view key : keys) {
      const model::Text* was = before.find(key);
      const model::Text* is = after.find(key);
      text(fmt::format("{} {}", name, key), was == nullptr ? "" : was->str(),
           is == nullptr ? "" : is->str());
    }
  }

  [[nodiscard]] std::vector<TemplateChange> take() { return std::move(changes_); }

 private:
  std::vector<TemplateChange> changes_;
};

/// "key=value:Effect" with the operator of anything but Equal: "gpu (Exists)".
std::string text_of(const model::Toleration& toleration) {
  std::string result = toleration.key.empty() ? "any key" : toleration.key.str();
  if (!toleration.value.empty()) result += "=" + toleration.value.str();
  if (!toleration.effect.empty()) result += ":" + toleration.effect.str();
  if (!toleration.op.empty() && toleration.op != "Equal")
    result += " (" + toleration.op.str() + ")";
  return result;
}

/// Sorted, each with a comma; the order of tolerations has no effect.
std::string text_of(const std::vector<model::Toleration>& tolerations) {
  std::set<std::string> texts;
  for (const model::Toleration& toleration : tolerations) texts.insert(text_of(toleration));
  return fmt::format("{}", fmt::join(texts, ", "));
}

const model::Container* find(const std::vector<model::Container>& in, std::string_view name) {
  const auto at =
      std::ranges::find(in, name, [](const model::Container& one) { return one.name.view(); });
  return at == in.end() ? nullptr : &*at;
}

/// Containers in the order of the later template, then those that only the earlier one has.
std::vector<std::string_view> names_of(const std::vector<model::Container>& before,
                                       const std::vector<model::Container>& after) {
  std::vector<std::string_view> result;
  for (const auto* containers : {&after, &before}) {
    for (const model::Container& one : *containers) {
      if (std::ranges::find(result, one.name.view()) == result.end()) result.push_back(one.name);
    }
  }
  return result;
}

std::string host_ports(const model::PodSpec& spec) {
  std::set<std::int64_t> ports;
  for (const model::Container& container : spec.containers) {
    for (const model::ContainerPort& port : container.ports) {
      if (port.host_port > 0) ports.insert(port.host_port);
    }
  }
  return fmt::format("{}", fmt::join(ports, ", "));
}

void compare_containers(const std::vector<model::Container>& before,
                        const std::vector<model::Container>& after, Comparison& into) {
  for (const std::string_view name : names_of(before, after)) {
    const model::Container* was = find(before, name);
    const model::Container* is = find(after, name);
    into.text(fmt::format("image of {}", name), was == nullptr ? "" : was->image.str(),
              is == nullptr ? "" : is->image.str());
  }
}

void compare_resources(const std::vector<model::Container>& before,
                       const std::vector<model::Container>& after, Comparison& into) {
  for (const model::Container& is : after) {
    const model::Container* was = find(before, is.name);
    if (was == nullptr) continue;
    into.map(fmt::format("request of {} for", is.name.view()), was->requests, is.requests);
    into.map(fmt::format("limit of {} for", is.name.view()), was->limits, is.limits);
  }
}

std::string yes_no(bool flag) { return flag ? "true" : "false"; }

}  // namespace

std::string text_of(const TemplateChange& change) {
  const auto value = [](const std::string& text) { return text.empty() ? "none" : text.c_str(); };
  return fmt::format("{} {} → {}", change.field, value(change.before), value(change.after));
}

std::vector<TemplateChange> template_changes(const model::PodTemplate& before,
                                             const model::PodTemplate& after) {
  Comparison comparison;
  compare_containers(before.spec.init_containers, after.spec.init_containers, comparison);
  compare_containers(before.spec.containers, after.spec.containers, comparison);
  comparison.map("nodeSelector", before.node_selector, after.node_selector);
  if (before.node_affinity != after.node_affinity) {
    const auto state = [](const model::PodTemplate& of) {
      return std::string(of.node_affinity ? "required terms" : "");
    };
    std::string was = state(before);
    if (before.node_affinity && after.node_affinity) was = "other required terms";
    comparison.text("node affinity", was, state(after));
  }
  comparison.text("tolerations", text_of(before.tolerations), text_of(after.tolerations));
  comparison.text("nodeName", before.node_name.str(), after.node_name.str());
  comparison.text("hostNetwork", yes_no(before.host_network), yes_no(after.host_network));
  comparison.text("host ports", host_ports(before.spec), host_ports(after.spec));
  compare_resources(before.spec.containers, after.spec.containers, comparison);
  comparison.text("priorityClassName", before.spec.priority_class.str(),
                  after.spec.priority_class.str());
  comparison.text("serviceAccountName", before.spec.service_account.str(),
                  after.spec.service_account.str());
  comparison.text("runtimeClassName", before.spec.runtime_class.str(),
                  after.spec.runtime_class.str());
  comparison.text("schedulerName", before.spec.scheduler_name.str(),
                  after.spec.scheduler_name.str());
  return comparison.take();
}

bool is_restart(const model::PodTemplate& before, const model::PodTemplate& after) {
  return before.restarted_at != after.restarted_at && template_changes(before, after).empty();
}

std::vector<const model::ControllerRevision*> revisions_by_number(const model::DaemonSet& ds,
                                                                  const Facts& facts) {
  std::vector<const model::ControllerRevision*> result;
  for (const model::ControllerRevision* one : facts.revisions().of(ds.meta.ns, ds.meta.name)) {
    const model::UniqueText& owner = one->meta.controller->uid;
    if (ds.meta.uid.empty() || owner.empty() || owner == ds.meta.uid) result.push_back(one);
  }
  std::ranges::sort(result, {}, &model::ControllerRevision::revision);
  return result;
}

}  // namespace dsdoctor::diagnosis
