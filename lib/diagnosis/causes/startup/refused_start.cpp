// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/causes/startup/refused_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "diagnosis/catalogue/catalogue.h"
#include "diagnosis/catalogue/findings/startup.h"
#include "diagnosis/causes/startup/exit_text.h"
#include "diagnosis/causes/startup/failure_text.h"
#include "diagnosis/causes/startup/missing_object.h"
#include "diagnosis/report/pod_signs.h"

namespace dsdoctor::diagnosis {
namespace {

const model::TerminatedState* failed_start(const model::ContainerStatus& status) {
  for (const auto* state : {&status.terminated, &status.last_terminated}) {
    if (*state && is_failed_start(**state)) return &**state;
  }
  return nullptr;
}

/// The key that groups failures of one kind: the text, or the key of its meaning, which does not
/// differ between nodes.
std::string refusal_group(const model::ContainerStatus& status, std::string_view reason,
                          std::string_view text) {
  return fmt::format("{}|{}|{}", status.name.view(), reason, text);
}

/// Removes ` (pod: "agent-x7x2k_ns(uid)", container: agent)`, which the kubelet adds.
std::string without_pod(std::string text) {
  const std::size_t open = text.find(" (pod: \"");
  if (open == text.npos) return text;
  const std::size_t close =
      text.find(')', std::min(text.find("\", container: ", open), text.size()));
  if (close != text.npos) text.erase(open, close + 1 - open);
  return text;
}

/// Removes the pod's name and UID and the node's name.
std::string without_names(std::string text, const model::Pod& pod) {
  const std::string uid = pod.meta.uid.str();
  for (const std::string_view own :
       {pod.meta.name.view(), std::string_view(uid), pod.node_name.view()}) {
    if (own.empty()) continue;
    for (std::size_t at = 0; (at = text.find(own, at)) != text.npos;) text.erase(at, own.size());
  }
  return text;
}

/// Removes the IDs of containers, images and requests.
std::string without_ids(std::string_view text) {
  constexpr std::size_t shortest = 12;
  std::string result;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find_first_not_of("0123456789abcdef"), text.size());
    if (length < shortest) result += text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string_view image_ref(const model::Pod& pod, std::string_view container) {
  const model::Container* found = find_container(pod, container);
  return found == nullptr ? std::string_view() : found->image.view();
}

/// True if a ready pod runs the image on another node of the same architecture.
bool runs_elsewhere(const NodeCase& c, std::string_view image) {
  const std::string_view architecture = c.node.architecture;
  if (image.empty() || architecture.empty()) return false;
  return std::ranges::any_of(c.of.claimed.owned, [&](const model::Pod* pod) {
    const auto runs_it = [&](const model::ContainerStatus& status) {
      return status.ready && image_ref(*pod, status.name) == image;
    };
    if (pod->node_name == c.node.meta.name || std::ranges::none_of(pod->statuses, runs_it)) {
      return false;
    }
    const model::Node* node = model::find_node(c.of.facts.cluster(), pod->node_name);
    return node != nullptr && node->architecture == architecture;
  });
}

/// True if a ready pod of the same revision runs on another node: the template itself works.
bool template_works(const NodeCase& c, const model::Pod& pod) {
  constexpr std::string_view hash = "controller-revision-hash";
  const model::Text* revision = pod.meta.labels.find(hash);
  if (revision == nullptr) return false;
  return std::ranges::any_of(c.of.claimed.owned, [&](const model::Pod* other) {
    const model::Text* its = other->meta.labels.find(hash);
    return other->node_name != c.node.meta.name && its != nullptr && *its == *revision &&
           is_ready(*other);
  });
}

/// The runtime's report about a container that did not start.
struct StartRefusal {
  std::string_view reason;
  std::string_view text;
  const model::TerminatedState* start = nullptr;
};

StartRefusal refusal_of(const model::ContainerStatus& status) {
  const model::TerminatedState* start = failed_start(status);
  const bool by_reason = waiting_reason(status) != "CrashLoopBackOff" && status.waiting;
  if (by_reason || start == nullptr) {
    return {waiting_reason(status), status.waiting->message, start};
  }
  return {start->reason, start->message, start};
}

std::vector<Evidence> refusal_evidence(const model::Pod& pod, const model::ContainerStatus& status,
                                       const StartRefusal& refusal) {
  std::vector<Evidence> evidence;
  if (status.waiting) evidence.push_back(waiting_evidence(pod, status));
  if (refusal.start != nullptr) {
    const model::TerminatedState& start = *refusal.start;
    evidence.push_back(end_evidence(pod, status, start, "reason", start.reason));
    if (!start.message.empty()) {
      evidence.push_back(end_evidence(pod, status, start, "message", start.message));
    }
  }
  return evidence;
}

/// The kubelet retries, usually with success: a failure is a problem only after a while.
void settle_at_first(Finding& finding, const model::OptionalTime& since, model::Time now) {
  finding.transient = is_younger(since, threshold::preparing, now);
  if (finding.transient) {
    finding.severity = Severity::Info;
  } else if (since) {
    finding.overdue_since = *since + threshold::preparing;
  }
}

bool is_refused(const model::ContainerStatus& status) {
  const bool refused = is_one_of(waiting_reason(status),
                                 {"CreateContainerError", "RunContainerError", "PreCreateHookError",
                                  "PreStartHookError", "PostStartHookError"});
  return refused || (!is_running(status) && failed_start(status) != nullptr);
}

/// Why the container is refused, in words that do not differ between nodes; empty if it is not.
std::string reason_of_refusal(const model::Pod& pod, const model::ContainerStatus& status) {
  if (!is_refused(status)) return {};
  const StartRefusal refusal = refusal_of(status);
  const Meaning<ContainerFailure> meaning = meaning_for_container(refusal.text);
  return fmt::format("{}: {}", refusal.reason,
                     meaning.failure == ContainerFailure::Other
                         ? without_ids(without_names(error_excerpt(refusal.text), pod))
                         : std::string(meaning.key));
}

/// Whether a refusal is the node's or the template's fault, as far as other nodes show.
struct Comparison {
  std::optional<std::int64_t>
      alike;                  // nodes with the same refusal, if the container starts on none
  bool is_only_here = false;  // it starts on all other nodes that were asked
};

Comparison compare_nodes(const NodeCase& c, const model::Pod& pod,
                         const model::ContainerStatus& status) {
  const auto& count =
      c.of.starts.of(c.of.claimed.owned, pod, status.name.view(), reason_of_refusal);
  if (count.refused.size() != 1) return {};
  const std::int64_t refused = count.refused.begin()->second;
  Comparison result{.alike = {}, .is_only_here = count.started > 0 && refused == 1};
  if (count.started == 0 && refused > 1) result.alike = refused;
  return result;
}

// ---- settings of securityContext that only one container of a pod has

struct OwnSecurity {
  std::vector<Message> settings = {};
  std::vector<Evidence> evidence = {};
  bool may_be_filtered = false;  // by its seccomp profile
};

/// Whether `has` is true of another container of the pod.
bool any_other(const model::Pod& pod, const model::Container& than, const auto& has) {
  const auto is_other = [&](const model::Container& one) { return &one != &than && has(one); };
  return std::ranges::any_of(pod.spec->containers, is_other) ||
         std::ranges::any_of(pod.spec->init_containers, is_other);
}

/// "spec.containers[2].securityContext.privileged".
std::string security_path(const model::Pod& pod, const model::Container& container,
                          std::string_view field) {
  const auto& main = pod.spec->containers;
  const bool is_main = &container >= main.data() && &container < main.data() + main.size();
  const auto& list = is_main ? main : pod.spec->init_containers;
  return fmt::format("spec.{}[{}].securityContext.{}", is_main ? "containers" : "initContainers",
                     &container - list.data(), field);
}

using Capabilities = std::vector<model::Text> model::Container::*;

/// The capabilities in that list that no other container of the pod has there.
std::vector<std::string> own_capabilities(const model::Pod& pod, const model::Container& container,
                                          Capabilities list) {
  std::vector<std::string> result;
  for (const model::Text& name : container.*list) {
    const auto has = [&](const model::Container& one) {
      return std::ranges::find(one.*list, name) != (one.*list).end();
    };
    if (!any_other(pod, container, has)) result.push_back(name.str());
  }
  return result;
}

void add_seccomp(const model::Pod& pod, const model::Container& container, OwnSecurity& into) {
  const std::string_view type = container.seccomp_type;
  // Nothing is filtered in a privileged container, nor in an unconfined one.
  if (type.empty() || type == "Unconfined" || container.privileged) return;
  const bool is_local = type == "Localhost";
  const auto has_it = [&](const model::Container& one) {
    const bool is_own = !one.seccomp_type.empty();
    if (one.privileged || (is_own ? one.seccomp_type : pod.spec->seccomp_type) != type)
      return false;
    return !is_local ||
           container.seccomp_profile == (is_own ? one.seccomp_profile : pod.spec->seccomp_profile);
  };
  if (any_other(pod, container, has_it)) return;
  const std::string_view profile = is_local ? container.seccomp_profile.view() : std::string_view();
  into.may_be_filtered = true;
  into.settings.emplace_back(phrase::OwnSeccomp{.profile = profile, .type = type});
  const std::string field =
      fmt::format("seccompProfile.{}", is_local ? "localhostProfile" : "type");
  into.evidence.emplace_back(ref_of(pod), security_path(pod, container, field),
                             std::string(is_local ? profile : type));
}

void add_capabilities(const model::Pod& pod, const model::Container& container, OwnSecurity& into) {
  const auto add = [&](Capabilities list, std::string_view name) {
    const std::vector<std::string> own = own_capabilities(pod, container, list);
    if (own.empty()) return;
    into.settings.emplace_back(
        phrase::OwnCapabilities{.capabilities = own, .they_are_dropped = name == "drop"});
    into.evidence.emplace_back(ref_of(pod),
                               security_path(pod, container, fmt::format("capabilities.{}", name)),
                               fmt::format("{}", fmt::join(own, ", ")));
  };
  add(&model::Container::added_capabilities, "add");
  add(&model::Container::dropped_capabilities, "drop");
}

/// The settings that set the container apart from those of its pod that have started.
OwnSecurity own_security(const model::Pod& pod, const model::ContainerStatus& status) {
  const model::Container* container = find_container(pod, status.name);
  const auto has_started = [&](const model::Container& one) {
    for (const auto* statuses : {&pod.statuses, &pod.init_statuses}) {
      const auto its = model::find_status(*statuses, one.name);
      if (its != nullptr) return its->running || (its->terminated && !is_refused(*its));
    }
    return false;
  };
  OwnSecurity result;
  if (container == nullptr || !any_other(pod, *container, has_started)) return result;
  add_seccomp(pod, *container, result);
  add_capabilities(pod, *container, result);
  const auto is_privileged = [](const model::Container& one) { return one.privileged; };
  if (container->privileged && !any_other(pod, *container, is_privileged)) {
    result.settings.emplace_back(phrase::OwnPrivilege{});
    result.evidence.emplace_back(ref_of(pod), security_path(pod, *container, "privileged"), "true");
  }
  return result;
}

/// Whether nothing but the text says why the container does not start.
bool is_unexplained(const StartRefusal& refusal, ContainerFailure failure) {
  return refusal.reason != "PostStartHookError" &&
         (failure == ContainerFailure::Other || failure == ContainerFailure::Cgroup);
}

/// Adds to an unexplained refusal what other nodes and the pod's other containers show.
void add_comparison(const NodeCase& c, const model::Pod& pod, const model::ContainerStatus& status,
                    finding::ContainerCreate& kind, std::vector<Evidence>& evidence) {
  const Comparison nodes = compare_nodes(c, pod, status);
  kind.alike = nodes.alike;
  kind.only_this_node_refuses_it = nodes.is_only_here;
  kind.nothing_else_is_known = !nodes.alike && !nodes.is_only_here;
  if (nodes.is_only_here) return;
  OwnSecurity own = own_security(pod, status);
  kind.own = own.settings;
  kind.its_profile_may_filter = own.may_be_filtered;
  kind.its_privileges_are_its_own =
      own.settings.size() > static_cast<std::size_t>(own.may_be_filtered);
  kind.all_nodes_refuse_it = nodes.alike && own.settings.empty();
  std::ranges::move(own.evidence, std::back_inserter(evidence));
}

finding::ContainerCreate create_kind(const model::Pod& pod, std::string_view container,
                                     const StartRefusal& refusal, ContainerFailure failure,
                                     const std::optional<Message>& cause, bool damaged) {
  using enum ContainerFailure;
  const bool is_hook = refusal.reason == "PostStartHookError";
  const auto is = [&](ContainerFailure one) { return !is_hook && failure == one; };
  const bool is_of_node = is(ContainerFailure::Disk) || is(ContainerFailure::Busy) ||
                          is(ContainerFailure::Driver) || is(Toolkit) || is(Store) || is(Tool);
  const bool has_limit = !memory_limit(pod, container).empty();
  return {.a_device_is_missing = is(Device),
          .a_mount_is_refused = is(Mount),
          .a_program_of_the_node_is_missing = is(Tool),
          .alike = std::optional<std::int64_t>(),
          .all_nodes_refuse_it = false,
          .another_gpu_is_needed = is(Gpu),
          .cause = is_hook ? std::nullopt : cause,
          .container = container,
          .its_hook_fails = is_hook,
          .its_privileges_are_its_own = false,
          .its_profile_may_filter = false,
          .nothing_else_is_known = is_unexplained(refusal, failure),
          .only_this_node_refuses_it = false,
          .own = {},
          .reason = refusal.reason,
          .root = is_of_node ? "Node" : "",
          .said = error_excerpt(refusal.text),
          .the_command_is_wrong = is(Command),
          .the_disk_is_full = is(ContainerFailure::Disk),
          .the_graphics_driver_fails = is(ContainerFailure::Driver),
          .the_graphics_toolkit_fails = is(Toolkit),
          .the_host_port_is_taken = is(ContainerFailure::Port),
          .the_image_is_damaged = is(Program) && damaged,
          .the_memory_limit_is_low = is(Memory) && has_limit,
          .the_node_lacks_memory = is(Memory) && !has_limit,
          .the_profile_is_missing = is(Profile),
          .the_program_does_not_fit = is(Program) && !damaged,
          .the_runtime_is_slow = is(ContainerFailure::Busy),
          .the_store_is_damaged = is(Store),
          .the_user_is_missing = is(User),
          .the_working_directory_is_wrong = is(Directory)};
}

}  // namespace

Finding config_finding(const NodeCase& c, const model::Pod& pod,
                       const model::ContainerStatus& status) {
  const std::string text = without_pod(error_excerpt(status.waiting->message));
  const ConfigFailure failure = meaning_for_configuration(status.waiting->message);
  const bool of_kubelet = failure == ConfigFailure::Other && template_works(c, pod);
  Finding finding = make_finding(
      finding::ContainerConfig{
          .an_object_is_missing = failure == ConfigFailure::Object,
          .container = status.name,
          .it_would_run_as_root = failure == ConfigFailure::Root,
          .nothing_else_is_known = failure == ConfigFailure::Other && !of_kubelet,
          .object = missing_object(status.waiting->message),
          .said = text,
          .the_kubelet_fails = of_kubelet,
          .the_kubelet_has_not_read_it = failure == ConfigFailure::Unread,
          .the_path_is_missing = failure == ConfigFailure::Path},
      {waiting_evidence(pod, status)}, names_of(c, pod.meta.name));
  finding.group = refusal_group(status, "config", without_names(text, pod));
  if (failure == ConfigFailure::Unread) {
    settle_at_first(finding, to_be_started_since(pod, status), c.of.facts.now());
  }
  return finding;
}

std::optional<Finding> create_finding(const NodeCase& c, const model::Pod& pod,
                                      const model::ContainerStatus& status) {
  if (!is_refused(status)) return std::nullopt;
  const StartRefusal refusal = refusal_of(status);
  const Meaning<ContainerFailure> meaning = meaning_for_container(refusal.text);
  const bool is_hook = refusal.reason == "PostStartHookError";
  const std::optional<Message> damage = damaged_image(c, pod, status, refusal.text);
  finding::ContainerCreate kind =
      create_kind(pod, status.name, refusal, meaning.failure, damage ? damage : meaning.cause(),
                  damage.has_value());
  std::vector<Evidence> evidence = refusal_evidence(pod, status, refusal);
  if (is_unexplained(refusal, meaning.failure)) add_comparison(c, pod, status, kind, evidence);
  Finding finding = make_finding(kind, std::move(evidence), names_of(c, pod.meta.name));
  const std::string key = is_hook  ? std::string()
                          : damage ? fmt::format("damaged|{}", c.node.architecture.view())
                                   : std::string(meaning.key);
  finding.group = finding.root == "Node" ? key : refusal_group(status, refusal.reason, key);
  if (!is_hook && meaning.failure == ContainerFailure::Busy) {
    settle_at_first(finding, to_be_started_since(pod, status), c.of.facts.now());
  }
  return finding;
}

std::optional<Message> damaged_image(const NodeCase& c, const model::Pod& pod,
                                     const model::ContainerStatus& status, std::string_view text) {
  if (!is_of_program_format(text) || !runs_elsewhere(c, image_ref(pod, status.name))) {
    return std::nullopt;
  }
  return phrase::ImageIsDamaged{.architecture = c.node.architecture};
}

}  // namespace dsdoctor::diagnosis
