package scenarios

import (
	"os"
	"slices"
)

// alertAnswer is the part of "check --alert -o json" the scenarios judge by.
type alertAnswer struct {
	DaemonSets []struct {
		Namespace, Name string
		Alert           struct {
			Name, Message string
			Fires         bool
			Values        map[string]int32
			Findings      []string
		}
	}
}

// alert expects of "check --alert" that the condition holds or not, by exit code and answer, on the
// status that the controller wrote, and what explains it.
func (w *world) alert(alert, name string, holds bool, findings ...string) {
	w.Helper()
	w.compareAlert(alert, name, holds, findings, "-n", w.namespace)
}

// alertLater is alert for the same situation when it has lasted for a while.
func (w *world) alertLater(alert, name string, findings ...string) {
	w.Helper()
	dir := w.copyAged()
	defer os.RemoveAll(dir)
	w.compareAlert(alert, name, true, findings, "-n", w.namespace, "-f", dir)
}

func (w *world) compareAlert(alert, name string, holds bool, findings []string, words ...string) {
	w.Helper()
	words = append([]string{"check", name, "--alert", alert}, words...)
	answer, exitCode, err := askFor[alertAnswer](cluster.Kubeconfig, words...)
	w.must(err)
	if (exitCode == 1) != holds {
		w.Errorf("%v: exit code %d, expected that it fires: %v", words, exitCode, holds)
	}
	if len(answer.DaemonSets) != 1 || answer.DaemonSets[0].Name != name {
		w.Fatalf("%v: it is not answered: %+v", words, answer)
	}
	got := answer.DaemonSets[0].Alert
	if got.Name != alert || got.Fires != holds || got.Message == "" || len(got.Values) == 0 {
		w.Errorf("%v: expected that it fires: %v; the answer is %+v", words, holds, got)
	}
	for _, id := range findings {
		if !slices.Contains(got.Findings, id) {
			w.Errorf("%v: %s does not explain it, but %v", words, id, got.Findings)
		}
	}
}
