#include "diagnosis/catalogue/catalogue_tables.h"

namespace dsdoctor::diagnosis {
namespace {

using enum Severity;

constexpr CatalogueEntry entries[] = {
    {"image-pull", Error, Scope::Pod, "startup", "a container's image cannot be pulled",
     "state.waiting.reason ErrImagePull, ImagePullBackOff, RegistryUnavailable, "
     "SignatureValidationFailed or ImageInspectError; the cause is read from the newest Failed "
     "event",
     "correct the name or the tag, or push the image: {missing}\nattach a pull secret to the pods "
     "or their service account for {denied}, or renew it\npull with credentials, through a mirror, "
     "or wait: {limited}\ngive the runtime the registry's CA: {untrusted}\nopen the way from the "
     "node to the registry of {unreachable}\nbuild the image for all platforms, or keep the "
     "DaemonSet off these nodes: {platform}\nfree disk space on node {full}\nask the registry or "
     "the runtime for more: {other}\nthe kubelet tries again after 10 s and up to 5 min",
     ""},
    {"image-invalid", Error, Scope::Pod, "startup", "a container names no valid image",
     "state.waiting.reason InvalidImageName",
     "correct spec.template.spec.containers[].image: kubectl --namespace {ns} edit daemonset {ds}",
     ""},
    {"image-never", Error, Scope::Pod, "startup",
     "a container may not pull its image, and the node does not have it",
     "state.waiting.reason ErrImageNeverPull",
     "load {image} onto node {node}, or choose another imagePullPolicy", ""},
    {"image-pulling", Info, Scope::Pod, "startup", "an image is being pulled",
     "a Pulling event without Pulled; a warning after five minutes",
     "wait; if it stays so, look at the bandwidth between node {node} and the registry", ""},
    {"volume-mount", Error, Scope::Pod, "startup",
     "a volume of the pod cannot be attached or mounted",
     "not started for a minute, and the newest of the events FailedMount, FailedAttachVolume and "
     "FailedMapVolume",
     "create what it mounts, or mark the source optional; what pod {object} lacks stands in: "
     "kubectl --namespace {ns} get events --field-selector involvedObject.name={pod}\na volume "
     "that only one node can have does not fit a DaemonSet: use hostPath, a generic ephemeral "
     "volume or a ReadWriteMany claim for {elsewhere}\ncorrect the path or its type, or create it "
     "on node {path}\nlook at the CSI driver's own DaemonSet on node {driver}: kubectl get csinode "
     "{node} --output yaml",
     ""},
    {"sandbox", Error, Scope::Pod, "startup", "the runtime cannot make the pod's sandbox",
     "FailedCreatePodSandBox without any progress after it",
     "look at the network plugin's pod on node {cni}\ngive node {addresses} a larger address "
     "range, or fewer pods\nconfigure the handler of the RuntimeClass in the runtime of node "
     "{handler}\nkubectl --namespace {ns} describe pod {pod}",
     ""},
    {"network-not-ready", Error, Scope::Pod, "startup",
     "the node's network is not set up, and the pod needs it",
     "NetworkNotReady without any progress after it; never for hostNetwork",
     "look at the network plugin's pod on node {node}", ""},
    {"dra-prepare", Error, Scope::Pod, "startup",
     "the devices of a resource claim cannot be prepared",
     "FailedPrepareDynamicResources without any progress after it",
     "look at the driver's plugin on node {node}", ""},
    {"creating-slow", Warning, Scope::Pod, "startup",
     "containers are being made for long, and no event says why",
     "state.waiting.reason ContainerCreating or PodInitializing for more than five minutes; "
     "PodReadyToStartContainers tells sandbox from containers",
     "look into the kubelet's log on node {node}\nkubectl --namespace {ns} describe pod {pod}", ""},
    {"container-config", Error, Scope::Pod, "startup",
     "a container cannot be made from its configuration",
     "state.waiting.reason CreateContainerConfigError",
     "create the Secret, ConfigMap or key that is named, in namespace {object}\nset runAsUser, or "
     "take an image that does not run as root: {root}",
     ""},
    {"container-create", Error, Scope::Pod, "startup",
     "the runtime cannot create or start a container",
     "state.waiting.reason CreateContainerError, RunContainerError, PreCreateHookError, "
     "PreStartHookError or PostStartHookError; terminated reason StartError or ContainerCannotRun",
     "correct the command, the mount or the device that the text names: kubectl --namespace {ns} "
     "describe pod {pod}",
     ""},
    {"container-crash", Error, Scope::Pod, "startup", "a container starts and ends, over and over",
     "state.waiting.reason CrashLoopBackOff, or three restarts within ten minutes",
     "kubectl --namespace {ns} logs {pod} --container {container} --previous", ""},
    {"container-oom", Error, Scope::Pod, "startup", "a container was killed for want of memory",
     "terminated reason OOMKilled, of the present or the last run",
     "raise the memory limit of container {limited}, or mend its use of memory: kubectl "
     "--namespace {ns} edit daemonset {ds}\nset requests and limits for what runs on the node: "
     "kubectl describe node {node}",
     ""},
    {"container-port-bind", Error, Scope::Pod, "startup",
     "a container on the host's network finds its port taken",
     "a crash whose termination message says that the address is in use; hostNetwork",
     "find the process: kubectl debug node/{node} --stdin --tty --image=busybox -- netstat "
     "-lnp\ndeclare port {port} as hostPort, so that the scheduler keeps it free",
     ""},
    {"init-blocked", Error, Scope::Pod, "startup",
     "an init container or a sidecar holds up all that follow",
     "the first of status.initContainerStatuses that is neither done nor, as a sidecar, started",
     "kubectl --namespace {ns} logs {pod} --container {running}\nkubectl --namespace {ns} logs "
     "{pod} --container {ended} --previous",
     ""},
    {"probe-failing", Error, Scope::Pod, "readiness", "a container runs without passing a probe",
     "running and not ready for longer than its startup and readiness probes allow, and a minute; "
     "Unhealthy events",
     "run the probe by hand: kubectl --namespace {ns} exec {pod} --container {container} -- "
     "COMMAND\nkubectl --namespace {ns} logs {pod} --container {container}",
     ""},
    {"readiness-gate", Error, Scope::Pod, "readiness", "a readiness gate of the pod is not passed",
     "condition Ready False with reason ReadinessGatesNotReady; each gate's condition",
     "look at the controller that sets the condition: kubectl --namespace {ns} describe pod {pod}",
     ""},
    {"not-ready-node", Error, Scope::Pod, "readiness",
     "the pod counts as not ready because its node is not",
     "Ready False while the node is not ready, and containers last seen ready or an event "
     "NodeNotReady",
     "mend the node: kubectl describe node {node}", ""},
    {"pod-warming", Info, Scope::Pod, "readiness",
     "the pod is ready, but not yet for minReadySeconds",
     "lastTransitionTime of condition Ready, and spec.minReadySeconds", "", ""},
    {"restarts-high", Info, Scope::Pod, "readiness", "a ready pod has restarted often within a day",
     "more than five restarts within 24 hours and none of them by a reboot; for an older pod, as "
     "many on average and the last one within 24 hours",
     "kubectl --namespace {ns} logs {pod} --container {container} --previous", ""},
};

}  // namespace

std::span<const CatalogueEntry> startup_entries() { return entries; }

}  // namespace dsdoctor::diagnosis
