#include "diagnosis/causes/control/control_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/control_plane.h"
#include "diagnosis/causes/control/access_review.h"
#include "diagnosis/causes/rollout/rollout_findings.h"
#include "diagnosis/controller/control_leases.h"
#include "diagnosis/evidence/attribution.h"
#include "diagnosis/evidence/wording.h"
#include "diagnosis/report/pod_signs.h"
#include "diagnosis/taints/taint_knowledge.h"

namespace dsdoctor::diagnosis {
namespace {

using wording::counted;
using wording::cut;
using wording::span;

constexpr std::chrono::seconds observing_slack{60};
constexpr std::chrono::seconds slack_of_all{15};  // a leader is elected within as long
constexpr std::chrono::minutes sign_of_life{10};

/// "create" and "pods" of a refusal: `User "…" cannot create resource "pods" in API group ""`.
struct Right {
  // The one that the controller uses first, before anything else can fail.
  std::string verb = "create";
  std::string resource = "controllerrevisions.apps";
};

/// What stands between the quotation marks that follow `mark`; empty where nothing does.
std::string_view quoted_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + mark.size());
  return text.substr(0, text.find('"'));
}

/// Absent where the text is of another form, or of no right.
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

finding::ControllerRbacForbidden lacking(const Right& right) {
  return {.resource = right.resource, .verb = right.verb};
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
    return std::move(findings_);
  }

 private:
  Finding& add(const FindingKind& kind, std::string message, std::vector<Evidence> evidence) {
    findings_.push_back(make_said_finding(kind, std::move(message), std::move(evidence), names_of(of_)));
    return findings_.back();
  }
  [[nodiscard]] std::string field(std::string_view path) const {
    return fmt::format("DaemonSet/{} {}", ds_.meta.name.view(), path);
  }
  [[nodiscard]] bool lags() const { return ds_.generation > ds_.observed_generation; }
  [[nodiscard]] std::int64_t missing() const {
    return static_cast<std::int64_t>(of_.report.nodes.count(NodeVerdict::Missing));
  }

  /// "; changed 20m ago by helm"; empty where the time is unknown.
  [[nodiscard]] std::string change_text() const {
    if (const auto writer = spec_writer(ds_.meta); writer && writer->not_later_than) {
      return fmt::format("; changed {} ago by {}", span(now_ - *writer->not_later_than),
                         manager_name(writer->manager));
    }
    if (ds_.generation > 1 || !ds_.meta.created) return {};
    return fmt::format("; created {} ago", span(now_ - *ds_.meta.created));
  }

  /// The newest write of the spec; else when it was created.
  [[nodiscard]] model::OptionalTime changed() const {
    model::OptionalTime newest = ds_.meta.created;
    for (const model::FieldManager& entry : ds_.meta.managers) {
      if (!entry.spec || !entry.subresource.empty() || !entry.time) continue;
      if (!newest || *entry.time > *newest) newest = entry.time;
    }
    return newest;
  }

  /// What a controller that works does not leave: a spec that it has not processed, an eligible
  /// node without a pod or soon to be without, a pod that it should have deleted or replaced.
  [[nodiscard]] bool shows_neglect(model::Time::duration silence) const {
    using enum NodeVerdict;
    return lags() || neglects_rollout(of_, silence) ||
           std::ranges::any_of(std::array{Missing, Removing, Failed, Duplicate, Terminating},
                               [&](auto verdict) { return of_.report.nodes.count(verdict) > 0; });
  }

  /// Not every controller manager keeps a lease of that name: a stale one alone proves nothing.
  void controller_manager() {
    const model::Lease* lease = of_.facts.lease("kube-system", "kube-controller-manager");
    const auto age = of_.facts.controller_manager_silence();
    if (!age || !shows_neglect(*age)) return;
    down_ = true;
    add(FindingId::ControllerManagerDown,
        fmt::format("kube-controller-manager has not renewed its lease for {} (last holder {}): no "
                    "DaemonSet is processed",
                    span(*age), lease->holder.view()),
        {"Lease/kube-controller-manager spec.renewTime"});
  }

  /// Its first act on a DaemonSet is to store the template as a revision.
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
      add(lacking(right.value_or(Right())),
          right ? fmt::format("forbidden: the DaemonSet controller cannot {} {} in namespace {}",
                              right->verb, right->resource, ds_.meta.ns.view())
                : fmt::format("forbidden: the DaemonSet controller lacks an RBAC permission: {}",
                              cut(event->message)),
          {fmt::format("Event/{} message: {}", event->meta.name.view(),
                       wording::whole(event->message))});
      forbidden_ = true;
      return;
    }
    const auto denied = denied_to_controller(cluster_);
    if (denied && !denied->empty()) return denied_rights(*denied);
    if (!denied && !down_ && !has_too_long_name()) silent_controller();
  }

  /// A missing permission is reported only if the DaemonSet shows its effect.
  void denied_rights(const std::vector<Access>& denied) {
    if (!lags() && missing() == 0) return;
    std::vector<std::string> words;
    words.reserve(denied.size());
    for (const Access& access : denied) words.push_back(to_string(access));
    add(lacking({}),
        fmt::format("forbidden: no ClusterRole lets the DaemonSet controller {}; without it, the "
                    "controller neither creates pods nor writes status, and records no event",
                    wording::listed(words)),
        {"ClusterRoleBindings of ServiceAccount kube-system/daemon-set-controller",
         field("status.observedGeneration")});
    forbidden_ = true;
  }

  /// No revision, no pod, no event, status never written, though the controller manager is alive:
  /// what stops there without a word is the first write of all, that of the revision.
  void silent_controller() {
    const auto when = changed();
    const bool old_enough = !when || now_ - *when > observing_slack;
    const bool nothing_done = ds_.generation > 0 && ds_.observed_generation == 0 && old_enough &&
                              of_.report.nodes_with_pods == 0;
    if (!nothing_done || !has_no_revision() || !is_manager_alive(when)) return;
    if (!cluster_.known.events) return;
    if (!of_.facts.events_of("DaemonSet", ds_.meta.ns, ds_.meta.name, ds_.meta.uid).empty()) return;
    Finding& finding =
        add(lacking({}),
            "forbidden: kube-controller-manager is running but has stored no revision of the "
            "template: most likely the DaemonSet controller cannot create "
            "controllerrevisions.apps, which it does not report in an event",
            {field("status.observedGeneration"), "ControllerRevisions: none of this DaemonSet",
             "Lease, Node metadata.managedFields or Events of kube-controller-manager"});
    finding.basis = Basis::Suspected;
    forbidden_ = true;
  }

  /// A sign of life from it, from a little before the DaemonSet was changed on.
  [[nodiscard]] bool is_manager_alive(const model::OptionalTime& changed) const {
    const model::Time from = changed ? *changed - sign_of_life : model::Time::min();
    const model::Lease* lease = of_.facts.lease("kube-system", "kube-controller-manager");
    return controller_manager_acted_since(cluster_, from) ||
           (lease != nullptr && lease->renewed && *lease->renewed >= from);
  }

  void not_observing() {
    if (!lags() || ds_.meta.deleted) return;
    const auto when = changed();
    const std::size_t behind = behind_on_all();
    Finding& finding = add(
        finding::ControllerNotObserving{.the_name_is_too_long = has_too_long_name()},
        fmt::format("the DaemonSet controller has not processed {}: generation {}, "
                    "observedGeneration {}{}{}",
                    behind > 1 ? fmt::format("any of {} DaemonSets; this one", behind)
                               : std::string("the current spec"),
                    ds_.generation,
                    ds_.observed_generation == 0 ? "none" : std::to_string(ds_.observed_generation),
                    change_text(), why_not()),
        {field("metadata.generation"), field("status.observedGeneration")});
    if (down_) finding.severity = Severity::Info;  // that is the problem
    const auto slack = behind > 1 ? slack_of_all : observing_slack;
    if (when && now_ - *when < slack && !has_too_long_name()) {
      finding.severity = Severity::Info;
      finding.transient = true;
    }
  }

  /// How many DaemonSets there are, all of which the controller has left alone for a while; 0 where
  /// it has processed one, and where too few are there to tell. Several that are changed together
  /// may wait for a new leader.
  [[nodiscard]] std::size_t behind_on_all() const {
    const auto& all = cluster_.daemon_sets;
    const bool none = std::ranges::none_of(all, [&](const model::DaemonSet& ds) {
      const bool young = ds.meta.created && now_ - *ds.meta.created < slack_of_all;
      return young || ds.meta.uid.empty() || ds.generation <= ds.observed_generation;
    });
    const bool is_long = std::ranges::any_of(all, [&](const model::DaemonSet& ds) {
      const auto writer = spec_writer(ds.meta);
      const auto& changed = writer ? writer->not_later_than : ds.meta.created;
      return ds.observed_generation == 0 || !changed || now_ - *changed >= observing_slack;
    });
    return none && is_long && all.size() > 1 ? all.size() : 0;
  }

  /// The controller stores the template as ControllerRevision NAME-HASH before anything else. The
  /// API server refuses names beyond 253 characters, and no event tells. Pods are not concerned:
  /// their generated names are cut.
  /// Source of truth: snapshot, kubernetes v1.36.2, pkg/controller/daemon/update.go.
  [[nodiscard]] bool has_too_long_name() const {
    constexpr std::size_t longest_name = 253;
    constexpr std::size_t usual_hash = 8;
    return ds_.meta.name.view().size() + 1 + usual_hash > longest_name && has_no_revision() &&
           ds_.observed_generation == 0;
  }

  [[nodiscard]] std::string_view why_not() const {
    if (has_too_long_name()) {
      return "; the name is too long: its ControllerRevision, NAME-HASH, would have more than 253 "
             "characters";
    }
    if (down_) return "; kube-controller-manager is down";
    if (forbidden_) return "; an RBAC permission is missing";
    const bool others = std::ranges::any_of(cluster_.daemon_sets, [&](const auto& other) {
      return &other != &ds_ && other.generation > 0 &&
             other.generation == other.observed_generation;
    });
    return others ? "; other DaemonSets are processed" : "";
  }

  void slow_start() {
    const auto events = of_.facts.events_of("DaemonSet", ds_.meta.ns, ds_.meta.name, ds_.meta.uid);
    std::int64_t refusals = 0;
    for (const model::Event* event : events) {
      if (event->reason == "FailedCreate") refusals += times(*event);
    }
    if (refusals == 0 || missing() <= refusals) return;
    add(FindingId::ControllerSlowStart,
        fmt::format("{} without a pod, but only {}: the controller creates pods in growing batches "
                    "and stops at the first batch that fails",
                    counted(missing(), "node"), counted(refusals, "rejected pod")),
        {fmt::format("Events FailedCreate of DaemonSet/{}", ds_.meta.name.view())});
  }

  void scheduler() {
    auto age = staleness(of_.facts.lease("kube-system", "kube-scheduler"), now_);
    // Its lease may be another one: what it has done since proves that it works.
    if (age && (!waits_for_default_scheduler() || has_scheduled_since(now_ - *age))) age.reset();
    const model::Pod* ignored = ignored_pod();
    const bool pending = of_.report.nodes.count(NodeVerdict::Pending) > 0;
    if (!pending || (!age && ignored == nullptr)) return;
    add(FindingId::SchedulerDown,
        age ? fmt::format(
                  "kube-scheduler has not renewed its lease for {}: no pod is bound to a node",
                  span(*age))
            : fmt::format("kube-scheduler has processed neither pod {} nor any later pod",
                          ignored->meta.name.view()),
        {age ? std::string("Lease/kube-scheduler spec.renewTime")
             : fmt::format("Pod/{} status.conditions", ignored->meta.name.view())});
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

  /// It said something of a pod later than that: that it is bound, or why not.
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

  /// An unbound pod of the default scheduler, a minute old, without a word from it, while no pod
  /// that is younger was scheduled. Of a pod that claims devices it says nothing before they exist.
  [[nodiscard]] const model::Pod* ignored_pod() const {
    // Others may have been scheduled.
    if (!cluster_.all_pods_known || of_.facts.has_pods_of_one_namespace()) return nullptr;
    const model::Pod* oldest = nullptr;
    for (const model::Pod* pod : of_.claimed.owned) {
      if (is_bound(*pod) || !is_of_default_scheduler(*pod) || !pod->meta.created ||
          is_terminating(*pod))
        continue;
      if (!pod->spec->resource_claims.empty()) continue;
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
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> control_findings(const DaemonSetCase& of) { return ControlFinder(of).find(); }

}  // namespace dsdoctor::diagnosis
