// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dsdoctor.dev/e2e/faults"
)

var (
	hostileAnswers = flag.Int("hostile", 2500, "how many hostile answers to give")
	hostileSeed    = flag.Uint64("seed", 1, "seed of the hostile answers")
	hostileRun     = flag.Int("hostile-run", -1, "repeat only this run of the seed, and show what it says")
)

const longest = 20 * time.Second // limit for one run with hostile answers, on a busy machine

// TestHostileAnswers damages all answers of a server. Each run of the binary requests at least five
// documents, and each of them is damaged; the run must end by itself, without a signal and without
// an internal error, with an answer or a clean failure.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	bodies := loadBodies(t)
	cluster := &hostileCluster{seed: *hostileSeed, bodies: bodies}
	s := newSandbox(t)
	plain, err := faults.Start(cluster, faults.Options{})
	s.must(err)
	secure, err := faults.Start(cluster, faults.Options{Identity: identity})
	s.must(err)
	t.Cleanup(plain.Stop)
	t.Cleanup(secure.Stop)
	s.use(configFor(secure))

	once := func(run int) {
		server := plain
		if run%8 == 0 { // TLS is the most expensive part
			server = secure
		}
		judgeHostile(s, run, s.runWith(nil, binary, "explain", "-A", "-o", []string{"json", "wide", "table"}[run%3],
			"--request-timeout=450ms", "--server", fmt.Sprintf("%s/run-%d", server.URL, run)))
	}
	if *hostileRun >= 0 {
		once(*hostileRun)
		return
	}
	begin := time.Now()
	var runs atomic.Int64
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for cluster.given.Load() < int64(*hostileAnswers) && !t.Failed() {
				run := runs.Add(1)
				once(int(run))
				if run%200 == 0 {
					plain.Forget()
					secure.Forget()
				}
			}
		}()
	}
	group.Wait()
	t.Logf("seed %d: %d hostile answers in %d runs, %d of which could still answer; %s",
		*hostileSeed, cluster.given.Load(), runs.Load(), answered.Load(), time.Since(begin).Round(time.Second))
}

var answered atomic.Int64

// saysNoNode reports whether the answer says that no node was read: on stderr if stdout is for a
// program.
func saysNoNode(r result) bool {
	return strings.Contains(r.stdout+r.stderr, "Not known: nodes")
}

func judgeHostile(s *sandbox, run int, r result) {
	repeat := fmt.Sprintf("repeat with -seed=%d -hostile-run=%d", *hostileSeed, run)
	switch {
	case r.signal != 0 || r.code != 0 && r.code != 2:
		s.Errorf("it crashed (%s): %v", repeat, r)
	case strings.HasPrefix(r.stderr, "error: internal:"):
		s.Errorf("an internal error (%s): %v", repeat, r)
	case r.took > longest:
		s.Errorf("it took %s (%s)", r.took, repeat)
	case r.code == 2 && r.stdout != "" && !saysNoNode(r):
		s.Errorf("half an answer (%s): %v", repeat, r)
	case r.code == 2 && r.stderr == "" && !saysNoNode(r):
		s.Errorf("a failure without a word (%s)", repeat)
	case r.code == 0 && run%3 == 0 && !json.Valid([]byte(r.stdout)):
		s.Errorf("the answer is no JSON (%s): %v", repeat, r)
	case strings.ContainsAny(r.stdout+r.stderr, "\x1b\x07\r"):
		s.Errorf("control characters reach the terminal (%s): %v", repeat, r)
	}
	if r.code == 0 {
		answered.Add(1)
	}
	if *hostileRun >= 0 {
		fmt.Println(r)
	}
}

// hostileCluster answers by the seed, the run and the number of the request.
type hostileCluster struct {
	seed   uint64
	bodies map[string][]body // by the last segment of a path
	given  atomic.Int64
	asked  sync.Map // by run and document: number of requests
}

var documents = []string{"nodes", "pods", "daemonsets", "controllerrevisions", "version"}

type body struct {
	mediaType string
	bytes     []byte
}

func (c *hostileCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	run, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	what := path.Base(r.URL.Path)
	counter, _ := c.asked.LoadOrStore(run+what, new(atomic.Int64))
	times := counter.(*atomic.Int64).Add(1)
	dice := faults.NewDice(c.seed, run, what, fmt.Sprint(times))
	// In half of the runs only one document is damaged; otherwise no run would reach an answer.
	target := faults.NewDice(c.seed, run)
	spared := target.IntN(2) == 0 && documents[target.IntN(len(documents))] != what
	known := c.bodies[what]
	if known == nil {
		known = c.bodies["nodes"]
	}
	one := known[dice.IntN(len(known))]
	other := c.bodies["nodes"][0]
	switch {
	case times > 20: // a list may never end, but the test must
		faults.Status(500, "InternalError", "enough")(w, r, c)
	case spared:
		healthy := known[len(known)-1]
		faults.Body(200, healthy.mediaType, healthy.bytes)(w, r, c)
	default:
		c.given.Add(1)
		faults.Hostile(dice, one.bytes, other.bytes, one.mediaType)(w, r, c)
	}
}

// loadBodies reads recorded answers of an API server, and short lists of a recorded cluster.
func loadBodies(t *testing.T) map[string][]body {
	bodies := map[string][]body{}
	for document, names := range map[string][]string{
		"nodes":      {"nodes-page1.json", "nodes-page2.json", "nodes-page.protobuf", "nodes-metadata-only.json", "nodes-watch.jsonl", "status-403-nodes.json"},
		"pods":       {"pods-page.json", "pods-page.protobuf", "events.json", "status-401.json", "events.protobuf"},
		"daemonsets": {"daemonsets.json", "daemonsets.protobuf", "daemonsets-table.json", "status-404.protobuf", "status-400-continue.json"},
		"version":    {"status-404.json", "version.json"},
	} {
		for _, name := range names {
			content, err := os.ReadFile(filepath.Join(testdata, "wire", name))
			if err != nil {
				t.Fatal(err)
			}
			mediaType := "application/json"
			if strings.HasSuffix(name, ".protobuf") {
				mediaType = protobufType
			}
			bodies[document] = append(bodies[document], body{mediaType, content})
		}
	}
	for _, document := range []string{"api/v1/nodes", "api/v1/pods", "apis/apps/v1/daemonsets", "apis/apps/v1/controllerrevisions"} {
		for _, cluster := range []*faults.Cluster{recorded, larger} {
			short := cluster.Body("/" + document + "?limit=6")
			name := path.Base(document)
			bodies[name] = append(bodies[name], body{"application/json", short}, body{"application/json", short})
		}
	}
	return bodies
}
