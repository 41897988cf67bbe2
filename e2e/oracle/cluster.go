// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
)

// Cluster has the objects on which an answer can depend.
type Cluster struct {
	Nodes      []*v1.Node
	DaemonSets []*appsv1.DaemonSet
}

// List is the format of kubectl's output for several kinds.
type List struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Items      []any  `json:"items"`
}

// NewList is the v1 List of the items.
func NewList(items ...any) *List {
	return &List{APIVersion: "v1", Kind: "List", Items: append([]any{}, items...)}
}

// MarshalJSON prints the cluster as a List.
func (c *Cluster) MarshalJSON() ([]byte, error) {
	l := NewList()
	for _, node := range c.Nodes {
		l.Items = append(l.Items, node)
	}
	for _, ds := range c.DaemonSets {
		l.Items = append(l.Items, ds)
	}
	return json.Marshal(l)
}

// UnmarshalJSON reads nodes and DaemonSets from a List and skips other kinds.
func (c *Cluster) UnmarshalJSON(content []byte) error {
	var l struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(content, &l); err != nil {
		return err
	}
	for _, item := range l.Items {
		var kind struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(item, &kind); err != nil {
			return err
		}
		var err error
		switch kind.Kind {
		case "Node":
			node := new(v1.Node)
			err = json.Unmarshal(item, node)
			c.Nodes = append(c.Nodes, node)
		case "DaemonSet":
			ds := new(appsv1.DaemonSet)
			err = json.Unmarshal(item, ds)
			c.DaemonSets = append(c.DaemonSets, ds)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func nameOf(ds *appsv1.DaemonSet) string { return ds.Namespace + "/" + ds.Name }
