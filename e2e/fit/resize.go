// SPDX-License-Identifier: Apache-2.0

package fit

import (
	v1 "k8s.io/api/core/v1"

	"dsdoctor.dev/oracle"
)

// resize gives a pod the status of an in-place resize, at any stage, with fields that do not belong
// together: those of any kubelet, or of a file.
func (g *generator) resize(pod *v1.Pod) {
	for _, c := range pod.Spec.Containers {
		if g.chance(70) {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, g.resized(c))
		}
	}
	for _, c := range pod.Spec.InitContainers {
		if g.chance(70) {
			pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, g.resized(c))
		}
	}
	if g.chance(40) {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
			Type: v1.PodResizePending, Status: v1.ConditionTrue, LastTransitionTime: created,
			Reason: oracle.Pick(g.r, []string{v1.PodReasonInfeasible, v1.PodReasonInfeasible, v1.PodReasonDeferred, "Error"}),
		})
	}
	if pod.Spec.Resources != nil && g.chance(50) {
		if g.chance(70) {
			pod.Status.Resources = &v1.ResourceRequirements{Requests: g.changed(pod.Spec.Resources.Requests)}
		}
		if g.chance(70) {
			pod.Status.AllocatedResources = g.changed(pod.Spec.Resources.Requests)
		}
	}
}

func (g *generator) resized(c v1.Container) v1.ContainerStatus {
	status := v1.ContainerStatus{Name: c.Name, Image: c.Image, ImageID: c.Image, Ready: true}
	if g.chance(80) {
		status.Resources = &v1.ResourceRequirements{Requests: g.changed(c.Resources.Requests)}
	}
	if g.chance(70) {
		status.AllocatedResources = g.changed(c.Resources.Requests)
	}
	return status
}

// changed is a list of about the same resources with other amounts of cpu and memory.
func (g *generator) changed(list v1.ResourceList) v1.ResourceList {
	other := v1.ResourceList{}
	for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage, gpu, "hugepages-2Mi"} {
		quantity, present := list[name]
		resizable := name == v1.ResourceCPU || name == v1.ResourceMemory
		if resizable && g.chance(40) {
			quantity, present = g.amount(name), true
		}
		if present && !g.chance(10) {
			other[name] = quantity
		}
	}
	return other
}
