// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dsdoctor.dev/e2e/faults"
)

const noWatch = "no row runs for so long: lib/kube/watch and lib/decode/watch test it"

// listRows are about pages, encodings and values.
var listRows = []row{
	{number: 108, about: "three pages, the second empty with a token: all items", check: func(s *sandbox) {
		server, reference := s.reference()
		server.On("nodes", faults.Healthy,
			faults.JSON(`{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"15986","continue":"010"},"items":[]}`), // the same position in another notation
			faults.Healthy)
		s.same(s.explainJSON("--chunk-size", "10"), reference)
		s.equal("pages", len(server.Requests("nodes")), 4)
	}},
	{number: 109, about: "410 on page 3: restarted once, no duplicates", check: func(s *sandbox) {
		server, reference := s.reference()
		server.On("nodes", faults.Healthy, faults.Healthy, expired, faults.Healthy)
		s.same(s.explainJSON("--chunk-size", "10"), reference)
		s.equal("pages", len(server.Requests("nodes")), 6)
	}},
	{number: 110, about: "410 twice: full list without limit", check: func(s *sandbox) {
		server, reference := s.reference()
		server.On("nodes", faults.Healthy, faults.Healthy, expired, faults.Healthy, expired, faults.Healthy)
		s.same(s.explainJSON("--chunk-size", "10"), reference)
		nodes := server.Requests("nodes")
		if last := nodes[len(nodes)-1].Query; last.Has("limit") || last.Has("continue") {
			s.Errorf("the last request still has pages: %v", last)
		}
		server.On("nodes", expired)
		s.refused(s.explain(), "xpired")
	}},
	{number: 111, about: "page 2: same selectors and limit, no resourceVersion", check: func(s *sandbox) {
		server, _ := s.ready()
		s.answered(s.run("explain", "datadog-agent", "-n", "datadog", "--chunk-size", "10"))
		pods := slices.DeleteFunc(server.Requests("pods"), func(r faults.Request) bool {
			return r.Query.Has("fieldSelector") // for the cause, of one node: a different request
		})
		if len(pods) < 2 {
			s.Fatalf("%d pages of pods", len(pods))
		}
		for _, r := range pods {
			s.equal("limit", r.Query.Get("limit"), "10")
			s.equal("selector", r.Query.Get("labelSelector"), pods[0].Query.Get("labelSelector"))
			s.equal("resourceVersion given", r.Query.Has("resourceVersion"), false)
		}
		s.equal("selector given", pods[0].Query.Get("labelSelector") != "", true)
		s.equal("continue given", pods[1].Query.Get("continue"), "10")
	}},
	{number: 112, about: "protobuf asked, JSON answered: decoded as JSON", check: func(s *sandbox) {
		server, _ := s.ready()
		s.answered(s.explain())
		s.asked(server, "nodes", asksProtobuf)
	}},
	{number: 113, about: "protobuf asked, text/html 200: error naming it", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("nodes", faults.LoginPage)
		s.refused(s.explain(), "text/html")
	}},
	{number: 114, about: "406: repeated with JSON", check: func(s *sandbox) {
		server, reference := s.reference()
		server.On("", func(w http.ResponseWriter, r *http.Request, cluster http.Handler) {
			if strings.Contains(r.Header.Get("Accept"), protobufType) {
				faults.Status(406, "NotAcceptable", "only the following media types are accepted: application/json")(w, r, cluster)
				return
			}
			cluster.ServeHTTP(w, r)
		})
		s.same(s.explainJSON(), reference)
		nodes := server.Requests("nodes")
		s.equal("the first asks for protobuf", asksProtobuf(nodes[0]), nil)
		s.equal("the second", nodes[len(nodes)-1].Header.Get("Accept"), "application/json")
	}},
	{number: 115, about: "envelope of a Status with code 403: Forbidden", check: func(s *sandbox) {
		server, _ := s.ready()
		status := metav1.Status{Status: "Failure", Message: "daemonsets.apps is forbidden", Reason: "Forbidden", Code: 403}
		server.On("daemonsets", faults.Body(403, protobufType, enveloped("v1", "Status", &status)))
		s.refused(s.explain(), "Error from server (Forbidden): daemonsets.apps is forbidden")
	}},
	{number: 116, about: "cut after 60 %: page repeated, then an error, never half a list", check: checkCutBodies},
	{number: 117, about: "JSON list, then a Status in the same body: error", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("nodes", faults.Followed(faults.Healthy, faults.StatusBody(500, "InternalError", "etcdserver: request timed out")))
		s.refused(s.explain())
	}},
	{number: 118, about: "items before metadata: decoded", check: func(s *sandbox) {
		server, reference := s.reference()
		server.On("nodes", faults.Edited(faults.Healthy, itemsFirst))
		s.same(s.explainJSON("--chunk-size", "10"), reference)
		s.equal("pages", len(server.Requests("nodes")), 3)
	}},
	{number: 119, about: "items null or missing: zero items", check: func(s *sandbox) {
		server, _ := s.ready()
		for _, items := range []string{`,"items":null`, ""} {
			server.On("nodes", faults.JSON(`{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"}`+items+`}`))
			r := s.explainJSON()
			s.answered(r)
			s.contains("stdout", r.stdout, `"nodes": 0`)
		}
	}},
	{number: 120, about: "unknown fields, field 999 in protobuf: ignored", check: func(s *sandbox) {
		server, reference := s.reference()
		server.On("nodes", itemsEdited(func(item map[string]any) {
			set(item, []any{map[string]any{"deep": 1.5}}, "spec", "newerThanUs")
			item["alsoNew"] = "x"
		}))
		s.same(s.explainJSON(), reference)
		server.On("nodes", asProtobuf(nil, unknownField(999)...))
		s.same(s.explainJSON(), reference)
	}},
	{number: 121, about: "negative int32 in protobuf: read", check: func(s *sandbox) {
		server, reference := s.reference()
		server.On("pods", asProtobuf(func(pod map[string]any) { set(pod, -10, "spec", "priority") }))
		s.same(s.explainJSON(), reference)
	}},
	{number: 122, about: "zero-length Time: null", check: func(s *sandbox) {
		server, _ := s.ready()
		without := func(item map[string]any) { set(item, nil, "metadata", "creationTimestamp") }
		server.On("nodes", itemsEdited(without))
		reference := s.explainJSON()
		s.answered(reference)
		server.On("nodes", itemsEdited(func(item map[string]any) { item["metadata"].(map[string]any)["creationTimestamp"] = nil }))
		s.same(s.explainJSON(), reference)
		server.On("nodes", asProtobuf(without)) // this generator always writes the field
		s.same(s.explainJSON(), reference)
	}},
	{number: 123, about: "unschedulable with 0: false", check: func(s *sandbox) {
		server, reference := s.reference()
		server.On("nodes", asProtobuf(nil)) // this generator always writes the field
		s.same(s.explainJSON(), reference)
	}},
	{number: 124, about: "quantities in every spelling: taken", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("nodes", itemsEdited(func(node map[string]any) {
			for i, q := range []any{"1e3", "1E", "0.1", "100m", "1Ki", ".5", 2} {
				set(node, q, "status", "allocatable", fmt.Sprintf("example.com/r%d", i))
			}
			if node["metadata"].(map[string]any)["name"] == "cp-1" {
				set(node, 3, "status", "allocatable", "example.com/r6")
			}
		}))
		r := s.run("diff-nodes", "node/cp-1", "node/cp-2", "-o", "json")
		if r.code == 2 {
			s.Fatalf("no answer: %v", r)
		}
		var answer struct {
			Allocatable struct{ Changed map[string][]any }
		}
		s.must(mustJSON(r.stdout, &answer))
		s.equal("what differs", fmt.Sprint(answer.Allocatable.Changed["example.com/r6"]), "[3 2]")
	}},
	{number: 125, about: "invalid quantities: reported by object, the run goes on", check: func(s *sandbox) {
		server, _ := s.ready()
		healthy := s.explain()
		s.answered(healthy)
		server.On("nodes", itemsEdited(func(node map[string]any) {
			for i, q := range []any{"1 Gi", "Gi", "", " 1Gi "} {
				set(node, q, "status", "capacity", fmt.Sprintf("example.com/r%d", i))
			}
		}))
		r := s.explain()
		s.answeredSaying(r, `Node/cp-1 status.capacity[example.com/r0]: "1 Gi" is not a quantity`,
			`Node/cp-1 status.capacity[example.com/r2]: "" is not a quantity`)
		s.lacks("stderr", r.stderr, "example.com/r3") // surrounding blanks are trimmed
		s.equal("answer", r.stdout, healthy.stdout)
	}},
	{number: 126, about: "IntOrString \"25%\" and 1: both", check: func(s *sandbox) {
		server, _ := s.ready()
		for _, value := range []any{"25%", 1} {
			server.On("daemonsets", itemsEdited(func(ds map[string]any) {
				set(ds, "RollingUpdate", "spec", "updateStrategy", "type")
				set(ds, value, "spec", "updateStrategy", "rollingUpdate", "maxUnavailable")
			}))
			s.answered(s.explain())
		}
	}},
	{number: 127, about: "pod without status.conditions: handled", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("pods", itemsEdited(func(pod map[string]any) { set(pod, nil, "status", "conditions") }))
		r := s.explain("-o", "json")
		s.answered(r)
		s.contains("stdout", r.stdout, `"not-ready": `)
	}},
	{number: 128, about: "garbage behind k8s\\0: decode error, no crash", check: func(s *sandbox) {
		server, _ := s.ready()
		dice := rand.New(rand.NewPCG(128, 0))
		for range 20 {
			garbage := []byte("k8s\x00")
			for range 100 {
				garbage = append(garbage, byte(dice.Uint32()))
			}
			server.On("nodes", faults.Body(200, protobufType, garbage))
			s.refused(s.explain())
		}
		s.asked(server, "nodes", asksProtobuf)
	}},
	{number: 129, about: "gzip bomb: stops at a cap", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("nodes", faults.GzipBomb(10<<30))
		const memory = 1 << 20 // KiB of address space, including the threads' stacks
		limited := fmt.Sprintf(`ulimit -v %d && exec "$@"`, memory)
		if sanitized {
			limited = `exec "$@"`
		}
		if windows != nil { // wine reserves much, so only the used memory is checked
			r := s.explain()
			s.refused(r, "larger than")
			s.atMost("KiB of memory", r.memory, memory)
			return
		}
		s.refused(s.runWith(nil, "/bin/sh", "-c", limited, "sh", binary, "explain", "-A"), "larger than")
	}},
	{number: 130, about: "the server rejects a field selector: its text", check: func(s *sandbox) {
		server, _ := s.ready()
		server.On("daemonsets", faults.Status(400, "BadRequest", "field label not supported: spec.foo"))
		s.refused(s.explain(), "Error from server (BadRequest): field label not supported: spec.foo")
	}},
	{number: 131, about: "watch: BOOKMARK only updates the version", inapplicable: noWatch},
	{number: 132, about: "watch: ERROR 410 leads to a new list", inapplicable: noWatch},
	{number: 133, about: "watch: events split and joined by chunks", inapplicable: noWatch},
}

var expired = faults.Status(410, "Expired", "The provided continue parameter is too old")

func checkCutBodies(s *sandbox) {
	for _, version := range []struct {
		option func(*faults.Options)
		says   string
	}{{http1, "unexpected EOF"}, {func(*faults.Options) {}, "HTTP/2 stream"}} {
		server, _ := s.ready(version.option)
		server.On("nodes", faults.Cut(faults.Healthy, 0.6), faults.Healthy)
		s.answered(s.explain())
		s.equal("requests", len(server.Requests("nodes")), 2)
		server.On("nodes", faults.Cut(faults.Healthy, 0.6))
		s.refused(s.explain(), version.says)
		s.atMost("requests", len(server.Requests("nodes")), 2+3)
	}
	server, _ := s.ready(http1)
	for _, broken := range []faults.Answer{faults.Unframed(faults.Healthy, 0.6), faults.WrongLength(faults.Healthy, 50)} {
		server.On("nodes", broken, faults.Healthy)
		s.answered(s.explain())
		server.On("nodes", broken)
		s.refused(s.explain())
	}
}

// itemsFirst gives a list the order of keys of custom resources.
func itemsFirst(body []byte) []byte {
	var list map[string]json.RawMessage
	mustDecode(body, &list)
	return fmt.Appendf(nil, `{"items":%s,"metadata":%s,"kind":%s,"apiVersion":%s}`,
		list["items"], list["metadata"], list["kind"], list["apiVersion"])
}

// explainJSON runs explain for everything, with JSON output.
func (s *sandbox) explainJSON(arguments ...string) result {
	s.Helper()
	return s.explain(append([]string{"-o", "json"}, arguments...)...)
}

// reference starts a server, uses a kubeconfig for it, and returns the result of a healthy run.
func (s *sandbox) reference() (*faults.Server, result) {
	s.Helper()
	server, _ := s.ready()
	r := s.explainJSON()
	s.answered(r)
	server.Forget()
	return server, r
}

var whenRead = regexp.MustCompile(`"readAt": "[^"]*"`)

// same expects an answer that only differs in its time.
func (s *sandbox) same(got, want result) {
	s.Helper()
	s.answered(got)
	a := strings.Split(whenRead.ReplaceAllString(got.stdout, ""), "\n")
	b := strings.Split(whenRead.ReplaceAllString(want.stdout, ""), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			s.Errorf("line %d of the answer is %q, not %q", i+1, a[i], b[i])
			return
		}
	}
	s.equal("lines of the answer", len(a), len(b))
}

const second = time.Second
