package scenarios

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

const userAgentPrefix = "kubectl-dsdoctor/"

// testReadOnly reads in the API server's own record that the binary only ever read.
func testReadOnly(t *testing.T) {
	file, err := os.Open(cluster.AuditLog)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	verbs := map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), userAgentPrefix) {
			continue // saves decoding the components' many requests
		}
		var event auditv1.Event
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(event.UserAgent, userAgentPrefix) {
			continue
		}
		verbs[event.Verb]++
		if !readsOnly(&event) {
			t.Errorf("%s of %s", event.Verb, event.RequestURI)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
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
	// Asking for one's own rights is a create that stores nothing.
	return event.Verb == "create" && event.ObjectRef != nil && event.ObjectRef.Resource == "selfsubjectaccessreviews"
}
