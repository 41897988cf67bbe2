// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

const userAgentPrefix = "kubectl-dsdoctor/"

// testReadOnly checks in the API server's audit log that the binary only reads.
func testReadOnly(t *testing.T) {
	requests, err := requestsAfter(0)
	if err != nil {
		t.Fatal(err)
	}
	verbs := map[string]int{}
	for i := range requests {
		event := &requests[i]
		verbs[event.Verb]++
		if !readsOnly(event) {
			t.Errorf("%s of %s", event.Verb, event.RequestURI)
		}
	}
	if len(verbs) == 0 {
		t.Errorf("no request of a user agent %q is on record: nothing is proven", userAgentPrefix)
	}
	t.Logf("requests by verb: %v", verbs)
}

func readsOnly(event *auditv1.Event) bool {
	if slices.Contains([]string{"get", "list", "watch"}, event.Verb) {
		return true
	}
	// A check of one's own permissions is a create that stores nothing.
	return event.Verb == "create" && event.ObjectRef != nil && event.ObjectRef.Resource == "selfsubjectaccessreviews"
}

// requestsAfter are the binary's requests after an offset in the audit log.
func requestsAfter(offset int64) (requests []auditv1.Event, err error) {
	file, err := os.Open(cluster.AuditLog)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), userAgentPrefix) {
			continue // saves decoding the components' many requests
		}
		var event auditv1.Event
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, err
		}
		if strings.HasPrefix(event.UserAgent, userAgentPrefix) {
			requests = append(requests, event)
		}
	}
	return requests, lines.Err()
}

// requestsOf are the requests that the binary sends for one answer.
func (w *world) requestsOf(words ...string) []auditv1.Event {
	w.Helper()
	log, err := os.Stat(cluster.AuditLog)
	w.must(err)
	if _, exitCode, err := tell(cluster.Kubeconfig, words...); exitCode > 1 {
		w.Fatal(err)
	}
	requests, err := requestsAfter(log.Size())
	w.must(err)
	if len(requests) == 0 {
		w.Fatal("nothing was asked")
	}
	return requests
}

// expectRequests expects at most this many requests of a kind.
func (w *world) expectRequests(asked []auditv1.Event, verb, resource string, most int) {
	w.Helper()
	var uris []string
	for _, request := range asked {
		if request.Verb == verb && request.ObjectRef != nil && request.ObjectRef.Resource == resource {
			uris = append(uris, request.RequestURI)
		}
	}
	if len(uris) > most {
		w.Errorf("%d times %s of %s, expected %d at most: %q", len(uris), verb, resource, most, uris)
	}
}
