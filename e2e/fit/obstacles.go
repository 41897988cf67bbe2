// SPDX-License-Identifier: Apache-2.0

package fit

import "strings"

// Obstacles are the reasons why a pod does not fit on a node, a bit each.
type Obstacles uint16

const (
	CPU Obstacles = 1 << iota
	Memory
	EphemeralStorage
	HugePages
	Extended
	TooManyPods
	HostPort
	NeverFits // one of the amounts exceeds the capacity of the empty node
)

// The findings by which the program reports them.
var findings = []struct {
	obstacle Obstacles
	id       string
}{
	{CPU, "sched-insufficient-cpu"},
	{Memory, "sched-insufficient-memory"},
	{EphemeralStorage, "sched-insufficient-ephemeral-storage"},
	{HugePages, "sched-insufficient-hugepages"},
	{Extended, "sched-insufficient-extended"},
	{TooManyPods, "sched-too-many-pods"},
	{HostPort, "sched-host-port"},
	{NeverFits, "sched-never-fits"},
}

// ofFinding is 0 for a finding about anything else.
func ofFinding(id string) Obstacles {
	for _, f := range findings {
		if f.id == id {
			return f.obstacle
		}
	}
	return 0
}

func (o Obstacles) String() string {
	var ids []string
	for _, f := range findings {
		if o&f.obstacle != 0 {
			ids = append(ids, f.id)
		}
	}
	if len(ids) == 0 {
		return "the pod fits"
	}
	return strings.Join(ids, ", ")
}
