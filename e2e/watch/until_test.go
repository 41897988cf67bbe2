// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"testing"
	"time"
)

// soon is for what ends without waiting for anything.
const soon = 10 * time.Second

func testUntil(t *testing.T) {
	t.Run("rolled-out", testRolledOut)
	t.Run("problems", testUntilProblems)
	t.Run("wrong", testUntilWrong)
}

// until waits for the only DaemonSet of the namespace.
func (w *world) until(state string, more ...string) *program {
	w.Helper()
	words := append([]string{"check", "agent", "-n", w.namespace, "--until", state}, more...)
	return w.start(cluster.Kubeconfig, words...)
}

// endsSoon is ends for what is known from the first state.
func (p *program) endsSoon(code int, says ...string) {
	p.w.Helper()
	p.code(soon)
	p.ends(code, says...)
}

// repairs sets the template right at the end of the test, for the next one.
func (w *world) repairs(name string) {
	w.Cleanup(func() {
		w.changeDaemonSet(name, behaving(""))
		w.completes(name)
	})
}

func testRolledOut(t *testing.T) {
	w := newWorld(t, "rolled-out", "n1", "n2", "n3")
	w.addDaemonSet(daemonSet("agent"))
	stuck := func(w *world) {
		w.Helper()
		w.eventually("the rollout does not get on", func() bool { return isStuck(w.getDaemonSet("agent")) })
	}
	t.Run("is already", func(t *testing.T) {
		w.in(t).until("rolled-out").endsSoon(0)
	})
	t.Run("succeeds", func(t *testing.T) {
		w := w.in(t)
		w.changeDaemonSet("agent", image("example.com/agent:2"))
		w.until("rolled-out", "--timeout", "1m").ends(0)
		if ds := w.getDaemonSet("agent"); !isComplete(ds) {
			t.Errorf("it ended, but the status is %+v", ds.Status)
		}
	})
	t.Run("hangs on a node", func(t *testing.T) {
		w := w.in(t)
		w.setKubelet("n2", "stop")
		w.Cleanup(func() {
			w.setKubelet("n2", "")
			w.completes("agent")
		})
		w.changeDaemonSet("agent", image("example.com/agent:3"))
		w.eventually("the pod of the silent kubelet is being deleted", func() bool {
			return w.podOn("agent", "n2").DeletionTimestamp != nil
		})
		begin := time.Now()
		p := w.until("rolled-out", "--timeout", "5s")
		p.ends(1, w.full("n2"))
		if took := time.Since(begin); took < 5*time.Second || took > 5*time.Second+soon {
			t.Errorf("it ended after %s, with --timeout 5s", took)
		}
	})
	t.Run("a node is back while it waits", func(t *testing.T) {
		w := w.in(t)
		w.setKubelet("n2", "stop")
		w.Cleanup(func() { w.setKubelet("n2", "") })
		w.changeDaemonSet("agent", image("example.com/agent:4"))
		w.eventually("the pod of the silent kubelet is being deleted", func() bool {
			return w.podOn("agent", "n2").DeletionTimestamp != nil
		})
		waiting := []*program{
			w.until("rolled-out", "--timeout", "1m"),
			w.start(cluster.Kubeconfig, "explain", "agent", "-n", w.namespace, "--until", "rolled-out", "--timeout", "1m"),
		}
		for _, p := range waiting {
			w.makesLive(p, w.readyNode("agent", "n1", "n3"))
		}
		w.setKubelet("n2", "")
		for _, p := range waiting {
			p.ends(0)
		}
		if ds := w.getDaemonSet("agent"); !isComplete(ds) {
			t.Errorf("they ended, but the status is %+v", ds.Status)
		}
	})
	t.Run("is undone while it waits", func(t *testing.T) {
		w := w.in(t)
		w.repairs("agent")
		w.changeDaemonSet("agent", image("example.com/agent:5"), behaving("crash"))
		stuck(w)
		p := w.until("rolled-out", "--timeout", "1m")
		w.makesLive(p, w.readyNode("agent", "n1", "n2"))
		stuck(w)
		w.changeDaemonSet("agent", image("example.com/agent:4"), behaving(""))
		p.ends(0)
		if ds := w.getDaemonSet("agent"); !isComplete(ds) {
			t.Errorf("it ended, but the status is %+v", ds.Status)
		}
	})
	t.Run("all of a namespace", func(t *testing.T) {
		w := w.in(t)
		w.addDaemonSet(daemonSet("second"))
		w.start(cluster.Kubeconfig, "check", "-n", w.namespace, "--until", "rolled-out").endsSoon(0)
		w.repairs("second")
		w.changeDaemonSet("second", image("example.com/agent:2"), behaving("unready"))
		w.until("rolled-out").endsSoon(0) // the other one
		p := w.start(cluster.Kubeconfig, "check", "-n", w.namespace, "--until", "rolled-out", "--timeout", "1m")
		w.makesLive(p, "n1")
		w.changeDaemonSet("second", image("example.com/agent:1"), behaving(""))
		p.ends(0)
	})
	t.Run("OnDelete", func(t *testing.T) {
		w := w.in(t)
		w.changeDaemonSet("agent", onDelete)
		w.eventually("the controller has seen it", func() bool { return isComplete(w.getDaemonSet("agent")) })
		w.until("rolled-out").endsSoon(0)
		w.changeDaemonSet("agent", image("example.com/agent:6"))
		w.eventually("the controller counts outdated pods", func() bool {
			ds := w.getDaemonSet("agent")
			return ds.Status.ObservedGeneration == ds.Generation && ds.Status.UpdatedNumberScheduled == 0
		})
		w.until("rolled-out").endsSoon(1, "OnDelete")
	})
}

func testUntilProblems(t *testing.T) {
	w := newWorld(t, "until", "n1", "n2", "n3")
	w.addDaemonSet(daemonSet("agent"))
	w.addDaemonSet(daemonSet("paused", onDelete))
	id := misscheduled(dedicated)
	const outdated = "daemonset-ondelete-outdated"
	all := func(w *world, words ...string) *program {
		return w.start(cluster.Kubeconfig, append([]string{"check", "-A"}, words...)...)
	}
	t.Run("nothing is wrong", func(t *testing.T) {
		w := w.in(t)
		all(w, "--until", "healthy").endsSoon(0)
		all(w, "--until", "resolved").endsSoon(0)
	})
	t.Run("the problem is gone from the start", func(t *testing.T) {
		w := w.in(t)
		all(w, "--until", "resolved="+id).endsSoon(0)
		all(w, "--until", "resolved=pod-misscheduled").endsSoon(0)
		all(w, "--until", "resolved=create-quota-exceeded=logging/compute").endsSoon(0)
	})
	t.Run("a problem stays", func(t *testing.T) {
		w := w.in(t)
		w.Cleanup(func() { w.untaint("n1", dedicated) })
		w.taint("n1", dedicated)
		for _, state := range []string{"healthy", "resolved", "resolved=" + id, "resolved=pod-misscheduled"} {
			p := all(w, "--until", state, "--timeout", "3s")
			p.ends(1, id)
		}
		all(w, "--until", "healthy", "--severity", "error").endsSoon(0)
		all(w, "--until", "healthy", "--ignore", id).endsSoon(0)
		all(w, "--until", "resolved=node-cordoned").endsSoon(0)
	})
	t.Run("a problem is resolved", func(t *testing.T) {
		w := w.in(t)
		w.Cleanup(func() { w.untaint("n1", dedicated) })
		w.taint("n1", dedicated)
		var waiting []*program
		for _, words := range [][]string{
			{"--until", "healthy"}, {"--until", "resolved"}, {"--until", "resolved=" + id}, {"--until", "resolved=pod-misscheduled"},
			{"--until", "healthy", "-o", "json"},
		} {
			waiting = append(waiting, all(w, append(words, "--timeout", "1m")...))
		}
		for _, p := range waiting[:4] {
			w.makesLive(p, "n2")
		}
		for _, p := range waiting {
			if p.hasEnded() {
				t.Errorf("%s: it has not waited: %s\n%s", p, p.command.ProcessState, p.said())
			}
		}
		w.untaint("n1", dedicated)
		for _, p := range waiting {
			p.ends(0)
		}
		for _, l := range waiting[4].all() {
			waiting[4].decode(l.text)
		}
	})
	t.Run("another problem begins meanwhile", func(t *testing.T) {
		w := w.in(t)
		w.Cleanup(func() { w.untaint("n1", dedicated) })
		w.taint("n1", dedicated)
		resolved, healthy := all(w, "--until", "resolved", "--timeout", "1m"), all(w, "--until", "healthy", "--timeout", "1m")
		w.makesLive(resolved, "n2")
		w.makesLive(healthy, "n2")
		w.changeDaemonSet("paused", image("example.com/agent:2"))
		for _, p := range []*program{resolved, healthy} {
			p.expect(problem("+", outdated+"="+w.namespace+"/paused", ""))
		}
		w.untaint("n1", dedicated)
		resolved.ends(0)
		healthy.expect(problem("-", id, ""))
		w.changeDaemonSet("paused", image("example.com/agent:1"))
		healthy.ends(0)
	})
}

func testUntilWrong(t *testing.T) {
	w := newWorld(t, "wrong", "n1")
	w.addDaemonSet(daemonSet("agent"))
	nobody, err := cluster.UserKubeconfig(stranger)
	w.must(err)
	for _, row := range []struct {
		name, kubeconfig string
		words            []string
		complains        string
	}{
		{"an unknown state", cluster.Kubeconfig, []string{"check", "-A", "--until", "perfect"}, "perfect"},
		{"an unknown problem", cluster.Kubeconfig, []string{"check", "-A", "--until", "resolved=no-such-finding"}, "no-such-finding"},
		{"an unknown problem with an object", cluster.Kubeconfig, []string{"check", "-A", "--until", "resolved=no-such-finding=a/b"}, "no-such-finding"},
		{"no problem", cluster.Kubeconfig, []string{"check", "-A", "--until", "resolved="}, "resolved"},
		{"no duration", cluster.Kubeconfig, []string{"check", "-A", "--until", "healthy", "--timeout", "tomorrow"}, "tomorrow"},
		{"an absent DaemonSet", cluster.Kubeconfig, []string{"check", "ghost", "-n", w.namespace, "--until", "rolled-out"}, "ghost"},
		{"no permissions, healthy", nobody, []string{"check", "-A", "--until", "healthy"}, "daemonsets"},
		{"no permissions, rolled-out", nobody, []string{"check", "agent", "-n", w.namespace, "--until", "rolled-out", "--timeout", "20s"}, "daemonsets"},
		{"no permissions, -w", nobody, []string{"check", "-A", "-w"}, "daemonsets"},
		{"a file does not change", cluster.Kubeconfig, []string{"check", "-A", "-w", "-f", "../../testdata/clusters/mixed-40-nodes.json"}, "-f"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := w.in(t).start(row.kubeconfig, row.words...)
			p.endsSoon(2)
			p.complains(row.complains)
		})
	}
}
