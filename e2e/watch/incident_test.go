// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// promptly is how soon a change has to be printed after the API server has it.
const promptly = 3 * time.Second

const dedicated = "dedicated"

// twice watches the same changes as text and as JSON.
type twice struct {
	*world
	text, json *program
}

// both expects the change in both, promptly after the API server had it.
func (b *twice) both(what, mark, id, says string, since time.Time) {
	b.Helper()
	kinds := map[string]string{"+": "ADDED", "~": "MODIFIED", "-": "RESOLVED"}
	inText := b.text.expect(problem(mark, id, says))
	e, inJSON := b.json.expectEvent(kinds[mark], id)
	if e.Problem == nil || e.Problem.ID != id || !strings.HasPrefix(id, e.Problem.Finding) || e.Problem.Finding == "" || e.Problem.Severity == "" {
		b.Errorf("the problem is not that of the id %s: %s", id, inJSON.text)
	}
	b.Logf("%-44s text after %4d ms, JSON after %4d ms", what, inText.at.Sub(since).Milliseconds(), inJSON.at.Sub(since).Milliseconds())
	for _, l := range []line{inText, inJSON} {
		if took := l.at.Sub(since); took > promptly {
			b.Errorf("%s: printed after %s, expected within %s: %s", what, took, promptly, l.text)
		}
	}
	if apart := inJSON.at.Sub(e.Time).Abs(); apart > promptly {
		b.Errorf("%s: its time is %s away from now: %s", what, apart, inJSON.text)
	}
}

func testIncident(t *testing.T) {
	w := newWorld(t, "incident", "n1", "n2", "n3", "n4")
	w.addDaemonSet(daemonSet("agent"))
	b := &twice{w, w.start(cluster.Kubeconfig, "check", "-A", "-w"), w.start(cluster.Kubeconfig, "check", "-A", "-w", "-o", "json")}
	// The first sentence is followed by what was read.
	healthy, _, _ := strings.Cut(b.text.sentence()[len("00:00:00 "):], "  ")
	if e, l := b.json.expectEvent("STATUS", ""); len(e.Summary) == 0 || len(e.DaemonSets) == 0 {
		t.Errorf("a state without summary or DaemonSets: %s", l.text)
	}

	b.taints()
	b.quota()
	b.brokenRollout()

	b.text.finally("the last sentence is the first one", func(lines []line) bool { return lastSentence(lines) == healthy })
	expected := []change{
		{"+", misscheduled(dedicated)}, {"-", misscheduled(dedicated)},
		{"+", quotaID(w)}, {"-", quotaID(w)},
		{"+", brokenID(w)}, {"-", brokenID(w)},
	}
	for form, found := range map[string][]change{
		"text": b.text.changes(), "JSON": b.json.changes(),
	} {
		ends := slices.DeleteFunc(slices.Clone(found), func(c change) bool { return c.mark == "~" })
		if !slices.Equal(ends, expected) {
			t.Errorf("%s: problems came and went as %v, expected %v", form, ends, expected)
		}
	}
	b.text.expectUTC()
	b.text.expectNoRepetition()
	b.text.interrupt()
	b.json.interrupt()
}

func (b *twice) taints() {
	b.Helper()
	id := misscheduled(dedicated)
	b.both("a node with a pod is tainted", "+", id, "taint dedicated=gpu", b.taint("n1", dedicated))
	b.both("a second node is tainted", "~", id, "1 → 2 placements?", b.taint("n2", dedicated))
	b.both("the taint of the second one is removed", "~", id, "2 → 1 placements?", b.untaint("n2", dedicated))
	b.both("the last taint is removed", "-", id, `resolved after \d`, b.untaint("n1", dedicated))
}

func quotaID(w *world) string { return "create-quota-exceeded=" + w.namespace + "/narrow" }

func (b *twice) quota() {
	b.Helper()
	b.setQuota("3") // there are four pods, which it does not touch
	pods, events := client.CoreV1().Pods(b.namespace), client.CoreV1().Events(b.namespace)
	refused := notice(b.world, events, "the controller's pod is refused", func(e *v1.Event) bool { return e.Reason == "FailedCreate" })
	b.must(pods.Delete(b.ctx, b.podOn("agent", "n3").Name, metav1.DeleteOptions{}))
	_, at := refused()
	b.both("a quota refuses a pod", "+", quotaID(b.world), "narrow", at)

	b.setQuota("9")
	ready := notice(b.world, pods, "the pod is there again", func(pod *v1.Pod) bool {
		return pod.Spec.NodeName == b.full("n3") && isReady(pod)
	})
	b.touch("agent") // or the controller waits longer and longer between its attempts
	_, at = ready()
	b.both("the quota allows it", "-", quotaID(b.world), `resolved after \d`, at)
}

// setQuota returns when the quota is in force.
func (w *world) setQuota(pods string) {
	w.Helper()
	quotas := client.CoreV1().ResourceQuotas(w.namespace)
	hard := v1.ResourceList{v1.ResourcePods: resource.MustParse(pods)}
	quota := &v1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "narrow"}, Spec: v1.ResourceQuotaSpec{Hard: hard}}
	w.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		there, err := quotas.Get(w.ctx, quota.Name, metav1.GetOptions{})
		if err != nil {
			return create(quotas, w.ctx, quota)
		}
		there.Spec.Hard = hard
		_, err = quotas.Update(w.ctx, there, metav1.UpdateOptions{})
		return err
	}))
	w.eventually("the quota is in force", func() bool {
		q, err := quotas.Get(w.ctx, quota.Name, metav1.GetOptions{})
		return err == nil && q.Status.Hard.Pods().Cmp(*hard.Pods()) == 0
	})
}

func brokenID(w *world) string { return "rollout-new-broken=" + w.namespace + "/agent" }

func (b *twice) brokenRollout() {
	b.Helper()
	pods := client.CoreV1().Pods(b.namespace)
	crashes := notice(b.world, pods, "a new pod crashes", func(pod *v1.Pod) bool {
		statuses := pod.Status.ContainerStatuses
		return len(statuses) > 0 && statuses[0].State.Waiting != nil
	})
	b.changeDaemonSet("agent", image("example.com/agent:2"), behaving("crash"))
	broken, at := crashes()
	b.both("the pod of a new template crashes", "+", brokenID(b.world), "CrashLoopBackOff", at)

	repaired := notice(b.world, pods, "the node has a pod of the old template", func(pod *v1.Pod) bool {
		return pod.Name != broken.Name && pod.Spec.NodeName == broken.Spec.NodeName && isReady(pod)
	})
	b.changeDaemonSet("agent", image("example.com/agent:1"), behaving(""))
	_, at = repaired()
	b.both("the template is set back", "-", brokenID(b.world), `resolved after \d`, at)
	b.eventually("the rollout is complete", func() bool { return isComplete(b.getDaemonSet("agent")) })
}

func lastSentence(lines []line) string {
	for _, l := range slices.Backward(lines) {
		if text := l.text[min(len(l.text), len("00:00:00 ")):]; strings.HasPrefix(text, "= ") {
			return text
		}
	}
	return ""
}

// finally waits until the lines are as they should be in the end.
func (p *program) finally(what string, done func([]line) bool) {
	p.w.Helper()
	for deadline := time.Now().Add(patience); !done(p.all()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.w.Fatalf("%s: not within %s: %s; it printed:\n%s", p, patience, what, p.said())
		}
	}
}

// expectUTC compares the time of every line with that of its arrival.
func (p *program) expectUTC() {
	p.w.Helper()
	for _, l := range p.all() {
		said, err := time.Parse(time.TimeOnly, l.text[:min(len(l.text), len(time.TimeOnly))])
		if err != nil {
			p.w.Errorf("no time at the beginning: %s", l.text)
			continue
		}
		at := l.at.UTC()
		day := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute + time.Duration(at.Second())*time.Second
		apart := (day - said.Sub(said.Truncate(24*time.Hour))).Abs()
		if min(apart, 24*time.Hour-apart) > promptly {
			p.w.Errorf("it arrived at %s: %s", at.Format(time.TimeOnly), l.text)
		}
	}
}

// expectNoRepetition expects every line to say something else than the last one about its problem,
// and than the last sentence.
func (p *program) expectNoRepetition() {
	p.w.Helper()
	last := map[string]string{}
	for _, l := range p.all() {
		id := "="
		if parts := changeLine.FindStringSubmatch(l.text); parts != nil {
			id = parts[2]
		} else if !regexp.MustCompile(clock + "=").MatchString(l.text) {
			continue
		}
		said := l.text[len("00:00:00 "):]
		if last[id] == said {
			p.w.Errorf("it is said twice: %s", l.text)
		}
		last[id] = said
	}
}

// testCommands tries every command that takes -w, with a problem that begins and ends.
func testCommands(t *testing.T) {
	w := newWorld(t, "commands", "n1", "n2", "n3")
	w.addDaemonSet(daemonSet("agent"))
	w.addDaemonSet(daemonSet("second", func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
	}))
	id := misscheduled(dedicated)
	for _, words := range [][]string{
		{"check", "-n", w.namespace, "-w"},
		{"check", "-A", "--watch"},
		{"explain", "agent", "-n", w.namespace, "-w"},
		{"explain", "node/" + w.full("n1"), "-w"},
		{"diff-nodes", "-A", "-w"},
	} {
		t.Run(strings.Join(words, " "), func(t *testing.T) {
			w := w.in(t)
			p := w.start(cluster.Kubeconfig, words...)
			p.sentence()
			w.Cleanup(func() { w.untaint("n1", dedicated) })
			w.taint("n1", dedicated)
			p.expect(problem("+", id, ""))
			w.untaint("n1", dedicated)
			p.expect(problem("-", id, `resolved after \d`))
			p.interrupt()
		})
	}
	t.Run("a DaemonSet without a problem of its own", func(t *testing.T) {
		w := w.in(t)
		quiet := w.start(cluster.Kubeconfig, "explain", "second", "-n", w.namespace, "-w")
		p := w.start(cluster.Kubeconfig, "explain", "agent", "second", "-n", w.namespace, "-w")
		quiet.sentence()
		p.sentence()
		w.Cleanup(func() { w.untaint("n1", dedicated) })
		w.taint("n1", dedicated)
		p.expect(problem("+", id, ""))
		w.untaint("n1", dedicated)
		p.expect(problem("-", id, ""))
		p.interrupt()
		quiet.interrupt()
		if found := quiet.changes(); len(found) > 0 {
			t.Errorf("%s: %v\n%s", quiet, found, quiet.said())
		}
	})
	t.Run("without the first state", func(t *testing.T) {
		w := w.in(t)
		w.Cleanup(func() { w.untaint("n1", dedicated) })
		w.taint("n1", dedicated)
		p := w.start(cluster.Kubeconfig, "check", "-A", "--watch-only")
		w.makesLive(p, "n2")
		sentences := slices.IndexFunc(p.all(), func(l line) bool { return changeLine.MatchString(l.text) })
		if sentences > 1 || p.changes()[0].id != misscheduled(probe) {
			t.Errorf("it begins with the first state:\n%s", p.said())
		}
		if slices.ContainsFunc(p.changes(), func(c change) bool { return c == change{"+", id} }) {
			t.Errorf("a problem of the first state is printed:\n%s", p.said())
		}
		w.untaint("n1", dedicated)
		p.expect(problem("-", id, `resolved after \d`))
		p.interrupt()
	})
	t.Run("another time zone", func(t *testing.T) {
		w := w.in(t)
		p := w.startWith([]string{"TZ=ABC-05:30"}, cluster.Kubeconfig, "check", "-A", "-w")
		p.sentence()
		p.expectUTC()
		p.interrupt()
	})
}

// testObjects creates and deletes what problems are about.
func testObjects(t *testing.T) {
	w := newWorld(t, "objects", "n1", "n2")
	id := misscheduled(dedicated)
	t.Run("created and deleted", func(t *testing.T) {
		w := w.in(t)
		w.addDaemonSet(daemonSet("agent"))
		p := w.start(cluster.Kubeconfig, "check", "-A", "-w")
		p.sentence()
		w.addNodes("n3")
		w.addDaemonSet(daemonSet("second"))
		w.taint("n1", dedicated)
		p.expect(problem("+", id, ""))
		w.must(client.AppsV1().DaemonSets(w.namespace).DeleteCollection(w.ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
		p.expect(problem("-", id, ""))
		w.untaint("n1", dedicated)
		w.addDaemonSet(daemonSet("agent"))
		w.taint("n3", dedicated)
		p.expect(problem("+", id, w.full("n3")))
		w.must(client.CoreV1().Nodes().Delete(w.ctx, w.full("n3"), metav1.DeleteOptions{}))
		p.expect(problem("-", id, ""))
		p.finally("nothing is wrong", func(lines []line) bool { return strings.HasPrefix(lastSentence(lines), "= nothing wrong") })
		p.expectAllEnded()
		p.expectNoRepetition()
		p.interrupt()
	})
	t.Run("another namespace", func(t *testing.T) {
		w := w.in(t)
		p := w.start(cluster.Kubeconfig, "check", "-n", w.namespace, "-w")
		p.sentence()
		other := newWorld(t, "another")
		other.must(create(client.AppsV1().DaemonSets(other.namespace), other.ctx, daemonSet("agent", behaving("crash"))))
		other.eventually("its pods crash", func() bool { return other.getDaemonSet("agent").Status.NumberUnavailable == 2 })
		w.makesLive(p, "n2")
		p.interrupt()
		for _, c := range p.changes() {
			if c.id != misscheduled(probe) {
				t.Errorf("it is about another namespace: %s", c)
			}
		}
	})
}

// testEnds tries what ends the program beside an interrupt.
func testEnds(t *testing.T) {
	w := newWorld(t, "ends", "n1")
	w.addDaemonSet(daemonSet("agent"))
	t.Run("its output is closed", func(t *testing.T) {
		w := w.in(t)
		p := w.start(cluster.Kubeconfig, "check", "-A", "-w")
		p.sentence()
		w.must(p.stdout.Close())
		select { // a quiet cluster gives it nothing to print
		case <-p.ended:
		case <-time.After(patience):
			t.Errorf("%s: it runs on after its output is closed", p)
		}
	})
}
