package kubelet

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BehaviourAnnotation on a pod says how it fares on its node; without it, it runs and is ready.
const BehaviourAnnotation = "sim/behaviour"

// ReasonAnnotation is the status.reason of a rejected pod.
const ReasonAnnotation = "sim/reason"

type behaviour string

const (
	healthy  behaviour = ""
	crash    behaviour = "crash"     // CrashLoopBackOff
	pull     behaviour = "pull"      // ImagePullBackOff
	slowStop behaviour = "slow-stop" // uses its whole termination grace period
	reject   behaviour = "reject"    // refused by the kubelet: phase Failed
)

func behaviourOf(pod *v1.Pod) behaviour { return behaviour(pod.Annotations[BehaviourAnnotation]) }

// apply makes the status what the kubelet would write.
func (b behaviour) apply(pod *v1.Pod) {
	if b == reject {
		applyRejection(pod)
		return
	}
	if pod.Status.StartTime == nil {
		now := metav1.Now()
		pod.Status.StartTime = &now
	}
	pod.Status.Phase = v1.PodRunning
	ready := v1.ConditionTrue
	state := v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: *pod.Status.StartTime}}
	restarts := int32(0)
	switch b {
	case crash:
		ready = v1.ConditionFalse
		restarts = 5
		state = waiting("CrashLoopBackOff", "back-off 2m40s restarting failed container")
	case pull:
		ready = v1.ConditionFalse
		pod.Status.Phase = v1.PodPending
		state = waiting("ImagePullBackOff", "Back-off pulling image")
	}
	pod.Status.ContainerStatuses = nil
	for _, c := range pod.Spec.Containers {
		status := v1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: ready == v1.ConditionTrue,
			RestartCount: restarts, State: state,
		}
		if b == crash {
			status.LastTerminationState.Terminated = &v1.ContainerStateTerminated{
				ExitCode: 1, Reason: "Error",
				StartedAt: *pod.Status.StartTime, FinishedAt: *pod.Status.StartTime,
			}
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
	setPodCondition(pod, v1.PodInitialized, v1.ConditionTrue)
	setPodCondition(pod, v1.ContainersReady, ready)
	setPodCondition(pod, v1.PodReady, ready)
}

func applyRejection(pod *v1.Pod) {
	reason := pod.Annotations[ReasonAnnotation]
	if reason == "" {
		reason = "OutOfcpu"
	}
	pod.Status.Phase = v1.PodFailed
	pod.Status.Reason = reason
	pod.Status.Message = "Pod was rejected: " + reason
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
