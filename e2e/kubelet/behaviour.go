// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"
)

// BehaviourAnnotation on a pod sets its simulated state; without it, it runs and is ready.
const BehaviourAnnotation = "sim/behaviour"

// ReasonAnnotation is the status.reason of a rejected pod, MessageAnnotation its status.message.
const (
	ReasonAnnotation  = "sim/reason"
	MessageAnnotation = "sim/message"
)

type behaviour string

const (
	healthy  behaviour = ""
	crash    behaviour = "crash"     // CrashLoopBackOff
	oom      behaviour = "oom"       // CrashLoopBackOff, OOMKilled each time
	pull     behaviour = "pull"      // ImagePullBackOff
	config   behaviour = "config"    // CreateContainerConfigError
	creating behaviour = "creating"  // its containers are never created, without an error
	initFail behaviour = "init-fail" // its first init container crashes
	unready  behaviour = "unready"   // runs, but fails its readiness probe
	ignored  behaviour = "ignored"   // the kubelet ignores it
	slowStop behaviour = "slow-stop" // uses its whole termination grace period
	reject   behaviour = "reject"    // rejected by the kubelet: phase Failed
)

func behaviourOf(pod *v1.Pod) behaviour { return behaviour(pod.Annotations[BehaviourAnnotation]) }

// apply sets the status that the kubelet would write.
func (b behaviour) apply(pod *v1.Pod) {
	switch b {
	case ignored:
		return
	case reject:
		applyRejection(pod)
		return
	}
	if pod.Status.StartTime == nil {
		now := metav1.Now()
		pod.Status.StartTime = &now
	}
	pod.Status.Phase = v1.PodRunning
	if b == pull || b == config || b == creating || b == initFail {
		pod.Status.Phase = v1.PodPending
	}
	pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses = nil, nil
	for i, c := range pod.Spec.InitContainers {
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, withResources(b.ofInit(pod, c, i == 0), c))
	}
	ready := v1.ConditionTrue
	for _, c := range pod.Spec.Containers {
		status := withResources(b.of(pod, c), c)
		if !status.Ready {
			ready = v1.ConditionFalse
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
	reportRequests(pod)
	initialized := v1.ConditionTrue
	if b == initFail {
		initialized = v1.ConditionFalse
	}
	setPodCondition(pod, v1.PodInitialized, initialized)
	setPodCondition(pod, v1.ContainersReady, ready)
	setPodCondition(pod, v1.PodReady, ready)
}

// withResources adds what kubelets report of a container that was not resized.
func withResources(status v1.ContainerStatus, c v1.Container) v1.ContainerStatus {
	status.AllocatedResources = c.Resources.Requests
	status.Resources = c.Resources.DeepCopy()
	return status
}

// reportRequests sets the sums over all containers and the overhead, as kubelets since 1.36 do.
func reportRequests(pod *v1.Pod) {
	requests := resourcehelper.PodRequests(pod.DeepCopy(), resourcehelper.PodResourcesOptions{})
	if len(requests) == 0 {
		return
	}
	pod.Status.AllocatedResources = requests
	reported := v1.ResourceList{}
	for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
		if amount, present := requests[name]; present {
			reported[name] = amount
		}
	}
	pod.Status.Resources = &v1.ResourceRequirements{Requests: reported}
}

// of is the status of a container.
func (b behaviour) of(pod *v1.Pod, c v1.Container) v1.ContainerStatus {
	running := v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: *pod.Status.StartTime}}
	started := true
	status := v1.ContainerStatus{Name: c.Name, Image: c.Image, State: running, Started: &started}
	switch b {
	case crash:
		return crashing(pod, status, "Error", 1)
	case oom:
		return crashing(pod, status, "OOMKilled", 137)
	case pull:
		status.State = waiting("ImagePullBackOff", "Back-off pulling image")
	case config:
		status.State = waiting("CreateContainerConfigError", `configmap "settings" not found`)
	case creating:
		status.State = waiting("ContainerCreating", "")
	case initFail:
		status.State = waiting("PodInitializing", "")
	case unready:
	default:
		status.Ready = true
	}
	if status.State.Running == nil {
		started = false
	}
	return status
}

// ofInit is the status of an init container, which is completed unless it is the failing one.
func (b behaviour) ofInit(pod *v1.Pod, c v1.Container, first bool) v1.ContainerStatus {
	status := v1.ContainerStatus{Name: c.Name, Image: c.Image, Ready: true}
	status.State.Terminated = &v1.ContainerStateTerminated{
		Reason: "Completed", StartedAt: *pod.Status.StartTime, FinishedAt: *pod.Status.StartTime,
	}
	if b != initFail {
		return status
	}
	if !first {
		status.Ready, status.State = false, waiting("PodInitializing", "")
		return status
	}
	return crashing(pod, status, "Error", 1)
}

// crashing makes it a container that waits for its next start.
func crashing(pod *v1.Pod, status v1.ContainerStatus, reason string, exitCode int32) v1.ContainerStatus {
	started := false
	status.Ready, status.Started, status.RestartCount = false, &started, 5
	status.State = waiting("CrashLoopBackOff", "back-off 2m40s restarting failed container")
	status.LastTerminationState.Terminated = &v1.ContainerStateTerminated{
		ExitCode: exitCode, Reason: reason,
		StartedAt: *pod.Status.StartTime, FinishedAt: *pod.Status.StartTime,
	}
	return status
}

func applyRejection(pod *v1.Pod) {
	reason := pod.Annotations[ReasonAnnotation]
	if reason == "" {
		reason = "OutOfcpu"
	}
	pod.Status.Phase = v1.PodFailed
	pod.Status.Reason = reason
	pod.Status.Message = pod.Annotations[MessageAnnotation]
	if pod.Status.Message == "" {
		pod.Status.Message = "Pod was rejected: " + reason
	}
}

func waiting(reason, message string) v1.ContainerState {
	return v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func setPodCondition(pod *v1.Pod, kind v1.PodConditionType, status v1.ConditionStatus) {
	want := v1.PodCondition{Type: kind, Status: status, LastTransitionTime: metav1.Now()}
	for i, c := range pod.Status.Conditions {
		if c.Type == kind {
			if c.Status != status {
				pod.Status.Conditions[i] = want
			}
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, want)
}
