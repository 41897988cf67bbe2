// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// compareWords compares the verdicts and findings of one DaemonSet with an expectation's text.
func (w *world) compareWords(say sayer, got *explainedDaemonSet, want string) {
	checkEvidence(say, got.Findings)
	for _, n := range got.Nodes {
		checkEvidence(say, n.Findings)
	}
	for _, word := range strings.Fields(want) {
		switch {
		case word == "quiet":
			compareQuiet(say, w.short, got)
		case word[0] == '+' || word[0] == '-':
			id, severity, _ := strings.Cut(word[1:], "=")
			found := slices.ContainsFunc(got.Findings, func(f finding) bool {
				return f.ID == id && (severity == "" || f.Severity == severity)
			})
			if found != (word[0] == '+') {
				say("%s is found: %v; its findings: %v", word[1:], found, got.Findings)
			}
		default:
			w.compareTarget(say, got, word)
		}
	}
}

// checkEvidence reports evidence without an object or a path.
func checkEvidence(say sayer, findings []finding) {
	for _, f := range findings {
		for _, e := range f.Evidence {
			if e.Object.Kind == "" || e.Object.Name == "" || e.Path == "" {
				say("%s has evidence of nothing: %+v", f.ID, e)
			}
		}
	}
}

// compareTarget is compareWords for a word about nodes.
func (w *world) compareTarget(say sayer, got *explainedDaemonSet, word string) {
	target, ids, _ := strings.Cut(word, "/")
	node, verdict, named := strings.Cut(target, "=")
	number := 1
	if !named {
		var digits string
		var err error
		verdict, digits, _ = strings.Cut(target, ":")
		if number, err = strconv.Atoi(digits); err != nil {
			w.Fatalf("the scenario is written wrongly: %q", word)
		}
	}
	var meant []explainedNode
	for _, n := range got.Nodes {
		if named && w.short(n.Name) == node || !named && n.Verdict == verdict {
			meant = append(meant, n)
		}
	}
	if len(meant) != number {
		say("%d nodes are meant by %q, expected %d", len(meant), word, number)
	}
	for _, n := range meant {
		if n.Verdict != verdict && verdict != "*" {
			say("%s is %q, expected %q; its findings: %v", w.short(n.Name), n.Verdict, verdict, n.Findings)
		}
		if ids != "" && !findsInOrder(n.Findings, strings.Split(ids, ",")) {
			say("%s: expected the findings %q, has: %v", w.short(n.Name), ids, n.Findings)
		}
	}
}

// findsInOrder expects the first id as the primary finding and the others in any order; "-" expects
// none.
func findsInOrder(findings []finding, ids []string) bool {
	primary := "-"
	for _, f := range findings {
		if f.Standing == "primary" {
			primary = f.ID
		}
	}
	if primary != ids[0] || primary == "-" && len(ids) == 1 && len(findings) > 0 {
		return false
	}
	for _, id := range ids[1:] {
		if !slices.ContainsFunc(findings, func(f finding) bool { return f.ID == id }) {
			return false
		}
	}
	return true
}

// compareQuiet expects no findings above severity info about the DaemonSet or its nodes.
func compareQuiet(say sayer, short func(string) string, got *explainedDaemonSet) {
	for _, f := range got.Findings {
		if f.Severity != "info" {
			say("it should be quiet: %v", f)
		}
	}
	for _, n := range got.Nodes {
		if len(n.Findings) > 0 {
			say("%s should be quiet: %v", short(n.Name), n.Findings)
		}
	}
}

// finding is the finding about a DaemonSet on a node in the answer about all DaemonSets.
func (w *world) finding(name, short, id string) finding {
	w.Helper()
	answer, err := explain(cluster.Kubeconfig)
	w.must(err)
	return w.findingIn(answer, name, short, id)
}

func (w *world) findingIn(answer *explanation, name, short, id string) finding {
	w.Helper()
	var there []finding
	for _, n := range answer.daemonSet(w.namespace, name).Nodes {
		if w.short(n.Name) == short {
			there = n.Findings
		}
	}
	i := slices.IndexFunc(there, func(f finding) bool { return f.ID == id })
	if i < 0 {
		w.Fatalf("%s on %s: no %s: %v", name, short, id, there)
	}
	return there[i]
}

// says expects a finding of a node whose message contains the words.
func (w *world) says(name, short, id, words string) {
	w.Helper()
	if f := w.finding(name, short, id); !strings.Contains(f.Message, words) {
		w.Fatalf("%s on %s does not say %q: %v", name, short, words, f)
	}
}

// text is the expected output and exit code of a command. Words are compared without regard to
// case.
type text struct {
	exitCode int
	// first must be in the first lines, says anywhere, never nowhere.
	first, says, never []string
	// as is the kubeconfig of the user; the administrator's if empty.
	as string
}

// Causes that affect everything take two lines, the heading two; then comes the first problem, with
// its location and its fix.
const firstLines = 8

func beginning(printed string) string {
	lines := strings.SplitAfter(printed, "\n")
	return strings.Join(lines[:min(firstLines, len(lines))], "")
}

func (want text) compare(say sayer, words []string) (printed string) {
	kubeconfig := want.as
	if kubeconfig == "" {
		kubeconfig = cluster.Kubeconfig
	}
	printed, exitCode, err := tell(kubeconfig, words...)
	if err != nil && exitCode != 1 {
		printed += err.Error() // a command that cannot answer has only error messages
	}
	if exitCode != want.exitCode {
		say("exit code %d, expected %d", exitCode, want.exitCode)
	}
	whole := strings.ToLower(printed)
	for _, word := range want.first {
		if !strings.Contains(beginning(whole), strings.ToLower(word)) {
			say("%q is not in the first %d lines", word, firstLines)
		}
	}
	for _, word := range want.says {
		if !strings.Contains(whole, strings.ToLower(word)) {
			say("%q is not said", word)
		}
	}
	for _, word := range want.never {
		if strings.Contains(whole, strings.ToLower(word)) {
			say("%q is said", word)
		}
	}
	return printed
}

// prints waits for a text. The command is about the scenario's namespace unless it names one.
func (w *world) prints(want text, words ...string) {
	w.Helper()
	if !slices.ContainsFunc(words, func(word string) bool { return word == "-A" || word == "-n" }) {
		words = append(words, "-n", w.namespace)
	}
	for deadline := time.Now().Add(textPatience); ; time.Sleep(200 * time.Millisecond) {
		var wrong []string
		printed := want.compare(func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }, words)
		if len(wrong) == 0 {
			w.Logf("%q:\n%s", words, beginning(printed))
			return
		}
		if time.Now().After(deadline) {
			w.Errorf("%q: %s. It says:\n%s", words, strings.Join(wrong, "; "), printed)
			return
		}
	}
}

// printsLater is prints for the same situation after it has lasted for a while.
func (w *world) printsLater(want text, words ...string) {
	w.Helper()
	dir := w.copyAged()
	defer os.RemoveAll(dir)
	w.prints(want, append(words, fromAged(dir)...)...)
}

// The cluster does not change any more; only caches may be stale.
const textPatience = 5 * time.Second

// askedAbout compares the answer about one DaemonSet and some nodes, by their names, with words:
// such an answer also shows what is not a problem.
func (w *world) askedAbout(name, want string, nodes ...string) {
	w.Helper()
	words := []string{"explain", name, "-n", w.namespace}
	for _, short := range nodes {
		words = append(words, "--node", w.full(short))
	}
	answer, err := ask(cluster.Kubeconfig, words...)
	w.must(err)
	w.compareWords(func(format string, args ...any) {
		w.Errorf("%v: "+format, append([]any{words}, args...)...)
	}, answer.daemonSet(w.namespace, name), want)
}
