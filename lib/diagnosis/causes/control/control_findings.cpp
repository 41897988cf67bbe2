// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/control/control_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/control_plane.h"
#include "diagnosis/causes/control/access_review.h"
#include "diagnosis/causes/control/finding_list.h"
#include "diagnosis/causes/control/loop_findings.h"
#include "diagnosis/causes/rollout/rollout_findings.h"
#include "diagnosis/controller/control_leases.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

constexpr std::chrono::minutes sign_of_life{10};

/// "create" and "pods" from the error `User "…" cannot create resource "pods" in API group ""`.
struct Right {
  // Default: the permission that the controller uses first, before anything else can fail.
  std::string verb = "create";
  std::string resource = "controllerrevisions.apps";
};

/// The quoted text after `mark`, or empty.
std::string_view quoted_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + mark.size());
  return text.substr(0, text.find('"'));
}

/// Absent if the text has another form or is not about a permission.
std::optional<Right> right_refused(std::string_view text) {
  constexpr std::string_view cannot = " cannot ";
  const std::size_t at = text.find(cannot);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + cannot.size());
  const std::string_view verb = text.substr(0, text.find(' '));
  const std::string_view resource = quoted_after(text, "resource \"");
  const auto is_word = [](std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '-';
    });
  };
  if (!is_word(verb) || !is_word(resource)) return std::nullopt;
  const std::string_view group = quoted_after(text, "API group \"");
  return Right{std::string(verb),
               is_word(group) ? fmt::format("{}.{}", resource, group) : std::string(resource)};
}

finding::ControllerRbacForbidden lacking(const Right& right, Message what) {
  return {.resource = right.resource, .verb = right.verb, .what = std::move(what)};
}

/// Evidence of the lease's last renewal.
Evidence renewal_of(const model::Lease& lease) {
  return {{"Lease", lease.meta.ns.str(), lease.meta.name.str()},
          "spec.renewTime",
          lease.renewed ? base::rfc3339(*lease.renewed) : ""};
}

std::optional<std::int64_t> known_if(bool known, std::int64_t count) {
  return known ? std::optional(count) : std::nullopt;
}

class ControlFinder {
 public:
  explicit ControlFinder(const DaemonSetCase& of)
      : of_(of), ds_(of.ds), cluster_(of.facts.cluster()), now_(of.facts.now()) {}

  std::vector<Finding> find() {
    controller_manager();
    rights();
    not_observing();
    slow_start();
    scheduler();
    if (auto loop = loop_finding(of_)) findings_.append({std::move(*loop)});
    return findings_.take();
  }

 private:
  [[nodiscard]] std::vector<Evidence> generations() const {
    return {{ref_of(ds_), "metadata.generation", std::to_string(ds_.generation)}, observed()};
  }
  [[nodiscard]] Evidence observed() const {
    return {ref_of(ds_), "status.observedGeneration",
            ds_.observed_generation == 0 ? "" : std::to_string(ds_.observed_generation)};
  }
  /// The lease of the named component, or null.
  [[nodiscard]] const model::Lease* lease(std::string_view component) const {
    return of_.facts.lease("kube-system", component);
  }
  [[nodiscard]] bool lags() const { return ds_.generation > ds_.observed_generation; }
  [[nodiscard]] std::optional<model::Time::duration> age_of(const model::OptionalTime& time) const {
    return time ? std::optional(now_ - *time) : std::nullopt;
  }
  [[nodiscard]] std::int64_t missing() const {
    return static_cast<std::int64_t>(of_.report.nodes.count(NodeVerdict::Missing));
  }

  /// Time of the newest write of the spec, else of the creation.
  [[nodiscard]] model::OptionalTime changed() const {
    model::OptionalTime newest = ds_.meta.created;
    for (const model::FieldManager& entry : ds_.meta.managers) {
      if (!entry.spec || !entry.subresource.empty() || !entry.time) continue;
      if (!newest || *entry.time > *newest) newest = entry.time;
    }
    return newest;
  }

  /// Whether there is something that a working controller does not leave: an unprocessed spec, an
  /// eligible node that has or will have no pod, a pod that it should have deleted or replaced.
  [[nodiscard]] bool shows_neglect(model::Time::duration silence) const {
    using enum NodeVerdict;
    return lags() || neglects_rollout(of_, silence) ||
           std::ranges::any_of(std::array{Missing, Removing, Failed, Duplicate, Terminating},
                               [&](auto verdict) { return of_.report.nodes.count(verdict) > 0; });
  }

  /// Not every kube-controller-manager renews a lease of that name: a stale lease alone proves
  /// nothing.
  void controller_manager() {
    const auto silence = of_.facts.controller_manager_silence();
    if (!silence || !shows_neglect(*silence)) return;
    down_ = true;
    const model::Lease& its = *lease("kube-controller-manager");
    findings_.add(finding::ControllerManagerDown{.holder = its.holder, .silence = *silence},
                  {renewal_of(its)});
  }

  /// The controller first stores a DaemonSet's template as a revision.
  [[nodiscard]] bool has_no_revision() const {
    return cluster_.known.revisions && of_.revision.hash().empty() &&
           std::ranges::none_of(cluster_.revisions, [&](const model::ControllerRevision& r) {
             return r.meta.controller && r.meta.controller->name == ds_.meta.name &&
                    r.meta.ns == ds_.meta.ns;
           });
  }

  [[nodiscard]] const model::Event* rights_event() const {
    const model::Event* newest = nullptr;
    for (const model::Event* event :
         of_.facts.events_of("DaemonSet", ds_.meta.ns, ds_.meta.name, ds_.meta.uid)) {
      const std::string_view text = event->message;
      if (text.find("system:serviceaccount:kube-system:daemon-set-controller") != text.npos &&
          text.find("cannot") != text.npos) {
        newest = event;
      }
    }
    return newest;
  }

  void rights() {
    if (const model::Event* event = rights_event()) {
      const auto right = right_refused(event->message);
      Message what = phrase::ControllerLacksPermission{.refusal = wording::cut(event->message)};
      if (right) {
        what = phrase::ControllerCannot{
            .its_namespace = ds_.meta.ns, .resource = right->resource, .verb = right->verb};
      }
      forbid(lacking(right.value_or(Right()), std::move(what)), {event_evidence(*event)});
      return;
    }
    const auto denied = denied_to_controller(cluster_);
    if (denied && !denied->empty()) return denied_rights(*denied);
    if (!denied && !down_ && !has_too_long_name()) silent_controller();
  }

  Finding& forbid(FindingKind kind, std::vector<Evidence> evidence) {
    forbidden_ = true;
    return findings_.add(std::move(kind), std::move(evidence));
  }

  /// A missing permission is reported only if the DaemonSet shows its effect.
  void denied_rights(const std::vector<Access>& denied) {
    if (!lags() && missing() == 0) return;
    std::vector<std::string> words;
    words.reserve(denied.size());
    for (const Access& access : denied) words.push_back(to_string(access));
    std::vector<Evidence> evidence = bound_roles();
    evidence.push_back(observed());
    forbid(lacking({}, phrase::NoRoleLetsController{.accesses = std::move(words)}),
           std::move(evidence));
  }

  /// The roles bound to the controller; if there are none, the missing binding.
  [[nodiscard]] std::vector<Evidence> bound_roles() const {
    constexpr const char* kind = "ClusterRoleBinding";
    std::vector<Evidence> result;
    for (const model::ClusterRoleBinding* binding : bindings_of_controller(cluster_)) {
      result.emplace_back(ObjectRef{kind, "", binding->meta.name.str()}, "roleRef.name",
                          binding->role.str());
    }
    if (result.empty()) {
      result.emplace_back(ObjectRef{kind, "", "system:controller:daemon-set-controller"},
                          "roleRef.name");
    }
    return result;
  }

  /// Reports a controller that has left no revision, pod, event or status although
  /// kube-controller-manager is alive: the very first write, that of the revision, fails without an
  /// event.
  void silent_controller() {
    const auto when = changed();
    const bool old_enough = !when || now_ - *when > observing_slack;
    const bool nothing_done = ds_.generation > 0 && ds_.observed_generation == 0 && old_enough &&
                              of_.report.nodes_with_pods == 0;
    if (!nothing_done || !has_no_revision() || !is_manager_alive(when)) return;
    if (!cluster_.known.events) return;
    if (!of_.facts.events_of("DaemonSet", ds_.meta.ns, ds_.meta.name, ds_.meta.uid).empty()) return;
    std::vector<Evidence> evidence = generations();
    const model::Lease* its = lease("kube-controller-manager");
    if (its != nullptr && its->renewed) evidence.push_back(renewal_of(*its));
    Finding& finding = forbid(lacking({}, phrase::NoRevisionStored{}), std::move(evidence));
    finding.basis = Basis::Suspected;
  }

  /// Whether kube-controller-manager has shown activity since shortly before the DaemonSet was
  /// changed.
  [[nodiscard]] bool is_manager_alive(const model::OptionalTime& changed) const {
    const model::Time from = changed ? *changed - sign_of_life : model::Time::min();
    const model::Lease* its = lease("kube-controller-manager");
    return controller_manager_acted_since(cluster_, from) ||
           (its != nullptr && its->renewed && *its->renewed >= from);
  }

  void not_observing() {
    if (!lags() || ds_.meta.deleted) return;
    const auto when = changed();
    const bool is_behind_on_all = of_.facts.is_controller_behind_on_all();
    const auto writer = spec_writer(ds_.meta);
    const auto written = writer ? writer->not_later_than : model::OptionalTime();
    const bool is_as_created = !written && ds_.generation <= 1;
    Finding& finding = findings_.add(
        finding::ControllerNotObserving{
            .behind = known_if(is_behind_on_all, std::ssize(cluster_.daemon_sets)),
            .changed = age_of(written),
            .created = age_of(is_as_created ? ds_.meta.created : model::OptionalTime()),
            .generation = ds_.generation,
            .observed = known_if(ds_.observed_generation != 0, ds_.observed_generation),
            .the_name_is_too_long = has_too_long_name(),
            .why_not = why_not(),
            .writer = writer ? manager_name(writer->manager) : ""},
        generations());
    if (down_) finding.severity = Severity::Info;  // kube-controller-manager is the problem
    const auto slack = is_behind_on_all ? slack_of_all : observing_slack;
    if (when && now_ - *when < slack && !has_too_long_name()) {
      finding.severity = Severity::Info;
      finding.transient = true;
    }
  }

  /// The controller stores the template as ControllerRevision NAME-HASH before anything else. The
  /// API server rejects names longer than 253 characters, and no event reports it. Pods are not
  /// affected: their generated names are truncated.
  /// Source of truth: snapshot, kubernetes v1.36.2, pkg/controller/daemon/update.go.
  [[nodiscard]] bool has_too_long_name() const {
    constexpr std::size_t longest_name = 253;
    constexpr std::size_t usual_hash = 8;
    return ds_.meta.name.view().size() + 1 + usual_hash > longest_name && has_no_revision() &&
           ds_.observed_generation == 0;
  }

  [[nodiscard]] std::optional<Message> why_not() const {
    if (has_too_long_name()) return std::nullopt;  // the finding already names the cause
    if (down_) return phrase::ManagerIsDown{};
    if (forbidden_) return phrase::PermissionIsMissing{};
    const std::size_t own = is_processed(ds_) ? 1 : 0;
    if (of_.facts.processed_daemon_sets() > own) return phrase::OthersAreProcessed{};
    return std::nullopt;
  }

  void slow_start() {
    const auto events = of_.facts.events_of("DaemonSet", ds_.meta.ns, ds_.meta.name, ds_.meta.uid);
    std::int64_t refusals = 0;
    for (const model::Event* event : events) {
      if (event->reason == "FailedCreate") refusals += times(*event);
    }
    if (refusals == 0 || missing() <= refusals) return;
    findings_.add(finding::ControllerSlowStart{.rejected = refusals, .without_pod = missing()},
                  {event_evidence(*newest(events, {"FailedCreate"}))});
  }

  void scheduler() {
    if (of_.report.nodes.count(NodeVerdict::Pending) == 0) return;
    const model::Lease* its = lease("kube-scheduler");
    const auto silence = staleness(its, now_);
    // The scheduler may use another lease: recent scheduling proves that it works.
    if (silence && waits_for_default_scheduler() && !has_scheduled_since(now_ - *silence)) {
      findings_.add(
          finding::SchedulerDown{.what = phrase::SchedulerLeaseNotRenewed{.silence = *silence}},
          {renewal_of(*its)});
    } else if (const model::Pod* ignored = ignored_pod()) {
      findings_.add(
          finding::SchedulerDown{.what = phrase::SchedulerIgnoresPod{.pod = ignored->meta.name}},
          {{ref_of(*ignored), "status.conditions"}});
    }
  }

  [[nodiscard]] static bool is_of_default_scheduler(const model::Pod& pod) {
    const std::string_view name = pod.spec->scheduler_name;
    return name.empty() || name == "default-scheduler";
  }

  [[nodiscard]] bool waits_for_default_scheduler() const {
    return std::ranges::any_of(of_.claimed.owned, [](const model::Pod* pod) {
      return !is_bound(*pod) && is_of_default_scheduler(*pod);
    });
  }

  /// Whether it has bound or rejected a pod since then.
  [[nodiscard]] bool has_scheduled_since(model::Time from) const {
    return std::ranges::any_of(cluster_.pods,
                               [&](const model::Pod& pod) {
                                 const auto said =
                                     model::find_condition(pod.conditions, "PodScheduled");
                                 return said != nullptr && is_of_default_scheduler(pod) &&
                                        said->last_transition && *said->last_transition > from;
                               }) ||
           std::ranges::any_of(cluster_.events, [&](const model::Event& event) {
             return event.component == "default-scheduler" && event.last && *event.last > from;
           });
  }

  /// An unbound pod of the default scheduler that has no PodScheduled condition after a minute,
  /// while no younger pod was scheduled. The scheduler ignores a pod until its claimed devices
  /// exist.
  [[nodiscard]] const model::Pod* ignored_pod() const {
    // Pods that were not read may have been scheduled.
    if (!cluster_.all_pods_known || of_.facts.has_pods_of_one_namespace()) return nullptr;
    const model::Pod* oldest = nullptr;
    for (const model::Pod* pod : of_.claimed.owned) {
      if (is_bound(*pod) || !is_of_default_scheduler(*pod) || !pod->meta.created ||
          is_terminating(*pod))
        continue;
      if (!pod->spec->resource_claims.empty()) continue;
      if (of_.facts.pod_group_of(*pod).hold != PodGroupHold::None) continue;
      if (model::find_condition(pod->conditions, "PodScheduled") != nullptr) continue;
      if (now_ - *pod->meta.created < threshold::pending) continue;
      if (!of_.facts.events_of("Pod", pod->meta.ns, pod->meta.name, pod->meta.uid).empty())
        continue;
      if (oldest == nullptr || *pod->meta.created < *oldest->meta.created) oldest = pod;
    }
    if (oldest == nullptr) return nullptr;
    const bool works = std::ranges::any_of(cluster_.pods, [&](const model::Pod& pod) {
      const auto scheduled = model::find_condition(pod.conditions, "PodScheduled");
      return scheduled != nullptr && scheduled->last_transition &&
             *scheduled->last_transition > *oldest->meta.created;
    });
    return works ? nullptr : oldest;
  }

  const DaemonSetCase& of_;
  const model::DaemonSet& ds_;
  const model::Cluster& cluster_;
  model::Time now_;
  bool down_ = false;
  bool forbidden_ = false;
  FindingList findings_{of_};
};

}  // namespace

std::vector<Finding> control_findings(const DaemonSetCase& of) { return ControlFinder(of).find(); }

}  // namespace dsdoctor::diagnosis
