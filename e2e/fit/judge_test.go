// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"fmt"
	"testing"

	"sigs.k8s.io/yaml"
)

// cluster is a case in the short form of the tables below; all texts are YAML.
type cluster struct {
	allocatable string // of the node "here"
	pod         string // its spec
	others      []string
}

func (c cluster) asCase(t *testing.T) *Case {
	t.Helper()
	read := func(text string) []byte {
		content, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		return content
	}
	made := &Case{
		Node: read("metadata: {name: here}\nstatus: {allocatable: " + c.allocatable + "}"),
		Pod:  read("spec: " + c.pod),
	}
	for _, other := range c.others {
		made.Others = append(made.Others, read(other))
	}
	return made
}

func (c cluster) want(t *testing.T, want Obstacles) {
	t.Helper()
	got, sound, err := Judge(c.asCase(t))
	if got != want || !sound || err != nil {
		t.Errorf("%+v\ngot  %s (sound: %v, error: %v)\nwant %s", c, got, sound, err, want)
	}
}

const (
	running   = `{spec: {nodeName: here, containers: []}, status: {phase: Running}}`
	succeeded = `{spec: {nodeName: here, containers: []}, status: {phase: Succeeded}}`
)

func several(count int, other string, rest ...string) []string {
	for range count {
		rest = append(rest, other)
	}
	return rest
}

func TestPodsAreCountedUntilTheyAreDone(t *testing.T) {
	const full = `{pods: 31}`
	cluster{full, `{containers: []}`, several(31, running, succeeded, succeeded)}.want(t, TooManyPods)
	cluster{full, `{containers: []}`, several(30, running, succeeded, succeeded)}.want(t, 0)
	const terminating = `{metadata: {deletionTimestamp: "2025-01-01T00:00:00Z"}, spec: {nodeName: here, containers: []}}`
	cluster{full, `{containers: []}`, several(30, running, terminating)}.want(t, TooManyPods)
	cluster{full, `{containers: []}`, several(30, running, `{spec: {nodeName: elsewhere}}`, `{spec: {}}`)}.want(t, 0)
	cluster{`{cpu: 4}`, `{containers: []}`, nil}.want(t, TooManyPods)
}

func TestRequestsOfAPod(t *testing.T) {
	const containers = `
  containers:
  - {name: a, resources: {requests: {cpu: 100m}}}
  - {name: b, resources: {requests: {cpu: 200m}}}
  initContainers:
  - {name: side, restartPolicy: Always, resources: {requests: {cpu: 50m}}}
  - {name: init, resources: {requests: {cpu: 500m}}}
  overhead: {cpu: 250m}
`
	cluster{`{pods: 1, cpu: 800m}`, containers, nil}.want(t, 0)
	cluster{`{pods: 1, cpu: 799m}`, containers, nil}.want(t, CPU|NeverFits)
	const podLevel = containers + "  resources: {requests: {cpu: 300m}}\n"
	cluster{`{pods: 1, cpu: 550m}`, podLevel, nil}.want(t, 0)
	cluster{`{pods: 1, cpu: 549m}`, podLevel, nil}.want(t, CPU|NeverFits)
}

func TestNothingAskedForIsNeverShort(t *testing.T) {
	overcommitted := []string{`{spec: {nodeName: here, containers: [{name: a, resources: {requests: {cpu: 4200m}}}]}}`}
	cluster{`{pods: 9, cpu: 4}`, `{containers: [{name: a, resources: {requests: {memory: 1}}}]}`, overcommitted}.
		want(t, Memory|NeverFits)
	cluster{`{pods: 9, cpu: 4}`, `{containers: [{name: a, resources: {requests: {cpu: 0}}}]}`, overcommitted}.want(t, 0)
	cluster{`{pods: 9, cpu: 4}`, `{containers: [{name: a, resources: {requests: {cpu: 1m}}}]}`, overcommitted}.want(t, CPU)
}

func TestEachResource(t *testing.T) {
	asks := func(name, amount string) string {
		return fmt.Sprintf(`{containers: [{name: a, resources: {requests: {%s: %q}}}]}`, name, amount)
	}
	for _, row := range []struct {
		allocatable, name, amount string
		want                      Obstacles
	}{
		{`{pods: 9, memory: 64Gi}`, "memory", "70Gi", Memory | NeverFits},
		{`{pods: 9, ephemeral-storage: 1k}`, "ephemeral-storage", "1001", EphemeralStorage | NeverFits},
		{`{pods: 9, ephemeral-storage: 1000.5}`, "ephemeral-storage", "1001", 0},
		{`{pods: 9, hugepages-2Mi: 2Mi}`, "hugepages-2Mi", "4Mi", HugePages | NeverFits},
		{`{pods: 9, nvidia.com/gpu: 0}`, "nvidia.com/gpu", "1", Extended | NeverFits},
		{`{pods: 9}`, "nvidia.com/gpu", "1", Extended | NeverFits},
		{`{pods: 9, nvidia.com/gpu: 1}`, "nvidia.com/gpu", "2", Extended | NeverFits},
		{`{pods: 9}`, "nvidia.com/gpu", "0", 0},
		{`{pods: 9}`, "attachable-volumes-x", "1", Extended | NeverFits},
		{`{pods: 9}`, "kubernetes.io/x", "1", Extended | NeverFits},
		{`{pods: 9}`, "dongle", "1", 0},
		{`{pods: 9}`, "storage", "1", 0},
	} {
		cluster{row.allocatable, asks(row.name, row.amount), nil}.want(t, row.want)
	}
}

func TestResizingPodsCountWithTheLargestOfTheirAmounts(t *testing.T) {
	other := func(status string) []string {
		return []string{`{spec: {nodeName: here, containers: [{name: a, resources: {requests: {cpu: 200m}}}]}, status: ` + status + `}`}
	}
	const asks = `{containers: [{name: a, resources: {requests: {cpu: 100m}}}]}`
	const actual = `containerStatuses: [{name: a, resources: {requests: {cpu: 300m}}, allocatedResources: {cpu: 100m}}]`
	cluster{`{pods: 9, cpu: 300m}`, asks, other(`{}`)}.want(t, 0)
	cluster{`{pods: 9, cpu: 399m}`, asks, other(`{` + actual + `}`)}.want(t, CPU)
	cluster{`{pods: 9, cpu: 400m}`, asks, other(`{` + actual + `}`)}.want(t, 0)
	const shrunk = `containerStatuses: [{name: a, resources: {requests: {cpu: 50m}}, allocatedResources: {cpu: 50m}}]`
	cluster{`{pods: 9, cpu: 299m}`, asks, other(`{` + shrunk + `}`)}.want(t, CPU)
	cluster{`{pods: 9, cpu: 150m}`, asks,
		other(`{` + shrunk + `, conditions: [{type: PodResizePending, reason: Infeasible, status: "True"}]}`)}.want(t, 0)
}

func TestHostPorts(t *testing.T) {
	with := func(kind, port string) string {
		if kind == "containers" {
			return `{nodeName: here, containers: [{name: a, ports: [` + port + `]}]}`
		}
		return `{nodeName: here, containers: [{name: a}], initContainers: [{name: b, ` + kind + `ports: [` + port + `]}]}`
	}
	const held = `{hostPort: 9100, hostIP: 10.0.0.5, protocol: TCP}`
	for _, row := range []struct {
		wanted, kind, held string
		want               Obstacles
	}{
		{`{hostPort: 9100}`, "containers", held, HostPort},
		{`{hostPort: 9100, hostIP: 0.0.0.0}`, "containers", held, HostPort},
		{`{hostPort: 9100, protocol: UDP}`, "containers", held, 0},
		{`{hostPort: 9100, hostIP: 127.0.0.1}`, "containers", held, 0},
		{`{hostPort: 9100, hostIP: "::"}`, "containers", held, 0},
		{`{hostPort: 9100, hostIP: "::"}`, "containers", `{hostPort: 9100}`, HostPort},
		{`{hostPort: 9100}`, "", held, 0},
		{`{hostPort: 9100}`, "restartPolicy: Always, ", held, HostPort},
		{`{containerPort: 9100}`, "containers", held, 0},
	} {
		cluster{`{pods: 9}`, `{containers: [{name: a, ports: [` + row.wanted + `]}]}`,
			[]string{`{spec: ` + with(row.kind, row.held) + `}`}}.want(t, row.want)
	}
}

func TestAccidentsAreNotCompared(t *testing.T) {
	enormous := `{spec: {nodeName: here, containers: [{name: a, resources: {requests: {memory: 8Ei}}}]}}`
	asks := `{containers: [{name: a, resources: {requests: {memory: 1}}}]}`
	cluster{`{pods: 9, memory: 8Ei}`, asks, []string{enormous}}.want(t, Memory)
	for _, c := range []cluster{
		{`{pods: 9, memory: 8Ei}`, asks, []string{enormous, enormous}},
		{`{pods: 9, cpu: 1E}`, asks, nil},
		{`{pods: 9}`, `{containers: [{name: a, resources: {requests: {cpu: 1E}}}]}`, nil},
		{`{pods: 9, cpu: 9}`, asks, []string{`{spec: {nodeName: here, containers: [{name: a}], overhead: {cpu: 1},
			resources: {requests: {cpu: "1.0000000000001"}}}}`}},
	} {
		if _, sound, err := Judge(c.asCase(t)); sound || err != nil {
			t.Errorf("%+v: sound %v, error %v", c, sound, err)
		}
	}
}
