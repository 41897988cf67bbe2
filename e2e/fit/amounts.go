// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"dsdoctor.dev/oracle"
)

var (
	cpuAmounts = []string{
		"0", "1m", "50m", "100m", "250m", "500m", "0.1", "0.25", "999m", "1", "1001m", "1.5", "2", "4", "0.0001", "3.3m",
	}
	memoryAmounts = []string{
		"0", "1", "64Mi", "100M", "1Gi", "1.5Gi", "0.1Mi", "100.035Ki", "500m", "1500m", "0.4", "123456789", "129e6", "70Gi",
		"1Ti", "1e3", "0.1k", "1073741825", "3n",
	}
	deviceAmounts = []string{"0", "1", "1", "2", "3", "4", "8", "1k", "2e1"}
	// Beyond 64 bits, alone or as a sum.
	enormousAmounts = []string{"8Ei", "9Ei", "4Ei", "9223372036854775807", "9E", "9223372036854775", "100E"}
)

// Names of resources that the API would reject, or that the scheduler does not count.
var oddNames = []v1.ResourceName{
	"requests.example.com/dongle", "kubernetes.io/batch", "batch.kubernetes.io/cores", "attachable-volumes-aws-ebs",
	"pods", "storage", "dongle", "example.com/a/b", "Example.com/Dongle", "example.com/", "/dongle", "hugepages-",
	"hugepages-1Gi", "example.com/dongle_2", "example.com/-x", "CPU", "cpu ", "requests.cpu",
	v1.ResourceName("example.com/" + strings.Repeat("k", 63)), v1.ResourceName("example.com/" + strings.Repeat("k", 64)),
	v1.ResourceName(strings.Repeat("p", 253) + "/x"), v1.ResourceName(strings.Repeat("p.", 122) + "/x"),
	v1.ResourceName(strings.Repeat("p", 244) + "/x"), v1.ResourceName(strings.Repeat("p", 245) + "/x"),
}

// amount is a quantity that the API accepts for the resource, rounded up to thousandths.
func (g *generator) amount(name v1.ResourceName) resource.Quantity {
	quantity := g.rawAmount(name)
	quantity.RoundUp(resource.Milli)
	return quantity
}

func (g *generator) rawAmount(name v1.ResourceName) resource.Quantity {
	switch {
	case name == v1.ResourceCPU:
		if g.chance(40) {
			return *resource.NewMilliQuantity(g.r.Int64N(4000), resource.DecimalSI)
		}
		return resource.MustParse(oracle.Pick(g.r, cpuAmounts))
	case name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage:
		if g.r.IntN(400) == 0 {
			return resource.MustParse(oracle.Pick(g.r, enormousAmounts))
		}
		if g.chance(40) {
			return *resource.NewQuantity(g.r.Int64N(4<<20)<<10, resource.BinarySI)
		}
		return resource.MustParse(oracle.Pick(g.r, memoryAmounts))
	case strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix):
		return *resource.NewQuantity(int64(g.r.IntN(5))*2<<20, resource.BinarySI)
	}
	return resource.MustParse(oracle.Pick(g.r, deviceAmounts))
}

// allocatable gives the node about the requested amounts, so that one unit more or less decides.
func (g *generator) allocatable(o *objects) {
	list := v1.ResourceList{}
	wanted := incomingRequests(o.pod)
	used := v1.ResourceList{}
	for _, pod := range o.on {
		for name, quantity := range presentRequests(pod) {
			used[name] = plus(used[name], quantity)
		}
	}
	generous := g.chance(25)
	for _, name := range g.namesOnNode(wanted) {
		if quantity, present := g.offer(name, used[name], wanted[name], generous); present {
			list[name] = quantity
		}
	}
	pods := int64(len(o.on) + g.r.IntN(4))
	if generous {
		pods += 10
	}
	switch g.r.IntN(40) {
	case 0: // absent
	case 1:
		list[v1.ResourcePods] = resource.MustParse("0")
	default:
		list[v1.ResourcePods] = *resource.NewQuantity(pods, resource.DecimalSI)
	}
	if g.chance(98) {
		o.node.Status.Allocatable = list
	}
	o.node.Status.Capacity = v1.ResourceList{v1.ResourceCPU: resource.MustParse("64"), v1.ResourcePods: resource.MustParse("110")}
}

// namesOnNode returns the names in a fixed order, so that the same seed makes the same case.
func (g *generator) namesOnNode(wanted v1.ResourceList) []v1.ResourceName {
	names := []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage}
	for _, name := range []v1.ResourceName{gpu, g.extended, "hugepages-2Mi"} {
		_, asked := wanted[name]
		if name != v1.ResourcePods && (asked || g.chance(20)) {
			names = append(names, name)
		}
	}
	return names
}

// offer is the amount of one resource on a node; present is false if the node does not have the
// resource.
func (g *generator) offer(name v1.ResourceName, used, wanted resource.Quantity, generous bool) (quantity resource.Quantity, present bool) {
	total := plus(used, wanted)
	switch p := g.r.IntN(100); {
	case generous:
		return plus(total, g.amount(name)), true
	case p < 50: // the sum of all requests, or almost
		return g.near(name, total), true
	case p < 70: // the request of the pod alone
		return g.near(name, wanted), true
	case p < 76:
		return resource.Quantity{}, false
	case p < 82:
		return resource.MustParse("0"), true
	case p < 84:
		return resource.MustParse(oracle.Pick(g.r, enormousAmounts)), true
	}
	return g.amount(name), true
}

func (g *generator) near(name v1.ResourceName, quantity resource.Quantity) resource.Quantity {
	step := resource.MustParse(oracle.Pick(g.r, []string{"0", "0", "1", "-1"}))
	whole := name != v1.ResourceCPU && name != v1.ResourceMemory && name != v1.ResourceEphemeralStorage
	if !whole && g.chance(40) {
		step = resource.MustParse(oracle.Pick(g.r, []string{"1m", "-1m", "500m", "-999m"}))
	}
	if sum := plus(quantity, step); sum.Sign() >= 0 {
		return sum
	}
	return quantity
}
