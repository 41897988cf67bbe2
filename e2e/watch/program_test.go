// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// line is a line of standard output and when it arrived.
type line struct {
	text string
	at   time.Time
}

// program is a running kubectl-dsdoctor with pipes for its output.
type program struct {
	w       *world
	command *exec.Cmd
	stdout  *os.File
	ended   chan struct{} // closed when the process has ended and its output is read
	next    int           // the first line that no expectation has passed

	mutex      sync.Mutex
	lines      []line
	complaints bytes.Buffer // standard error
}

// start runs the program as the user of the kubeconfig.
func (w *world) start(kubeconfig string, words ...string) *program {
	w.Helper()
	return w.startWith(nil, kubeconfig, words...)
}

func (w *world) startWith(environment []string, kubeconfig string, words ...string) *program {
	w.Helper()
	reader, writer, err := os.Pipe()
	w.must(err)
	p := &program{w: w, command: exec.Command(binary, words...), stdout: reader, ended: make(chan struct{})}
	p.command.Env = append(append(os.Environ(), "KUBECONFIG="+kubeconfig), environment...)
	p.command.Stdout = writer
	p.command.Stderr = p
	err = p.command.Start()
	writer.Close()
	w.must(err)
	var read sync.WaitGroup
	read.Go(p.read)
	go func() {
		p.command.Wait()
		read.Wait()
		close(p.ended)
	}()
	w.Cleanup(p.cleanUp)
	return p
}

// Write takes standard error.
func (p *program) Write(text []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.complaints.Write(text)
}

func (p *program) read() {
	lines := bufio.NewScanner(p.stdout)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		p.mutex.Lock()
		p.lines = append(p.lines, line{lines.Text(), time.Now()})
		p.mutex.Unlock()
	}
}

func (p *program) cleanUp() {
	p.command.Process.Kill()
	<-p.ended
	p.stdout.Close()
	if p.w.Failed() {
		p.w.Logf("%s\n%s", p, p.said())
	}
}

func (p *program) String() string {
	return "kubectl-dsdoctor " + strings.Join(p.command.Args[1:], " ")
}

// said is everything that it has printed so far.
func (p *program) said() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var text strings.Builder
	for _, l := range p.lines {
		fmt.Fprintf(&text, "  %s  %s\n", l.at.Format("05.000"), l.text)
	}
	if p.complaints.Len() > 0 {
		fmt.Fprintf(&text, "  standard error: %s", p.complaints.Bytes())
	}
	return text.String()
}

// all are the lines so far.
func (p *program) all() []line {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.lines)
}

func (p *program) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// find waits for a line that no expectation has passed, and passes it; false at the deadline, or when
// the program has ended without one.
func (p *program) find(within time.Duration, matches func(string) bool) (line, bool) {
	for deadline := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		last := p.hasEnded() || time.Now().After(deadline)
		lines := p.all()
		for i := p.next; i < len(lines); i++ {
			if matches(lines[i].text) {
				p.next = i + 1
				return lines[i], true
			}
		}
		if last {
			return line{}, false
		}
	}
}

// expect waits for a line of the pattern after those that earlier expectations passed.
func (p *program) expect(pattern string) line {
	p.w.Helper()
	found, ok := p.find(patience, regexp.MustCompile(pattern).MatchString)
	if !ok {
		p.w.Fatalf("%s: no line like %s; it ended: %t; it printed:\n%s", p, pattern, p.hasEnded(), p.said())
	}
	return found
}

// clock is the beginning of every line.
const clock = `^\d\d:\d\d:\d\d `

// problem is the pattern of a line about a problem, with something that it has to say.
func problem(mark, id, says string) string {
	return clock + regexp.QuoteMeta(mark) + ` (critical|error|warning|info) .*` + says + `.*  ` + regexp.QuoteMeta(id) + `$`
}

// sentence waits for the first state.
func (p *program) sentence() string {
	p.w.Helper()
	return p.expect(clock + `= \S`).text
}

// code waits until the program ends by itself.
func (p *program) code(within time.Duration) int {
	p.w.Helper()
	select {
	case <-p.ended:
	case <-time.After(within):
		p.w.Fatalf("%s: it has not ended within %s; it printed:\n%s", p, within, p.said())
	}
	return p.command.ProcessState.ExitCode()
}

// ends expects an exit code, and words on standard output.
func (p *program) ends(code int, says ...string) {
	p.w.Helper()
	if got := p.code(patience); got != code {
		p.w.Errorf("%s: exit code %d, expected %d; it printed:\n%s", p, got, code, p.said())
	}
	var text strings.Builder
	for _, l := range p.all() {
		text.WriteString(l.text + "\n")
	}
	for _, words := range says {
		if !strings.Contains(text.String(), words) {
			p.w.Errorf("%s: %q is not on standard output:\n%s", p, words, p.said())
		}
	}
}

// complains expects words on standard error, of a program that has ended.
func (p *program) complains(words string) {
	p.w.Helper()
	if said := p.complaints.String(); !strings.Contains(said, words) {
		p.w.Errorf("%s: %q is not on standard error: %s", p, words, said)
	}
}

// interrupt sends what Ctrl-C sends, and expects the program to die by it, with every line complete.
func (p *program) interrupt() {
	p.w.Helper()
	if p.hasEnded() {
		p.w.Fatalf("%s: it ended by itself: %s\n%s", p, p.command.ProcessState, p.said())
	}
	p.w.must(p.command.Process.Signal(os.Interrupt))
	p.code(5 * time.Second)
	if status := p.command.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		p.w.Errorf("%s: not dead by SIGINT, but: %s", p, p.command.ProcessState)
	}
	if p.complaints.Len() > 0 {
		p.w.Errorf("%s: standard error: %s", p, p.complaints.Bytes())
	}
}

// event is a line of "-w -o json".
type event struct {
	Time    time.Time
	Type    string
	ID      string
	Problem *struct {
		ID, Finding, Severity, Title string
	}
	DaemonSets json.RawMessage
	Summary    json.RawMessage
}

// expectEvent is expect for JSON; the id is empty for the types without one.
func (p *program) expectEvent(kind, id string) (event, line) {
	p.w.Helper()
	var e event
	found, ok := p.find(patience, func(text string) bool {
		e = p.decode(text)
		return e.Type == kind && e.ID == id
	})
	if !ok {
		p.w.Fatalf("%s: no %s %s; it ended: %t; it printed:\n%s", p, kind, id, p.hasEnded(), p.said())
	}
	return e, found
}

func (p *program) decode(text string) (e event) {
	p.w.Helper()
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		p.w.Fatalf("%s: no JSON object: %s: %v", p, text, err)
	}
	return e
}

// change is a problem's beginning, change or end.
type change struct{ mark, id string }

func (c change) String() string { return c.mark + " " + c.id }

var (
	changeLine = regexp.MustCompile(clock + `([-+~]) \S+ .*  (\S+)$`)
	marks      = map[string]string{"ADDED": "+", "MODIFIED": "~", "RESOLVED": "-"}
)

// changeIn is what a line, as text or as JSON, reports about a problem.
func (p *program) changeIn(text string) (change, bool) {
	p.w.Helper()
	if slices.Contains(p.command.Args, "json") {
		e := p.decode(text)
		return change{marks[e.Type], e.ID}, marks[e.Type] != ""
	}
	if parts := changeLine.FindStringSubmatch(text); parts != nil {
		return change{parts[1], parts[2]}, true
	}
	return change{}, false
}

// changes are the changes so far, in order; with ids only those of these problems.
func (p *program) changes(ids ...string) (found []change) {
	p.w.Helper()
	for _, l := range p.all() {
		if c, ok := p.changeIn(l.text); ok && (len(ids) == 0 || slices.Contains(ids, c.id)) {
			found = append(found, c)
		}
	}
	return found
}

// expectAllEnded expects an end for every problem that has begun.
func (p *program) expectAllEnded() {
	p.w.Helper()
	open := map[string]int{}
	for _, c := range p.changes() {
		open[c.id] += map[string]int{"+": 1, "-": -1}[c.mark]
	}
	for id, count := range open {
		if count != 0 {
			p.w.Errorf("%s: %s has begun %d times more than ended:\n%s", p, id, count, p.said())
		}
	}
}

const probe = "probe"

// makesLive returns when the program has the first state and prints changes: a taint without a
// further meaning is set and removed until it prints that.
func (w *world) makesLive(p *program, node string) {
	w.Helper()
	about := func(text string) bool {
		c, ok := p.changeIn(text)
		return ok && c.id == misscheduled(probe)
	}
	defer w.untaint(node, probe)
	for deadline := time.Now().Add(patience); ; {
		w.taint(node, probe)
		if _, ok := p.find(promptly, about); ok {
			break
		}
		w.untaint(node, probe)
		if _, ok := p.find(promptly, about); ok { // the taint was part of the first state
			break
		}
		if p.hasEnded() || time.Now().After(deadline) {
			w.Fatalf("%s: it prints no change; it ended: %t; it printed:\n%s", p, p.hasEnded(), p.said())
		}
	}
	w.untaint(node, probe)
	p.finally("the taint is gone", func([]line) bool {
		found := p.changes(misscheduled(probe))
		return len(found) > 0 && found[len(found)-1].mark == "-"
	})
}
