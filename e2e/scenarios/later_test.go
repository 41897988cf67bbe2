// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// later is the age of all events in the copies that settleLater checks: longer than any time limit
// of the binary, shorter than the hour for which events are kept.
const later = 20 * time.Minute

// copied is everything that the binary reads, as paths of the API.
var copied = []string{
	"/api/v1/nodes", "/api/v1/pods", "/api/v1/events", "/api/v1/namespaces", "/api/v1/resourcequotas",
	"/api/v1/limitranges", "/api/v1/serviceaccounts", "/api/v1/persistentvolumes",
	"/api/v1/persistentvolumeclaims", "/apis/apps/v1/daemonsets", "/apis/apps/v1/controllerrevisions",
	"/apis/scheduling.k8s.io/v1/priorityclasses", "/apis/node.k8s.io/v1/runtimeclasses",
	"/apis/storage.k8s.io/v1/storageclasses", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
	"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
}

var moment = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"`)

// settleLater waits until the binary gives the expected answer for the cluster as it would be if
// nothing changed for a while. Instead of waiting that long, copies of all objects are made older.
func (w *world) settleLater(want expectation) {
	w.Helper()
	var wrong []string
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if wrong = w.disagreementsLater(want); len(wrong) == 0 {
			return
		}
		if time.Now().After(deadline) {
			w.Fatalf("no agreement within %s on what it says %s later:\n  %s", patience, later, strings.Join(wrong, "\n  "))
		}
	}
}

func (w *world) disagreementsLater(want expectation) (wrong []string) {
	dir := w.copyAged()
	defer os.RemoveAll(dir)
	answer, err := ask(cluster.Kubeconfig, append([]string{"explain", "-A", "--all-nodes"}, fromAged(dir)...)...)
	if err != nil {
		return []string{err.Error()}
	}
	for name, words := range want {
		got := answer.daemonSet(w.namespace, name)
		if got == nil {
			wrong = append(wrong, name+" is not in the answer")
			continue
		}
		w.compareWords(func(format string, args ...any) {
			wrong = append(wrong, name+": "+fmt.Sprintf(format, args...))
		}, got, words)
	}
	return wrong
}

// fromAged are the arguments that make a command read the copies; the time of files would otherwise
// be that of their newest object.
func fromAged(dir string) []string {
	return []string{"-f", dir, "--now", time.Now().UTC().Format(time.RFC3339)}
}

// copyAged writes the objects of the API server, with every time moved into the past by later.
func (w *world) copyAged() (dir string) {
	w.Helper()
	dir, err := os.MkdirTemp("", "dsdoctor-e2e-aged-")
	w.must(err)
	for i, path := range copied {
		list, err := client.RESTClient().Get().AbsPath(path).SetHeader("Accept", "application/json").DoRaw(w.ctx)
		w.must(err)
		aged := moment.ReplaceAllFunc(list, func(quoted []byte) []byte {
			text := string(quoted[1 : len(quoted)-1])
			read, err := time.Parse(time.RFC3339Nano, text)
			w.must(err)
			return []byte(`"` + read.Add(-later).Format("2006-01-02T15:04:05.000000Z") + `"`)
		})
		w.must(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.json", i)), aged, 0o600))
	}
	return dir
}
