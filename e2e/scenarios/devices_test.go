// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dsdoctor.dev/e2e/controlplane"
)

const deviceDriver = "gpu.example.com"

// deviceScenarios are about devices of dynamic resource allocation, of which each node has one; only
// releases from 1.37 on serve DeviceTaintRules by default.
func deviceScenarios() []scenario {
	if !controlplane.IsRelease(37) {
		return nil
	}
	return []scenario{deviceTaint}
}

var deviceTaint = scenario{
	name:  "device-taint",
	story: "a DeviceTaintRule deletes the pod that uses a device, and its successor finds no other",
	nodes: []*v1.Node{node("n1"), node("n2")},
	steps: []step{
		{
			name: "devices first, then the DaemonSet",
			do: func(w *world) {
				w.addDevices("n1", "n2")
				w.addDaemonSets(daemonSet("agent", spec(usingDevice)))
			},
			want: expectation{"agent": "running:2/- quiet"},
		},
		{
			name: "a rule taints one of them",
			do:   func(w *world) { w.addDeviceTaintRule("n1") },
			want: expectation{"agent": "n1=pending/sched-resource-claim,device-taint-eviction n2=running/-"},
		},
	},
}

func usingDevice(s *v1.PodSpec) {
	s.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: pointer("gpu")}}
	s.Containers[0].Resources.Claims = []v1.ResourceClaim{{Name: "gpu"}}
}

// addDevices adds a class, a template for claims, and a device of each node.
func (w *world) addDevices(nodes ...string) {
	w.Helper()
	resources := client.ResourceV1()
	class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
	class.Spec.Selectors = []resourcev1.DeviceSelector{{
		CEL: &resourcev1.CELDeviceSelector{Expression: "device.driver == '" + deviceDriver + "'"},
	}}
	w.must(create(resources.DeviceClasses(), w.ctx, class))
	w.Cleanup(func() { w.ignoreGone(resources.DeviceClasses().Delete(w.ctx, class.Name, metav1.DeleteOptions{})) })
	for _, short := range nodes {
		slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: w.full(short)}}
		slice.Spec = resourcev1.ResourceSliceSpec{
			Driver: deviceDriver, NodeName: pointer(w.full(short)),
			Pool:    resourcev1.ResourcePool{Name: w.full(short), Generation: 1, ResourceSliceCount: 1},
			Devices: []resourcev1.Device{{Name: "gpu-0"}},
		}
		w.must(create(resources.ResourceSlices(), w.ctx, slice))
		w.Cleanup(func() { w.ignoreGone(resources.ResourceSlices().Delete(w.ctx, slice.Name, metav1.DeleteOptions{})) })
	}
	template := &resourcev1.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
	template.Spec.Spec.Devices.Requests = []resourcev1.DeviceRequest{{
		Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"},
	}}
	w.must(create(resources.ResourceClaimTemplates(w.namespace), w.ctx, template))
}

// addDeviceTaintRule sends JSON: older releases have no such type.
func (w *world) addDeviceTaintRule(short string) {
	w.Helper()
	path := "/apis/resource.k8s.io/v1/devicetaintrules"
	body := fmt.Sprintf(`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceTaintRule","metadata":{"name":"broken"},
		"spec":{"deviceSelector":{"pool":%q},"taint":{"key":"example.com/broken","effect":"NoExecute"}}}`, w.full(short))
	request := client.RESTClient().Post().AbsPath(path).SetHeader("Content-Type", "application/json")
	w.must(request.Body([]byte(body)).Do(w.ctx).Error())
	w.Cleanup(func() { w.ignoreGone(client.RESTClient().Delete().AbsPath(path, "broken").Do(w.ctx).Error()) })
}
