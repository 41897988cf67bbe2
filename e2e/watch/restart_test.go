// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"regexp"
	"slices"
	"testing"
	"time"
)

// outage is how long the API server cannot be reached.
const outage = 3 * time.Second

// fails shuts the gate for an outage, and returns when it is open again.
func (g *gate) fails(meanwhile func()) {
	g.w.Helper()
	g.shut()
	over := time.After(outage)
	meanwhile()
	<-over // the length of the outage is what is tested
	g.open()
}

// noticeType is the type of the events that are about the connection.
const noticeType = "NOTICE"

const (
	reconnecting = clock + `! reconnecting: \S`
	liveAgain    = clock + `! live again after \d+`
)

func matching(pattern string) func(line) bool {
	compiled := regexp.MustCompile(pattern)
	return func(l line) bool { return compiled.MatchString(l.text) }
}

func testRestart(t *testing.T) {
	w := newWorld(t, "restart", "n1", "n2", "n3")
	w.addDaemonSet(daemonSet("agent"))
	w.taint("n1", dedicated)
	id := misscheduled(dedicated)

	t.Run("changes are printed once", func(t *testing.T) {
		w := w.in(t)
		g := newGate(w)
		text := w.start(g.kubeconfig, "check", "-A", "-w")
		json := w.start(g.kubeconfig, "check", "-A", "-w", "-o", "json")
		text.sentence()
		json.expectEvent("STATUS", "")
		w.makesLive(text, "n3")
		w.makesLive(json, "n3")

		before, beforeJSON := text.changes(id), json.changes(id)
		begin := time.Now()
		g.fails(func() { text.expect(reconnecting) })
		text.expect(liveAgain)
		t.Logf("without a change: live again after %s", time.Since(begin).Round(time.Millisecond))
		json.expectEvent(noticeType, "") // the connection is lost
		json.expectEvent(noticeType, "") // and there again
		w.taint("n2", dedicated)
		text.expect(problem("~", id, "1 → 2 placements?"))
		json.expectEvent("MODIFIED", id)

		g.fails(func() {
			w.untaint("n2", dedicated)
			text.expect(reconnecting)
		})
		// The connections come back one by one.
		text.finally("it is live again, and has the change", func(lines []line) bool {
			return slices.ContainsFunc(lines[text.next:], matching(liveAgain)) &&
				slices.ContainsFunc(lines[text.next:], matching(problem("~", id, "2 → 1 placements?")))
		})
		json.finally("it has the change", func([]line) bool { return len(json.changes(id)) == len(beforeJSON)+2 })

		after := []change{{"~", id}, {"~", id}}
		if found := text.changes(id); !slices.Equal(found, slices.Concat(before, after)) {
			t.Errorf("problems are %v, expected %v after %v", found, after, before)
		}
		if found := json.changes(id); !slices.Equal(found, slices.Concat(beforeJSON, after)) {
			t.Errorf("JSON: problems are %v, expected %v after %v", found, after, beforeJSON)
		}
		text.expectNoRepetition()
		text.interrupt()
		json.interrupt()
	})
	t.Run("an outage is said once", func(t *testing.T) {
		w := w.in(t)
		g := newGate(w)
		p := w.start(g.kubeconfig, "check", "-A", "-w")
		p.sentence()
		for range 2 {
			g.fails(func() { p.expect(reconnecting) })
			p.expect(liveAgain)
		}
		counts := map[string]int{}
		for _, l := range p.all() {
			for _, pattern := range []string{reconnecting, liveAgain} {
				if matching(pattern)(l) {
					counts[pattern]++
				}
			}
		}
		if counts[reconnecting] != 2 || counts[liveAgain] != 2 {
			t.Errorf("two outages, but the lines are:\n%s", p.said())
		}
		p.interrupt()
	})
	t.Run("waits across an outage", func(t *testing.T) {
		w := w.in(t)
		g := newGate(w)
		p := w.start(g.kubeconfig, "check", "-A", "--until", "resolved="+id, "--timeout", "1m")
		w.makesLive(p, "n3")
		g.fails(func() { w.untaint("n1", dedicated) })
		p.ends(0)
	})
	t.Run("nobody answers at the start", func(t *testing.T) {
		w := w.in(t)
		g := newGate(w)
		g.shut()
		for _, words := range [][]string{{"--until", "healthy", "--timeout", "5s"}, {"--until", "healthy"}, {"-w"}} {
			p := w.start(g.kubeconfig, append([]string{"check", "-A"}, words...)...)
			p.endsSoon(2)
			p.complains("refused")
		}
		g.open()
	})
}

// testOutages makes changes during an outage that leave nothing wrong: no mixture of the state before
// and the state after it may be judged.
func testOutages(t *testing.T) {
	w := newWorld(t, "outages", "n1", "n2", "n3")
	w.addDaemonSet(daemonSet("agent"))
	g := newGate(w)
	p := w.start(g.kubeconfig, "check", "-A", "-w")
	p.sentence()
	w.makesLive(p, "n3")
	before := p.changes()
	for round, meanwhile := range []func(){
		func() {
			w.changeDaemonSet("agent", image("example.com/agent:2"))
			w.completes("agent")
		},
		func() {
			w.addNodes("n4", "n5")
			w.eventually("they have their pods", func() bool { return w.getDaemonSet("agent").Status.NumberAvailable == 5 })
		},
		func() { w.addDaemonSet(daemonSet("second")) },
		func() {
			w.changeDaemonSet("second", behaving("unready"))
			w.eventually("a rollout is stuck", func() bool { return isStuck(w.getDaemonSet("second")) })
			w.changeDaemonSet("second", behaving(""))
			w.completes("second")
		},
	} {
		g.fails(func() {
			p.expect(reconnecting)
			meanwhile()
		})
		p.expect(liveAgain)
		if found := p.changes()[len(before):]; len(found) > 0 {
			t.Errorf("round %d: nothing was wrong before the outage or is after it, but it prints %v:\n%s", round, found, p.said())
			before = p.changes()
		}
	}
	w.makesLive(p, "n3") // no problem comes late
	if found := p.changes()[len(before):]; slices.ContainsFunc(found, func(c change) bool { return c.id != misscheduled(probe) }) {
		t.Errorf("nothing is wrong, but it prints %v", found)
	}
	p.interrupt()
}
