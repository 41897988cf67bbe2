// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/daemon_set.h"
#include "model/meta_fields.h"
#include "model/pod.h"

/// Descriptions of pods, DaemonSets and ControllerRevisions.
namespace dsdoctor::model::description {

template <>
inline constexpr auto fields<ContainerPort> =
    std::tuple(field<&ContainerPort::container_port, Int32>("containerPort"),
               field<&ContainerPort::host_port, Int32>("hostPort"),
               field<&ContainerPort::protocol>("protocol"),
               field<&ContainerPort::host_ip>("hostIP", Holds::Address));

/// The object named after the action of the probe: `httpGet`, `exec`, ...
struct ProbeHandler;
template <>
inline constexpr auto fields<Probe> =
    std::tuple(ByHand<ProbeHandler>{}, hidden<&Probe::handler>(Holds::Path),
               field<&Probe::initial_delay, Int32>("initialDelaySeconds"),
               field<&Probe::period, Int32>("periodSeconds"),
               field<&Probe::success_threshold, Int32>("successThreshold"),
               field<&Probe::failure_threshold, Int32>("failureThreshold"));

/// `mountPath`, which shows whether the mount is that of a token.
struct MountPath;
template <>
inline constexpr auto fields<VolumeMount> = std::tuple(
    field<&VolumeMount::name>("name", Holds::Volume), field<&VolumeMount::read_only>("readOnly"),
    ByHand<MountPath>{}, hidden<&VolumeMount::of_token>(),
    field<&VolumeMount::bind_options>("bindMountOptions"));

/// `command`, `args` and `env`, of which only names of drivers are kept.
struct PluginArguments;
template <>
inline constexpr auto fields<Container> = std::tuple(
    field<&Container::name>("name", Holds::Container),
    field<&Container::image>("image", Holds::Image),
    field<&Container::image_pull_policy>("imagePullPolicy"),
    field<&Container::restart_policy>("restartPolicy"),
    object("resources", quantities<&Container::requests>("requests"),
           quantities<&Container::limits>("limits")),
    field<&Container::ports>("ports"), field<&Container::startup_probe>("startupProbe"),
    field<&Container::readiness_probe>("readinessProbe"),
    field<&Container::liveness_probe>("livenessProbe"),
    object("securityContext", field<&Container::privileged>("privileged"),
           object("capabilities", field<&Container::added_capabilities>("add"),
                  field<&Container::dropped_capabilities>("drop")),
           object("seccompProfile", field<&Container::seccomp_type>("type"),
                  field<&Container::seccomp_profile>("localhostProfile", Holds::Path))),
    each_named<&Container::restart_actions>("restartPolicyRules", "action", Holds::Nothing),
    field<&Container::mounts>("volumeMounts"), ByHand<PluginArguments>{},
    hidden<&Container::plugin_drivers>(Holds::Driver));

/// The object named after the kind of the volume.
struct VolumeSource;
template <>
inline constexpr auto fields<Volume> = std::tuple(
    field<&Volume::name>("name", Holds::Volume), ByHand<VolumeSource>{}, hidden<&Volume::kind>(),
    hidden<&Volume::source>(Holds::VolumeSource), hidden<&Volume::read_only>(),
    hidden<&Volume::optional>(), hidden<&Volume::must_exist>(), hidden<&Volume::certificate_key>());

template <>
inline constexpr auto fields<PodAffinityTerm> =
    std::tuple(field<&PodAffinityTerm::label_selector>("labelSelector"),
               field<&PodAffinityTerm::topology_key>("topologyKey", Holds::Key),
               field<&PodAffinityTerm::namespaces>("namespaces", Holds::Namespace),
               field<&PodAffinityTerm::namespace_selector>("namespaceSelector"),
               field<&PodAffinityTerm::match_label_keys>("matchLabelKeys", Holds::Key),
               field<&PodAffinityTerm::mismatch_label_keys>("mismatchLabelKeys", Holds::Key));

template <>
inline constexpr auto fields<TopologySpreadConstraint> =
    std::tuple(field<&TopologySpreadConstraint::topology_key>("topologyKey", Holds::Key),
               field<&TopologySpreadConstraint::max_skew, Int32>("maxSkew"),
               field<&TopologySpreadConstraint::when_unsatisfiable>("whenUnsatisfiable"),
               field<&TopologySpreadConstraint::label_selector>("labelSelector"),
               field<&TopologySpreadConstraint::min_domains, Int32>("minDomains"),
               field<&TopologySpreadConstraint::node_affinity_policy>("nodeAffinityPolicy"),
               field<&TopologySpreadConstraint::node_taints_policy>("nodeTaintsPolicy"),
               field<&TopologySpreadConstraint::match_label_keys>("matchLabelKeys", Holds::Key));

template <>
inline constexpr auto fields<PodResourceClaim> =
    std::tuple(field<&PodResourceClaim::name>("name", Holds::Object),
               field<&PodResourceClaim::claim_name>("resourceClaimName", Holds::Object),
               field<&PodResourceClaim::template_name>("resourceClaimTemplateName", Holds::Object));

/// Without `affinity`, parts of which are in PodTemplate.
template <>
inline constexpr auto fields<PodSpec> = std::tuple(
    hidden<&PodSpec::pod_affinity>(), hidden<&PodSpec::pod_anti_affinity>(),
    field<&PodSpec::containers>("containers"), field<&PodSpec::init_containers>("initContainers"),
    field<&PodSpec::volumes>("volumes"), quantities<&PodSpec::overhead>("overhead"),
    object("resources", quantities<&PodSpec::requests>("requests"),
           quantities<&PodSpec::limits>("limits")),
    field<&PodSpec::topology_spread>("topologySpreadConstraints"),
    field<&PodSpec::resource_claims>("resourceClaims"),
    each_named<&PodSpec::scheduling_gates>("schedulingGates", "name", Holds::Key),
    each_named<&PodSpec::readiness_gates>("readinessGates", "conditionType", Holds::Key),
    each_named<&PodSpec::image_pull_secrets>("imagePullSecrets", "name", Holds::Object),
    field<&PodSpec::service_account>("serviceAccountName", Holds::Object),
    field<&PodSpec::scheduler_name>("schedulerName", Holds::Program),
    field<&PodSpec::runtime_class>("runtimeClassName", Holds::Object),
    field<&PodSpec::priority_class>("priorityClassName", Holds::Object),
    field<&PodSpec::preemption_policy>("preemptionPolicy"),
    field<&PodSpec::priority, Int32>("priority"),
    field<&PodSpec::grace_seconds>("terminationGracePeriodSeconds"),
    object("schedulingGroup", field<&PodSpec::pod_group>("podGroupName", Holds::Object)),
    object("workloadRef", field<&PodSpec::workload>("name", Holds::Object)),
    object("os", field<&PodSpec::os>("name")), field<&PodSpec::host_pid>("hostPID"),
    field<&PodSpec::host_ipc>("hostIPC"), field<&PodSpec::host_users>("hostUsers"),
    object("securityContext",
           object("seccompProfile", field<&PodSpec::seccomp_type>("type"),
                  field<&PodSpec::seccomp_profile>("localhostProfile", Holds::Path))));

inline constexpr std::string_view required = "requiredDuringSchedulingIgnoredDuringExecution";

template <>
inline constexpr auto fields<PodTemplate> = std::tuple(
    object("metadata", field<&PodTemplate::labels>("labels", Holds::Value),
           annotation<&PodTemplate::restarted_at>(restarted_at_annotation)),
    object("spec", field<&PodTemplate::node_name>("nodeName", Holds::Node),
           field<&PodTemplate::node_selector>("nodeSelector", Holds::Value),
           object("affinity", object("nodeAffinity", field<&PodTemplate::node_affinity>(required)),
                  object("podAffinity",
                         inner<&PodTemplate::spec, &PodSpec::pod_affinity>(required)),
                  object("podAntiAffinity",
                         inner<&PodTemplate::spec, &PodSpec::pod_anti_affinity>(required))),
           field<&PodTemplate::tolerations>("tolerations"),
           field<&PodTemplate::host_network>("hostNetwork"), part<&PodTemplate::spec>()),
    hidden<&PodTemplate::namespace_selector>());

template <>
inline constexpr auto fields<TerminatedState> = std::tuple(
    field<&TerminatedState::exit_code, Int32>("exitCode"),
    field<&TerminatedState::signal, Int32>("signal"), field<&TerminatedState::reason>("reason"),
    field<&TerminatedState::message>("message", Holds::Message),
    field<&TerminatedState::started>("startedAt"), field<&TerminatedState::finished>("finishedAt"));

template <>
inline constexpr auto fields<WaitingState> =
    std::tuple(field<&WaitingState::reason>("reason"),
               field<&WaitingState::message>("message", Holds::Message));

/// `running`: only its presence is kept.
struct RunningState;
template <>
inline constexpr auto fields<ContainerStatus> =
    std::tuple(field<&ContainerStatus::name>("name", Holds::Container),
               field<&ContainerStatus::ready>("ready"), field<&ContainerStatus::started>("started"),
               field<&ContainerStatus::restart_count, Int32>("restartCount"),
               object("state", field<&ContainerStatus::waiting>("waiting"), ByHand<RunningState>{},
                      field<&ContainerStatus::terminated>("terminated")),
               hidden<&ContainerStatus::running>(), hidden<&ContainerStatus::running_since>(),
               object("lastState", field<&ContainerStatus::last_terminated>("terminated")),
               quantities<&ContainerStatus::allocated_resources>("allocatedResources"),
               field<&ContainerStatus::requests>("resources", Holds::Nothing, Requests{}));

/// `spec`, read as the spec of a PodTemplate.
struct SpecOfPod;
/// `managedFields`; only their newest time is kept for a pod.
struct LastWrite;
template <>
inline constexpr auto fields<Pod> = std::tuple(
    object("metadata", ByHand<LastWrite>{}, hidden<&Pod::last_write>(), part<&Pod::meta>(),
           object("annotations",
                  field<&Pod::mirror>(mirror_annotation, Holds::Nothing, Existence{}),
                  field<&Pod::do_not_disrupt>(do_not_disrupt_annotation),
                  field<&Pod::safe_to_evict>(safe_to_evict_annotation))),
    ByHand<SpecOfPod>{}, hidden<&Pod::node_name>(Holds::Node),
    hidden<&Pod::node_selector>(Holds::Value), hidden<&Pod::node_affinity>(),
    hidden<&Pod::tolerations>(), hidden<&Pod::host_network>(), hidden<&Pod::spec>(),
    object("status", field<&Pod::phase>("phase"), field<&Pod::reason>("reason"),
           field<&Pod::message>("message", Holds::Message),
           field<&Pod::nominated_node>("nominatedNodeName", Holds::Node),
           field<&Pod::qos_class>("qosClass"), field<&Pod::start_time>("startTime"),
           field<&Pod::conditions>("conditions"),
           field<&Pod::init_statuses>("initContainerStatuses"),
           field<&Pod::statuses>("containerStatuses"),
           quantities<&Pod::allocated_resources>("allocatedResources"),
           field<&Pod::resized_requests>("resources", Holds::Nothing, Requests{})));

template <>
inline constexpr auto fields<DaemonSetCounts> =
    std::tuple(field<&DaemonSetCounts::desired_number_scheduled, Int32>("desiredNumberScheduled"),
               field<&DaemonSetCounts::current_number_scheduled, Int32>("currentNumberScheduled"),
               field<&DaemonSetCounts::number_misscheduled, Int32>("numberMisscheduled"),
               field<&DaemonSetCounts::number_ready, Int32>("numberReady"),
               field<&DaemonSetCounts::number_available, Int32>("numberAvailable"),
               field<&DaemonSetCounts::updated_number_scheduled, Int32>("updatedNumberScheduled"));

template <>
inline constexpr auto fields<SpecEdit> = std::tuple(hidden<&SpecEdit::path>(Holds::ByHand),
                                                    hidden<&SpecEdit::applied>(Holds::ByHand),
                                                    hidden<&SpecEdit::live>(Holds::ByHand));

template <>
inline constexpr auto fields<AppliedTemplate> =
    std::tuple(hidden<&AppliedTemplate::tolerations>(), hidden<&AppliedTemplate::node_affinity>());

template <>
inline constexpr auto fields<OtherKind> = std::tuple(hidden<&OtherKind::api_version>(),
                                                     hidden<&OtherKind::kind>());

/// Members computed from the template and the last apply have no field in the API.
template <>
inline constexpr auto fields<DaemonSet> = std::tuple(
    object("metadata", part<&DaemonSet::meta>(),
           field<&DaemonSet::annotations>("annotations", Holds::ByHand),
           field<&DaemonSet::generation>("generation")),
    object("spec", field<&DaemonSet::selector>("selector"),
           field<&DaemonSet::pod_template>("template"),
           field<&DaemonSet::min_ready_seconds, Int32>("minReadySeconds"),
           object("updateStrategy", field<&DaemonSet::update_strategy>("type"),
                  object("rollingUpdate", field<&DaemonSet::max_unavailable>("maxUnavailable"),
                         field<&DaemonSet::max_surge>("maxSurge")))),
    object("status", part<&DaemonSet::reported>(),
           field<&DaemonSet::observed_generation>("observedGeneration")),
    hidden<&DaemonSet::template_fingerprint>(), hidden<&DaemonSet::edits>(),
    hidden<&DaemonSet::applied>(), hidden<&DaemonSet::other_kind>());

template <>
inline constexpr auto fields<ControllerRevision> =
    std::tuple(object("metadata", part<&ControllerRevision::meta>()),
               field<&ControllerRevision::revision>("revision"),
               hidden<&ControllerRevision::template_fingerprint>(),
               hidden<&ControllerRevision::pod_template>());

}  // namespace dsdoctor::model::description
