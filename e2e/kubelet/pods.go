// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// keepPod takes the next step of the pod's kubelet. A positive duration asks for a retry after it.
func (s *simulator) keepPod(ctx context.Context, key string) (time.Duration, error) {
	obj, exists, err := s.pods.GetByKey(key)
	if err != nil || !exists {
		return 0, err
	}
	pod := obj.(*v1.Pod)
	node, err := s.nodes.Get(pod.Spec.NodeName)
	if err != nil || stopped(node) {
		return 0, nil // the kubelet is stopped: the pod is not changed
	}
	if pod.DeletionTimestamp != nil {
		return s.removePod(ctx, pod)
	}
	if pod.Status.Phase == v1.PodFailed || pod.Status.Phase == v1.PodSucceeded {
		return 0, nil
	}
	updated := pod.DeepCopy()
	behaviourOf(pod).apply(updated)
	if equality.Semantic.DeepEqual(pod.Status, updated.Status) {
		return 0, nil
	}
	_, err = s.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	return 0, err
}

// removePod completes a deletion: immediately, or for slowStop at the end of the grace period.
func (s *simulator) removePod(ctx context.Context, pod *v1.Pod) (time.Duration, error) {
	if left := time.Until(pod.DeletionTimestamp.Time); behaviourOf(pod) == slowStop && left > 0 {
		return left, nil
	}
	now := int64(0)
	err := s.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &now,
		Preconditions:      &metav1.Preconditions{UID: &pod.UID},
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return 0, nil // it was already removed, or replaced by a pod with the same name
	}
	return 0, err
}
