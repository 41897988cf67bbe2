// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/pending/written_after.h"

#include <algorithm>
#include <array>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/rollout.h"
#include "scheduling/quantity.h"

namespace dsdoctor::diagnosis {
namespace {

const model::DaemonSet& owner(const PendingCase& c) { return c.of.of.ds; }

/// Whether the pod was made from the current template, as far as that is known.
bool is_comparable(const PendingCase& c) {
  const TemplateRevision& revision = c.of.of.revision;
  if (c.predicted) return false;
  if (!revision.is_known()) return true;
  return revision.hash().empty() ? revision.is_current(c.pod) : revision.has_current_hash(c.pod);
}

bool has_label(const model::Pod& pod, std::string_view prefix) {
  return std::ranges::any_of(
      pod.meta.labels, [&](const auto& label) { return label.first.view().starts_with(prefix); });
}

/// The request of a container; the API server fills in its limit if it has none.
const model::Text* request_of(const model::Container& container, std::string_view resource) {
  const model::Text* request = container.requests.find(resource);
  return request != nullptr ? request : container.limits.find(resource);
}

/// The quantity in units of 10^-9; zero if it is missing or invalid.
auto nanos_of(const model::Text* text) {
  const auto amount = text != nullptr ? scheduling::Quantity::parse(*text) : std::nullopt;
  return amount ? amount->nanos() : scheduling::Quantity().nanos();
}

/// A request that is not that of the template.
struct Changed {
  const model::Container* container = nullptr;
  const model::Text* before = nullptr;  // null: the template has none
  const model::Text* now = nullptr;
  bool is_added = false;  // the template does not have the container
};

}  // namespace

std::string_view scheduler_of(const model::PodSpec& spec) {
  return spec.scheduler_name.empty() ? "default-scheduler" : spec.scheduler_name.view();
}

LateWriter gate_writer(const PendingCase& c) {
  const auto& wanted = owner(c).pod_template.spec.scheduling_gates;
  const auto is_late = [&](const model::Text& gate) {
    return std::ranges::find(wanted, gate) == wanted.end();
  };
  if (!is_comparable(c) || std::ranges::none_of(c.pod.spec->scheduling_gates, is_late)) {
    return LateWriter::Nobody;
  }
  const bool is_kueue =
      std::ranges::any_of(c.pod.spec->scheduling_gates, [&](const model::Text& gate) {
        return is_late(gate) && gate.view().starts_with("kueue.x-k8s.io/");
      });
  return is_kueue ? LateWriter::Kueue : LateWriter::Unknown;
}

LateWriter scheduler_writer(const PendingCase& c) {
  const std::string_view name = scheduler_of(*c.pod.spec);
  if (!is_comparable(c) || name == scheduler_of(owner(c).pod_template.spec)) {
    return LateWriter::Nobody;
  }
  const bool is_yunikorn = name == "yunikorn" || has_label(c.pod, "yunikorn.apache.org/");
  return is_yunikorn ? LateWriter::YuniKorn : LateWriter::Unknown;
}

std::vector<std::string> late_labels(const PendingCase& c) {
  constexpr std::array<std::string_view, 2> of_controller = {"controller-revision-hash",
                                                             "pod-template-generation"};
  std::vector<std::string> result;
  for (const auto& [key, value] : c.pod.meta.labels) {
    if (owner(c).pod_template.labels.find(key) != nullptr) continue;
    if (std::ranges::find(of_controller, key.view()) != of_controller.end()) continue;
    result.push_back(key.str() + "=" + value.str());
  }
  return result;
}

void note_changed_request(const PendingCase& c, const scheduling::Shortage& shortage,
                          Finding& finding) {
  const auto& in_template = owner(c).pod_template.spec.containers;
  if (in_template.empty() || !is_comparable(c)) return;  // a file can be shortened
  const scheduling::Demand& demand = shortage.demand;
  auto request = quantity_of(demand, demand.request).nanos();  // with the requests of the template
  Changed first;
  for (const model::Container& container : c.pod.spec->containers) {
    const model::Text* now = container.requests.find(demand.resource);
    if (now == nullptr) continue;
    const auto wanted = std::ranges::find(in_template, container.name, &model::Container::name);
    const bool is_added = wanted == in_template.end();
    const model::Text* before = is_added ? nullptr : request_of(*wanted, demand.resource);
    if (nanos_of(now) <= nanos_of(before)) continue;
    request -= nanos_of(now) - nanos_of(before);
    if (first.container == nullptr) first = {&container, before, now, is_added};
  }
  const auto room = shortage.never_fits() ? demand.allocatable : shortage.free();
  if (first.container == nullptr || request > quantity_of(demand, room).nanos()) return;
  finding.message.notes.push_back(phrase::RequestWasChanged{
      .container = first.container->name,
      .it_is_added = first.is_added,
      .of_pod = *first.now,
      .of_template = first.before ? first.before->view() : std::string_view()});
  const finding::DriftPodMutated drift{
      .fields = {}, .only_pods_request_it = first.before == nullptr && !first.is_added};
  finding.fix = make_finding(drift, {}, names_of(c.of)).fix;
}

}  // namespace dsdoctor::diagnosis
