// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"dsdoctor.dev/e2e/controlplane"
)

// makeDaemonSets creates the objects that the controller and the kubelets would create: a ready pod
// on every node.
func makeDaemonSets(ctx context.Context, cluster *controlplane.Cluster, count, nodes int) error {
	if count == 0 {
		return nil
	}
	client, err := kubernetes.NewForConfig(cluster.Config)
	if err != nil {
		return err
	}
	const ns = metav1.NamespaceDefault
	account := &v1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	if _, err := client.CoreV1().ServiceAccounts(ns).Create(ctx, account, metav1.CreateOptions{}); err != nil {
		return err
	}
	made := make([]*appsv1.DaemonSet, count)
	for i := range made {
		if made[i], err = makeDaemonSet(ctx, client, ns, i, nodes); err != nil {
			return err
		}
	}
	return inParallel(count*nodes, func(i int) error {
		return makePod(ctx, client, made[i%count], nodeName(i/count))
	})
}

// agentSpec is a spec with the size of typical agents that read their hosts.
func agentSpec(image string) v1.PodSpec {
	container := v1.Container{Name: "agent", Image: image}
	spec := v1.PodSpec{}
	for i := range 24 {
		container.Env = append(container.Env, v1.EnvVar{Name: fmt.Sprintf("AGENT_SETTING_%d", i), Value: fmt.Sprintf("value-%d", i)})
	}
	for i := range 8 {
		volume := fmt.Sprintf("volume-%d", i)
		container.VolumeMounts = append(container.VolumeMounts, v1.VolumeMount{Name: volume, MountPath: fmt.Sprintf("/host/path-%d", i), ReadOnly: true})
		spec.Volumes = append(spec.Volumes, v1.Volume{Name: volume, VolumeSource: v1.VolumeSource{
			HostPath: &v1.HostPathVolumeSource{Path: fmt.Sprintf("/var/lib/agent/path-%d", i)}}})
	}
	spec.Containers = []v1.Container{container}
	spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
	return spec
}

func makeDaemonSet(ctx context.Context, client kubernetes.Interface, ns string, number, nodes int) (*appsv1.DaemonSet, error) {
	name := fmt.Sprintf("agent-%03d", number)
	labels := map[string]string{"app": name}
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: agentSpec("registry.example/" + name + ":v1")},
	}}
	ds, err := client.AppsV1().DaemonSets(ns).Create(ctx, ds, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	all := int32(nodes)
	ds.Status = appsv1.DaemonSetStatus{ObservedGeneration: ds.Generation, DesiredNumberScheduled: all,
		CurrentNumberScheduled: all, NumberReady: all, NumberAvailable: all, UpdatedNumberScheduled: all}
	return client.AppsV1().DaemonSets(ns).UpdateStatus(ctx, ds, metav1.UpdateOptions{})
}

func makePod(ctx context.Context, client kubernetes.Interface, ds *appsv1.DaemonSet, node string) error {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: ds.Name + "-" + node, Labels: ds.Spec.Template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))},
		},
		Spec: *ds.Spec.Template.Spec.DeepCopy(),
	}
	pod.Spec.NodeName = node
	pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node}}}}}}}}
	pod, err := client.CoreV1().Pods(ds.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	running := true
	pod.Status.Phase, pod.Status.StartTime = v1.PodRunning, &now
	for _, kind := range []v1.PodConditionType{v1.PodScheduled, v1.PodInitialized, v1.ContainersReady, v1.PodReady} {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{Type: kind, Status: v1.ConditionTrue, LastTransitionTime: now})
	}
	pod.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "agent", Image: pod.Spec.Containers[0].Image, Ready: true,
		Started: &running, State: v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: now}}}}
	_, err = client.CoreV1().Pods(ds.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	return err
}
