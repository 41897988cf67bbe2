// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"dsdoctor.dev/oracle"
)

const gpu = v1.ResourceName("nvidia.com/gpu")

// fillSpec gives the pod containers of all kinds with requests.
func (g *generator) fillSpec(pod *v1.Pod) {
	spec := &pod.Spec
	spec.HostNetwork = g.chance(15)
	ports := portMaker{g: g, hostNetwork: spec.HostNetwork, taken: map[string]bool{}}
	for i := range 1 + g.r.IntN(3) {
		spec.Containers = append(spec.Containers, g.container(fmt.Sprintf("c%d", i), &ports))
	}
	if g.chance(45) {
		for i := range 1 + g.r.IntN(3) {
			c := g.container(fmt.Sprintf("i%d", i), &ports)
			if g.chance(50) {
				always := v1.ContainerRestartPolicyAlways
				c.RestartPolicy = &always
			}
			spec.InitContainers = append(spec.InitContainers, c)
		}
	}
	if g.chance(15) {
		spec.Overhead = g.overhead()
	}
	if g.chance(20) {
		g.podLevel(pod)
	}
}

func (g *generator) container(name string, ports *portMaker) v1.Container {
	c := v1.Container{Name: name, Image: "example/" + name + ":1", TerminationMessagePolicy: v1.TerminationMessageReadFile}
	requests, limits := v1.ResourceList{}, v1.ResourceList{}
	for _, ask := range []struct {
		name   v1.ResourceName
		chance int
	}{{v1.ResourceCPU, 60}, {v1.ResourceMemory, 60}, {v1.ResourceEphemeralStorage, 25}} {
		if !g.chance(ask.chance) {
			continue
		}
		amount := g.amount(ask.name)
		switch g.r.IntN(5) {
		case 0: // the limit is the default request
			limits[ask.name] = amount
		case 1:
			requests[ask.name], limits[ask.name] = amount, plus(amount, g.amount(ask.name))
		default:
			requests[ask.name] = amount
		}
	}
	if g.chance(12) {
		g.askForDevices(gpu, requests, limits)
	}
	if g.chance(10) {
		g.askForDevices(g.extended, requests, limits)
	}
	if g.chance(8) && len(requests)+len(limits) > 0 {
		pages := resource.NewQuantity(int64(g.r.IntN(5))*2<<20, resource.BinarySI)
		requests["hugepages-2Mi"], limits["hugepages-2Mi"] = *pages, *pages
		if _, ok := limits[v1.ResourceMemory]; !ok { // huge pages need cpu or memory as well
			requests[v1.ResourceMemory] = g.amount(v1.ResourceMemory)
		}
	}
	if len(requests) > 0 {
		c.Resources.Requests = requests
	}
	if len(limits) > 0 {
		c.Resources.Limits = limits
	}
	if g.chance(25) {
		for range 1 + g.r.IntN(2) {
			ports.addTo(&c)
		}
	}
	return c
}

// askForDevices sets requests and limits of devices. The API requires that a request equals the
// limit.
func (g *generator) askForDevices(name v1.ResourceName, requests, limits v1.ResourceList) {
	count := g.amount(name)
	limits[name] = count
	if g.chance(50) {
		requests[name] = count
	}
}

func (g *generator) overhead() v1.ResourceList {
	overhead := v1.ResourceList{}
	for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage} {
		if g.chance(50) {
			overhead[name] = g.amount(name)
		}
	}
	if g.wild && g.chance(20) {
		overhead[g.extended] = g.amount(g.extended)
	}
	return overhead
}

// podLevel adds resources of the pod as a whole, which are at least those of its containers.
func (g *generator) podLevel(pod *v1.Pod) {
	requests, limits := v1.ResourceList{}, v1.ResourceList{}
	defaulted := pod.DeepCopy()
	for i := range defaulted.Spec.Containers {
		requestsFromLimits(&defaulted.Spec.Containers[i])
	}
	for i := range defaulted.Spec.InitContainers {
		requestsFromLimits(&defaulted.Spec.InitContainers[i])
	}
	containers := resourcehelper.AggregateContainerRequests(defaulted, resourcehelper.PodResourcesOptions{})
	containerLimits := resourcehelper.AggregateContainerLimits(defaulted, resourcehelper.PodResourcesOptions{})
	for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
		if g.chance(25) {
			continue
		}
		request := containers[name]
		if g.chance(60) {
			request = plus(request, g.amount(name))
		}
		limit := plus(plus(request, containerLimits[name]), g.amount(name))
		switch g.r.IntN(3) {
		case 0:
			requests[name] = request
		case 1:
			limits[name] = limit
		default:
			requests[name], limits[name] = request, limit
		}
	}
	if g.wild && g.chance(20) { // ignored, except for huge pages
		name := oracle.Pick(g.r, []v1.ResourceName{v1.ResourceEphemeralStorage, gpu, "hugepages-2Mi", g.extended})
		requests[name] = g.amount(name)
	}
	pod.Spec.Resources = &v1.ResourceRequirements{Requests: requests, Limits: limits}
}

func requestsFromLimits(c *v1.Container) {
	for name, limit := range c.Resources.Limits {
		if _, ok := c.Resources.Requests[name]; !ok {
			if c.Resources.Requests == nil {
				c.Resources.Requests = v1.ResourceList{}
			}
			c.Resources.Requests[name] = limit
		}
	}
}

func plus(a, b resource.Quantity) resource.Quantity {
	sum := a.DeepCopy()
	sum.Add(b)
	return sum
}
