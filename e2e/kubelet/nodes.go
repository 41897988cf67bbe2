// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// ReadyAnnotation on a node controls its kubelet: "false" reports Ready=False, "stop" stops it
// completely (no heartbeat, no work on pods). Any other value is a healthy kubelet.
const ReadyAnnotation = "sim/ready"

func stopped(node *v1.Node) bool { return node.Annotations[ReadyAnnotation] == "stop" }

// beat renews leases until ctx ends.
func (s *simulator) beat(ctx context.Context) {
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		nodes, _ := s.nodes.List(labels.Everything())
		for _, node := range nodes {
			s.queue.Add(item{"lease", node.Name})
		}
	}
}

func (s *simulator) renewLease(ctx context.Context, name string) error {
	node, err := s.nodes.Get(name)
	if err != nil || stopped(node) {
		return nil // deleted, or stopped on purpose
	}
	now := metav1.NowMicro()
	leases := s.client.CoordinationV1().Leases(v1.NamespaceNodeLease)
	lease, err := leases.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		duration := int32(40)
		_, err = leases.Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{
				Name: name,
				OwnerReferences: []metav1.OwnerReference{
					{APIVersion: "v1", Kind: "Node", Name: name, UID: node.UID},
				},
			},
			Spec: coordinationv1.LeaseSpec{
				HolderIdentity: &name, LeaseDurationSeconds: &duration, RenewTime: &now,
			},
		}, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec.RenewTime = &now
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

// keepNode writes the conditions that a kubelet would report, if they differ.
func (s *simulator) keepNode(ctx context.Context, name string) error {
	cached, err := s.nodes.Get(name)
	if err != nil || stopped(cached) {
		return nil
	}
	node := cached.DeepCopy()
	changed := giveCapacity(node)
	ready := v1.ConditionTrue
	if node.Annotations[ReadyAnnotation] == "false" {
		ready = v1.ConditionFalse
	}
	changed = setNodeCondition(node, v1.NodeReady, ready) || changed
	for _, pressure := range []v1.NodeConditionType{
		v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure,
	} {
		// A scenario may have set a pressure condition; only unknown conditions are changed.
		if conditionStatus(node, pressure) == v1.ConditionUnknown {
			changed = setNodeCondition(node, pressure, v1.ConditionFalse) || changed
		}
	}
	if !changed {
		return nil
	}
	if _, err = s.client.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return s.renewLease(ctx, name)
}

// giveCapacity sets the capacity of a machine of moderate size for nodes without a capacity.
func giveCapacity(node *v1.Node) bool {
	if len(node.Status.Allocatable) > 0 {
		return false
	}
	if len(node.Status.Capacity) == 0 {
		node.Status.Capacity = v1.ResourceList{
			v1.ResourceCPU:    resource.MustParse("4"),
			v1.ResourceMemory: resource.MustParse("8Gi"),
			v1.ResourcePods:   resource.MustParse("110"),
		}
	}
	node.Status.Allocatable = node.Status.Capacity.DeepCopy()
	return true
}

func conditionStatus(node *v1.Node, kind v1.NodeConditionType) v1.ConditionStatus {
	for _, c := range node.Status.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return v1.ConditionUnknown
}

func setNodeCondition(node *v1.Node, kind v1.NodeConditionType, status v1.ConditionStatus) bool {
	now := metav1.Now()
	want := v1.NodeCondition{
		Type: kind, Status: status, LastHeartbeatTime: now, LastTransitionTime: now,
		Reason: "SimulatedKubelet", Message: "the simulated kubelet says " + string(status),
	}
	for i, c := range node.Status.Conditions {
		if c.Type == kind {
			if c.Status == status {
				return false
			}
			node.Status.Conditions[i] = want
			return true
		}
	}
	node.Status.Conditions = append(node.Status.Conditions, want)
	return true
}
