package scenarios

import (
	"slices"
	"strconv"
	"strings"
)

// compareWords holds the verdicts and findings of one DaemonSet against an expectation's text.
func (w *world) compareWords(say sayer, got *explainedDaemonSet, want string) {
	for _, word := range strings.Fields(want) {
		switch {
		case word == "quiet":
			compareQuiet(say, w.short, got)
		case word[0] == '+' || word[0] == '-':
			found := slices.ContainsFunc(got.Findings, func(f finding) bool { return f.ID == word[1:] })
			if found != (word[0] == '+') {
				say("%s is found: %v; its findings: %v", word[1:], found, got.Findings)
			}
		default:
			w.compareTarget(say, got, word)
		}
	}
}

// compareTarget is compareWords for a word that speaks of nodes.
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

// findsInOrder wants the first id as the primary finding and the others at all; "-" wants none.
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

// compareQuiet wants nothing said of the DaemonSet or its nodes that somebody should look at.
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

// says expects a finding of a node whose message holds the words.
func (w *world) says(name, short, id, words string) {
	w.Helper()
	answer, err := explain(cluster.Kubeconfig)
	w.must(err)
	for _, n := range answer.daemonSet(w.namespace, name).Nodes {
		for _, f := range n.Findings {
			if w.short(n.Name) == short && f.ID == id && strings.Contains(f.Message, words) {
				return
			}
		}
		if w.short(n.Name) == short {
			w.Fatalf("%s on %s: no %s that says %q: %v", name, short, id, words, n.Findings)
		}
	}
}

// askedAbout holds the answer to a question about one DaemonSet and some nodes, by their names,
// against words: then also what is no trouble is told.
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
