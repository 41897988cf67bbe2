#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# managedFields do not show who removed a label, and not when.
#
# Good guess:  metadata.managedFields has, for each client, the time of its last write, so that a label
#              removed with `kubectl label node n1 tier-` moves the time of kubectl-label's entry.
# Seen:        k8s.io/apimachinery v0.37.2 (the API server's own field manager): the removed field
#              disappears from the entry, and its time stays. A client that only removes what another
#              one has set gets no entry at all. Only a client that sets a field in the same request
#              gets a new time.
# Why:         a new time is written only if the request added fields to the client's set; a removal adds
#              none.
# Matters for: everybody who looks for the client that removed a label or an annotation, of a node for
#              example: the newest entry is some earlier, innocent writer. Only an audit log knows.
#
# Needs Go 1.26 or later and a module proxy. Takes a few seconds, for the times to differ.
set -euo pipefail

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

cat >"$work/main.go" <<'GO'
package main

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
)

func node(labels map[string]string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Node"}}
	object.SetName("n1")
	object.SetLabels(labels)
	return object
}

// state has the age of the client's entry, and its fields.
func state(manager managedfieldstest.TestFieldManager, client string) string {
	for _, entry := range manager.ManagedFields() {
		if entry.Manager == client {
			age := "old time"
			if time.Since(entry.Time.Time) < 2*time.Second {
				age = "new time"
			}
			return fmt.Sprintf("%s %s", age, entry.FieldsV1.Raw)
		}
	}
	return "no entry"
}

func main() {
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "Node"}
	m := managedfieldstest.NewTestFieldManager(managedfields.NewDeducedTypeConverter(), gvk)
	update := func(client string, labels map[string]string) {
		if err := m.Update(node(labels), client); err != nil {
			panic(err)
		}
	}
	update("kubectl-label", map[string]string{"tier": "edge", "rack": "7"})
	time.Sleep(3 * time.Second)
	update("kubectl-label", map[string]string{"rack": "7"})
	fmt.Println("it removes a label:", state(m, "kubectl-label"))
	update("cleaner", map[string]string{})
	fmt.Println("another client removes the last one:", state(m, "cleaner"), "and", state(m, "kubectl-label"))
	update("kubectl-label", map[string]string{"tier": "edge", "rack": "7"})
	time.Sleep(3 * time.Second)
	update("kubectl-label", map[string]string{"rack": "8"})
	fmt.Println("it removes a label and sets one:", state(m, "kubectl-label"))
}
GO

cat >"$work/expected" <<'EXPECTED'
it removes a label: old time {"f:metadata":{"f:labels":{".":{},"f:rack":{}}}}
another client removes the last one: no entry and old time {"f:metadata":{"f:labels":{}}}
it removes a label and sets one: new time {"f:metadata":{"f:labels":{".":{},"f:rack":{}}}}
EXPECTED

cd "$work"
{
  go mod init example.com/labels
  go get k8s.io/apimachinery@v0.37.2
  go mod tidy
} >/dev/null 2>&1
go run . | tee seen
if ! diff -u expected seen >&2; then
  echo "the behaviour has changed" >&2
  exit 1
fi
