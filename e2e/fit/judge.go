// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	schedutil "k8s.io/kubernetes/pkg/scheduler/util"
)

// Case is a node, the pods of the cluster that may be on it, and a pod to run there. They are JSON,
// which keeps the notations of amounts.
type Case struct {
	Node   json.RawMessage
	Pod    json.RawMessage
	Others []json.RawMessage
}

// objects is a case as Kubernetes reads it.
type objects struct {
	node *v1.Node
	pod  *v1.Pod
	on   []*v1.Pod // the other pods that the scheduler counts on the node
}

func (c *Case) read() (*objects, error) {
	o := &objects{node: new(v1.Node), pod: new(v1.Pod)}
	if err := json.Unmarshal(c.Node, o.node); err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	if err := json.Unmarshal(c.Pod, o.pod); err != nil {
		return nil, fmt.Errorf("pod: %w", err)
	}
	for _, content := range c.Others {
		other := new(v1.Pod)
		if err := json.Unmarshal(content, other); err != nil {
			return nil, fmt.Errorf("other pod: %w", err)
		}
		if counts(other, o.node) {
			o.on = append(o.on, other)
		}
	}
	return o, nil
}

// counts reports whether the scheduler has the pod in its cache of the node: its informer selects
// by phase, and only bound pods are on a node.
func counts(pod *v1.Pod, node *v1.Node) bool {
	return pod.Spec.NodeName == node.Name && pod.Status.Phase != v1.PodSucceeded && pod.Status.Phase != v1.PodFailed
}

// Judge asks the scheduler's plugins NodeResourcesFit and NodePorts why the pod does not fit on the
// node. sound is false if the answer is an artifact of the scheduler's arithmetic: an amount or a
// sum does not fit into 64 bits, or addsUpTwice.
func Judge(c *Case) (obstacles Obstacles, sound bool, err error) {
	o, err := c.read()
	if err != nil {
		return 0, false, err
	}
	sound = o.areSound() // first: asking changes amounts, see addsUpTwice
	obstacles, _ = o.ask()
	return obstacles, sound, nil
}

// ask also returns the reasons of the first plugin that fails, as the scheduler does.
func (o *objects) ask() (obstacles Obstacles, reasons []string) {
	info := framework.NewNodeInfo(o.on...)
	info.SetNode(o.node)
	options := noderesources.ResourceRequestsOptions{
		EnablePodLevelResources: utilfeature.DefaultFeatureGate.Enabled(features.PodLevelResources),
	}
	for _, short := range noderesources.Fits(o.pod, info, nil, options) {
		obstacles |= ofResource(short.ResourceName)
		if short.Unresolvable {
			obstacles |= NeverFits
		}
		reasons = append(reasons, short.Reason)
	}
	if !nodeports.Fits(o.pod, info) {
		obstacles |= HostPort
		reasons = []string{nodeports.ErrReason}
	}
	slices.Sort(reasons)
	return obstacles, reasons
}

func ofResource(name v1.ResourceName) Obstacles {
	switch {
	case name == v1.ResourcePods:
		return TooManyPods
	case name == v1.ResourceCPU:
		return CPU
	case name == v1.ResourceMemory:
		return Memory
	case name == v1.ResourceEphemeralStorage:
		return EphemeralStorage
	case strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix):
		return HugePages
	}
	return Extended
}

// areSound adds the amounts again, without the limit of 64 bits.
func (o *objects) areSound() bool {
	if !allFit(incomingRequests(o.pod), nil) || !allFit(o.node.Status.Allocatable, nil) {
		return false
	}
	sums := map[v1.ResourceName]*big.Int{}
	for _, pod := range o.on {
		if addsUpTwice(pod) || !allFit(presentRequests(pod), sums) {
			return false
		}
	}
	for _, sum := range sums {
		if !sum.IsInt64() {
			return false
		}
	}
	return true
}

// allFit also adds the amounts to sums, unless it is nil.
func allFit(list v1.ResourceList, sums map[v1.ResourceName]*big.Int) bool {
	for name, quantity := range list {
		amount, fits := inUnits(name, quantity)
		if !fits {
			return false
		}
		if sums != nil {
			if sums[name] == nil {
				sums[name] = new(big.Int)
			}
			sums[name].Add(sums[name], big.NewInt(amount))
		}
	}
	return true
}

// addsUpTwice reports whether Kubernetes' PodRequests adds the overhead in place, once per call:
// pod-level requests that are decimals of many digits. Usual amounts from an API server are not.
func addsUpTwice(pod *v1.Pod) bool {
	if pod.Spec.Resources == nil || len(pod.Spec.Overhead) == 0 {
		return false
	}
	again := pod.DeepCopy()
	resourcehelper.PodRequests(again, resourcehelper.PodResourcesOptions{})
	for name, quantity := range pod.Spec.Resources.Requests {
		if quantity.Cmp(again.Spec.Resources.Requests[name]) != 0 {
			return true
		}
	}
	return false
}

// incomingRequests works on a copy, see addsUpTwice.
func incomingRequests(pod *v1.Pod) v1.ResourceList {
	return resourcehelper.PodRequests(pod.DeepCopy(), resourcehelper.PodResourcesOptions{})
}

func presentRequests(pod *v1.Pod) v1.ResourceList {
	return resourcehelper.PodRequests(pod.DeepCopy(), resourcehelper.PodResourcesOptions{
		UseStatusResources: true, InPlacePodLevelResourcesVerticalScalingEnabled: true,
	})
}

// inUnits is an amount in the units of the scheduler; resources that it does not count always fit.
func inUnits(name v1.ResourceName, quantity resource.Quantity) (amount int64, fits bool) {
	switch {
	case name == v1.ResourceCPU:
		return nearestInt64(quantity, resource.Milli)
	case name == v1.ResourceMemory, name == v1.ResourceEphemeralStorage, name == v1.ResourcePods,
		schedutil.IsScalarResourceName(name):
		return nearestInt64(quantity, 0)
	}
	return 0, true
}
