// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// Also read by the tests of the program.
const storedNotations = "../../testdata/quantities.json"

func TestStoredNotationsAreWhatKubernetesSays(t *testing.T) {
	var want bytes.Buffer
	want.WriteString("[\n")
	for i, notation := range Notations() {
		if i > 0 {
			want.WriteString(",\n")
		}
		line, err := json.Marshal(notation)
		if err != nil {
			t.Fatal(err)
		}
		want.Write(line)
	}
	want.WriteString("\n]\n")
	if os.Getenv("DSDOCTOR_REWRITE") != "" {
		if err := os.WriteFile(storedNotations, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(storedNotations)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s differs from what Kubernetes says now; DSDOCTOR_REWRITE=1 writes it anew", storedNotations)
	}
}

func TestAnAmountIsSaturatedOnlyWhereItDoesNotFit(t *testing.T) {
	for text, want := range map[string]Amount{
		"100m":      {Value: 1, MilliValue: 100},
		"0.1Mi":     {Value: 104858, MilliValue: 104857600},
		"100.035Ki": {Value: 102436, MilliValue: 102435840},
		"3.001n":    {Value: 1, MilliValue: 1},
		"9Ei":       {Value: 9223372036854775807, MilliValue: 9223372036854775807, Saturated: true},
		"1E":        {Value: 1000000000000000000, MilliValue: 9223372036854775807, Saturated: true},
	} {
		if got := ReadNotation(text); got.Error || *got.Amount != want {
			t.Errorf("%q: got %+v, want %+v", text, got.Amount, want)
		}
	}
}
