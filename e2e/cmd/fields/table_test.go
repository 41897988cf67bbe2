// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The release is in the second line of the table.
func TestTheCommittedTableIsThatOfItsRelease(t *testing.T) {
	committed, err := os.ReadFile("../../../lib/decode/manifest/daemon_set_fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitN(string(committed), "\n", 3)
	if len(lines) < 3 || !strings.HasPrefix(lines[1], "release ") {
		t.Fatalf("the second line of the table names no release")
	}
	var made bytes.Buffer
	if err := print(&made, strings.TrimPrefix(lines[1], "release ")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made.Bytes(), committed) {
		t.Errorf("the table is not what go run ./cmd/fields prints")
	}
}

func TestNotationOfFields(t *testing.T) {
	const types = `{"definitions": {
		"io.k8s.api.apps.v1.DaemonSet": {"properties": {
			"spec": {"$ref": "#/definitions/a.Spec"}, "kind": {"type": "string"}, "time": {"$ref": "#/definitions/a.Time"}}},
		"a.Time": {"type": "string"},
		"a.Free": {"type": "object"},
		"a.Spec": {"type": "object", "properties": {
			"parts": {"type": "array", "items": {"$ref": "#/definitions/a.Part"}},
			"words": {"type": "array", "items": {"type": "string"}},
			"free": {"$ref": "#/definitions/a.Free"},
			"map": {"type": "object", "additionalProperties": {"$ref": "#/definitions/a.Time"}}}},
		"a.Part": {"properties": {"port": {"type": "integer"}}}}}`
	const table = "release v1.2.3\nDaemonSet kind spec=Spec time\nPart port\n" +
		"Spec free={} map={} parts=[]Part words=[]\n"
	got, err := tableOf([]byte(types), "v1.2.3")
	if err != nil || !strings.HasSuffix(got, "edited.\n"+table) {
		t.Errorf("got %q (%v)", got, err)
	}
}

func TestWhatTheTableCannotExpressIsAnError(t *testing.T) {
	for _, field := range []string{
		`{"type": "array", "items": {"type": "array", "items": {"type": "string"}}}`,
		`{"type": "object", "additionalProperties": {"$ref": "#/definitions/a.Part"}}`,
		`{"type": "object"}`,
		`{"$ref": "#/definitions/a.None"}`,
	} {
		types := `{"definitions": {"a.Part": {"properties": {"port": {"type": "integer"}}},
			"io.k8s.api.apps.v1.DaemonSet": {"properties": {"x": ` + field + `}}}}`
		if table, err := tableOf([]byte(types), "v1.2.3"); err == nil {
			t.Errorf("%s: no error, but %q", field, table)
		}
	}
}
