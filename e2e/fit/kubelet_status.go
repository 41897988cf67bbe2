// SPDX-License-Identifier: Apache-2.0

package fit

import (
	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"dsdoctor.dev/oracle"
)

// reportStatus gives a pod the status that a kubelet writes (pkg/kubelet/kubelet_pods.go,
// convertStatusToAPIStatus), at any stage of a resize of containers, or of the pod as a whole.
func (g *generator) reportStatus(pod *v1.Pod) {
	previous := g.beforeResize(pod)
	allocated, actuated := pod, pod
	resize := v1.PodCondition{Status: v1.ConditionTrue, LastTransitionTime: created}
	switch g.r.IntN(6) {
	case 0, 1: // nothing was resized, or it is done
	case 2: // the kubelet has not seen the new requests
		allocated, actuated = previous, previous
	case 3: // the node cannot grant them, or not now
		allocated, actuated = previous, previous
		resize.Type = v1.PodResizePending
		resize.Reason = oracle.Pick(g.r, []string{v1.PodReasonInfeasible, v1.PodReasonDeferred})
	default: // granted, and not actuated yet
		actuated = previous
		resize.Type = v1.PodResizeInProgress
	}
	if resize.Type != "" {
		pod.Status.Conditions = append(pod.Status.Conditions, resize)
	}
	status := &pod.Status
	status.ContainerStatuses = statuses(allocated.Spec.Containers, actuated.Spec.Containers)
	status.InitContainerStatuses = statuses(allocated.Spec.InitContainers, actuated.Spec.InitContainers)
	if g.chance(20) {
		return // kubelets before 1.36, or InPlacePodLevelResourcesVerticalScaling is off
	}
	status.AllocatedResources = incomingRequests(allocated)
	status.Resources = podLevelStatus(allocated, actuated)
}

// beforeResize is the pod with other requests of cpu and memory; a resize neither adds nor removes
// one.
func (g *generator) beforeResize(pod *v1.Pod) *v1.Pod {
	previous := pod.DeepCopy()
	change := func(list v1.ResourceList) {
		for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
			if _, present := list[name]; present && g.chance(60) {
				list[name] = g.amount(name)
			}
		}
	}
	for i := range previous.Spec.Containers {
		change(previous.Spec.Containers[i].Resources.Requests)
	}
	for i := range previous.Spec.InitContainers {
		change(previous.Spec.InitContainers[i].Resources.Requests)
	}
	if previous.Spec.Resources != nil {
		change(previous.Spec.Resources.Requests)
	}
	return previous
}

func statuses(allocated, actuated []v1.Container) (list []v1.ContainerStatus) {
	for i, c := range allocated {
		list = append(list, v1.ContainerStatus{
			Name: c.Name, Image: c.Image, ImageID: c.Image, Ready: true,
			AllocatedResources: c.Resources.Requests,
			Resources:          actuated[i].Resources.DeepCopy(),
		})
	}
	return list
}

// podLevelStatus: of a running pod cpu is read from its cgroup, which includes the overhead; memory
// is what the spec of the pod requests, or else the sum over its containers.
func podLevelStatus(allocated, actuated *v1.Pod) *v1.ResourceRequirements {
	if allocated.Status.Phase != v1.PodRunning {
		return &v1.ResourceRequirements{
			Requests: incomingRequests(allocated),
			Limits:   resourcehelper.PodLimits(allocated.DeepCopy(), resourcehelper.PodResourcesOptions{}),
		}
	}
	status := allocated.Spec.Resources.DeepCopy()
	if status == nil {
		status = &v1.ResourceRequirements{}
	}
	if status.Requests == nil {
		status.Requests = v1.ResourceList{}
	}
	if cpu, present := incomingRequests(actuated)[v1.ResourceCPU]; present {
		status.Requests[v1.ResourceCPU] = cpu
	}
	memory, present := incomingRequests(allocated)[v1.ResourceMemory]
	if _, set := status.Requests[v1.ResourceMemory]; present && !set {
		status.Requests[v1.ResourceMemory] = memory
	}
	return status
}
