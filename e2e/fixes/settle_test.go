// SPDX-License-Identifier: Apache-2.0

package fixes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/daemon/util"

	"dsdoctor.dev/e2e/kubelet"
)

func get(ds *appsv1.DaemonSet) (*appsv1.DaemonSet, error) {
	return client.AppsV1().DaemonSets(ds.Namespace).Get(context.Background(), ds.Name, metav1.GetOptions{})
}

func podsOf(ds *appsv1.DaemonSet) ([]v1.Pod, error) {
	pods, err := client.CoreV1().Pods(ds.Namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return pods.Items, nil
}

// settled is a DaemonSet and its pods by node, after the controller, the scheduler and the kubelets
// are done.
type settled struct {
	ds   *appsv1.DaemonSet
	pods map[string]v1.Pod
}

// settle waits until nothing changes any more and the controller's counts are current.
func settle(ds *appsv1.DaemonSet, nodes []v1.Node) (*settled, error) {
	touched := time.Now()
	for deadline := touched.Add(patience); ; time.Sleep(40 * time.Millisecond) {
		result, moving, err := lookAt(ds, nodes)
		if err != nil || moving == "" {
			return result, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s/%s does not settle within %s: %s", ds.Namespace, ds.Name, patience, moving)
		}
		// The controller does not update its counts for every change of a node.
		if time.Since(touched) > 2*time.Second {
			touched = time.Now()
			if err := errors.Join(deleteForsaken(ds, nodes), touch(ds)); err != nil {
				return nil, err
			}
		}
	}
}

// touch changes an annotation without a meaning, so that the controller updates its counts.
func touch(ds *appsv1.DaemonSet) error {
	patch := []byte(`{"metadata":{"annotations":{"touched":"` + time.Now().Format(time.RFC3339Nano) + `"}}}`)
	_, err := client.AppsV1().DaemonSets(ds.Namespace).Patch(
		context.Background(), ds.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// deleteForsaken deletes pending pods whose node has become ineligible by a taint or a label: no
// scheduler binds them, and a controller that does not evict pods keeps them forever.
func deleteForsaken(old *appsv1.DaemonSet, nodes []v1.Node) error {
	ds, err := get(old)
	if err != nil {
		return err
	}
	pods, err := podsOf(ds)
	if err != nil {
		return err
	}
	now := int64(0)
	for i := range pods {
		target, err := util.GetTargetNodeName(&pods[i])
		if pods[i].Spec.NodeName != "" || err != nil {
			continue
		}
		at := slices.IndexFunc(nodes, func(node v1.Node) bool { return node.Name == target })
		if at >= 0 {
			if run, _ := daemon.NodeShouldRunDaemonPod(logr.Discard(), &nodes[at], ds); run {
				continue // it is only late
			}
		}
		err = client.CoreV1().Pods(ds.Namespace).Delete(context.Background(), pods[i].Name,
			metav1.DeleteOptions{GracePeriodSeconds: &now})
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// lookAt returns a reason to wait; empty if nothing changes any more.
func lookAt(old *appsv1.DaemonSet, nodes []v1.Node) (result *settled, moving string, err error) {
	ds, err := get(old)
	if err != nil {
		return nil, "", err
	}
	status := ds.Status
	if status.ObservedGeneration != ds.Generation || status.CurrentNumberScheduled != status.DesiredNumberScheduled {
		return nil, "the controller has not seen it, or not made all pods", nil
	}
	pods, err := podsOf(ds)
	if err != nil {
		return nil, "", err
	}
	newest := ""
	if ds.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		if newest, err = newestRevision(ds); err != nil {
			return nil, "", err
		}
	}
	result = &settled{ds, map[string]v1.Pod{}}
	for _, pod := range pods {
		if moving := movesIn(&pod, newest); moving != "" {
			return nil, "pod " + pod.Name + " " + moving, nil
		}
		result.pods[pod.Spec.NodeName] = pod
	}
	if len(result.pods) != len(pods) {
		return nil, "some nodes have several pods", nil
	}
	return result, disagreement(result, nodes), nil
}

// leavingLater are the nodes that are not eligible and whose pod the taint eviction controller
// deletes at the end of its tolerationSeconds, which is later than the tests wait.
func (s *settled) leavingLater(nodes []v1.Node) []string {
	var result []string
	for i := range nodes {
		run, _ := daemon.NodeShouldRunDaemonPod(logr.Discard(), &nodes[i], s.ds)
		pod, has := s.pods[nodes[i].Name]
		if !run && has && isEvictedLater(&pod, &nodes[i]) {
			result = append(result, nodes[i].Name)
		}
	}
	return result
}

func isEvictedLater(pod *v1.Pod, node *v1.Node) bool {
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		if taint.Effect != v1.TaintEffectNoExecute {
			continue
		}
		for _, toleration := range pod.Spec.Tolerations {
			if !toleration.ToleratesTaint(klog.Background(), taint, false) {
				continue
			}
			if toleration.TolerationSeconds != nil {
				return true
			}
			break // the first match counts
		}
	}
	return false
}

// settledCounts is the status after those pods are deleted as well.
func (s *settled) settledCounts(nodes []v1.Node) counts {
	status := s.ds.Status
	return counts{status.DesiredNumberScheduled, status.NumberMisscheduled - int32(len(s.leavingLater(nodes)))}
}

func newestRevision(ds *appsv1.DaemonSet) (string, error) {
	revisions, err := client.AppsV1().ControllerRevisions(ds.Namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	hash, number := "none yet", int64(-1)
	for _, revision := range revisions.Items {
		if revision.Revision > number {
			hash, number = revision.Labels[appsv1.DefaultDaemonSetUniqueLabelKey], revision.Revision
		}
	}
	return hash, nil
}

func movesIn(pod *v1.Pod, revision string) string {
	switch {
	case pod.DeletionTimestamp != nil:
		return "is being deleted"
	case pod.Spec.NodeName == "":
		return "is not bound"
	case pod.Annotations[kubelet.BehaviourAnnotation] == "" && pod.Status.Phase != v1.PodRunning:
		return "does not run"
	case pod.Annotations[kubelet.BehaviourAnnotation] != "" && len(pod.Status.ContainerStatuses) == 0:
		return "is not seen by the kubelet"
	case revision != "" && pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] != revision:
		return "is to be replaced"
	}
	return ""
}

// disagreement compares the controller's status and the pods with Kubernetes' own verdicts.
func disagreement(s *settled, nodes []v1.Node) string {
	var desired, misscheduled int32
	for i := range nodes {
		run, stay := daemon.NodeShouldRunDaemonPod(logr.Discard(), &nodes[i], s.ds)
		_, has := s.pods[nodes[i].Name]
		switch {
		case run:
			desired++
			if !has {
				return "no pod yet on " + nodes[i].Name
			}
		case has && !stay:
			return "still a pod on " + nodes[i].Name
		case has:
			misscheduled++
		}
	}
	status := s.ds.Status
	if status.DesiredNumberScheduled != desired || status.NumberMisscheduled != misscheduled ||
		status.CurrentNumberScheduled != desired {
		return fmt.Sprintf("status says desired %d, current %d, misscheduled %d; it is desired %d, misscheduled %d",
			status.DesiredNumberScheduled, status.CurrentNumberScheduled, status.NumberMisscheduled, desired, misscheduled)
	}
	return ""
}
