// SPDX-License-Identifier: Apache-2.0

// Package strict compares the unknown and duplicate fields that --manifest reports with those that
// Kubernetes' own strict decoder reports for the same bytes, over random DaemonSets:
//
//	DSDOCTOR_BINARY=/path/to/kubectl-dsdoctor go test -count=1 ./strict -seed=7 -cases=300
package strict

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/component-base/version"
	kjson "sigs.k8s.io/json"
)

var (
	seed  = flag.Int64("seed", 1, "seed of the first case")
	cases = flag.Int("cases", 100, "number of DaemonSets")
)

// opaque types read their JSON themselves.
var opaque = []reflect.Type{
	reflect.TypeOf(resource.Quantity{}), reflect.TypeOf(intstr.IntOrString{}),
	reflect.TypeOf(metav1.Time{}), reflect.TypeOf(metav1.FieldsV1{}),
}

// writer writes random JSON of Go types, with fields that are unknown, misplaced or there twice.
type writer struct {
	*rand.Rand
	names []string // of fields of any type
}

// fieldsOf returns the JSON names of a struct's fields with their types.
func fieldsOf(of reflect.Type) map[string]reflect.Type {
	result := map[string]reflect.Type{}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			for inner, innerType := range fieldsOf(field.Type) {
				result[inner] = innerType
			}
		} else if name != "" && name != "-" {
			result[name] = field.Type
		}
	}
	return result
}

func sortedNames(fields map[string]reflect.Type) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (w *writer) collect(of reflect.Type, seen map[reflect.Type]bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || slices.Contains(opaque, of) || seen[of] {
		return
	}
	seen[of] = true
	fields := fieldsOf(of)
	for _, name := range sortedNames(fields) {
		w.names = append(w.names, name)
		w.collect(fields[name], seen)
	}
}

func (w *writer) value(of reflect.Type) string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case slices.Contains(opaque, of):
		return "null"
	case of.Kind() == reflect.Struct:
		return w.object(of, nil)
	case of.Kind() == reflect.Map:
		return []string{"{}", `{"k":null}`, `{"k":null,"k":null}`}[w.Intn(3)]
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		items := []string{}
		for range w.Intn(3) {
			items = append(items, w.value(of.Elem()))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return "null"
}

// object writes a few fields of the type, those in `given`, and often a wrong one.
func (w *writer) object(of reflect.Type, given []string) string {
	fields := fieldsOf(of)
	names := slices.DeleteFunc(sortedNames(fields), func(name string) bool {
		return name == "apiVersion" && of == reflect.TypeOf(appsv1.DaemonSet{}) || name == "kind" || name == "status"
	})
	w.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	pairs := slices.Clone(given)
	for _, name := range names[:min(len(names), w.Intn(4))] {
		pairs = append(pairs, fmt.Sprintf("%q:%s", name, w.value(fields[name])))
	}
	if len(pairs) > len(given) && w.Intn(5) == 0 {
		pairs = append(pairs, pairs[len(pairs)-1])
	}
	if w.Intn(4) == 0 {
		wrong := w.names[w.Intn(len(w.names))] + []string{"", "", "z"}[w.Intn(3)]
		if _, known := fields[wrong]; !known {
			pairs = append(pairs, fmt.Sprintf("%q:%s", wrong, []string{"null", "[]", `{"a":1,"a":2}`}[w.Intn(3)]))
		}
	}
	w.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return "{" + strings.Join(pairs, ",") + "}"
}

func (w *writer) daemonSet() string {
	meta := w.object(reflect.TypeOf(metav1.ObjectMeta{}), []string{`"name":"a"`})
	spec := w.object(reflect.TypeOf(appsv1.DaemonSetSpec{}), nil)
	return fmt.Sprintf(`{"kind":"DaemonSet","metadata":%s,"spec":%s,"apiVersion":"apps/v1"}`, meta, spec)
}

var fault = regexp.MustCompile(`(unknown|duplicate) field "[^"]*"`)

func faultsIn(texts ...string) []string {
	faults := []string{}
	for _, text := range texts {
		faults = append(faults, fault.FindAllString(text, -1)...)
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

func kubernetes(t *testing.T, text string) []string {
	var into appsv1.DaemonSet
	strict, err := kjson.UnmarshalStrict([]byte(text), &into)
	if err != nil {
		t.Fatalf("%s: the case is not valid: %v", text, err)
	}
	texts := []string{}
	for _, one := range strict {
		texts = append(texts, one.Error())
	}
	return faultsIn(texts...)
}

func ours(t *testing.T, binary, file string) []string {
	var stderr bytes.Buffer
	command := exec.Command(binary, "explain", "--demo", "--manifest", file)
	command.Stderr = &stderr
	_ = command.Run() // these DaemonSets are refused for other reasons, too
	return faultsIn(stderr.String())
}

func TestModulesAreOfTheReleaseOfTheTable(t *testing.T) {
	table, err := os.ReadFile("../../lib/decode/manifest/daemon_set_fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	if release := "\nrelease v" + version.DefaultKubeBinaryVersion + "."; !bytes.Contains(table, []byte(release)) {
		t.Errorf("the modules are of %s, the table of known fields is not", version.DefaultKubeBinaryVersion)
	}
}

func TestSameFaultsAsKubernetes(t *testing.T) {
	binary := os.Getenv("DSDOCTOR_BINARY")
	if binary == "" {
		t.Fatal("DSDOCTOR_BINARY is not set")
	}
	file := filepath.Join(t.TempDir(), "daemonset.json")
	compared := 0
	for i := range *cases {
		w := &writer{Rand: rand.New(rand.NewSource(*seed + int64(i)))}
		w.collect(reflect.TypeOf(appsv1.DaemonSet{}), map[reflect.Type]bool{})
		text := w.daemonSet()
		want := kubernetes(t, text)
		if len(want) > 20 { // more are counted, not listed
			continue
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := ours(t, binary, file); !slices.Equal(got, want) {
			t.Errorf("seed %d: %s\ngot  %v\nwant %v", *seed+int64(i), text, got, want)
		}
		compared += len(want)
	}
	if compared < *cases {
		t.Errorf("only %d faults in %d cases", compared, *cases)
	}
}
