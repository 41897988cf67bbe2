// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
)

// Cluster serves the objects of a recorded cluster like an API server: whole lists and pages, all
// namespaces or one, single objects, label selectors, /version and the discovery documents that
// kubectl requests.
type Cluster struct {
	objects map[string][]object // by plural
	gitVersion,
	resourceVersion string
}

type object struct {
	namespace, name string
	labels          labels.Set
	body            json.RawMessage
}

type resource struct {
	kind, plural, group string // group as in a path: api/v1 or apis/apps/v1
	namespaced          bool
}

var resources = []resource{
	{"Node", "nodes", "api/v1", false},
	{"Pod", "pods", "api/v1", true},
	{"DaemonSet", "daemonsets", "apis/apps/v1", true},
	{"ControllerRevision", "controllerrevisions", "apis/apps/v1", true},
}

// LoadCluster reads a List in the format of kubectl get -o json.
func LoadCluster(file string) (*Cluster, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c := &Cluster{objects: map[string][]object{}, gitVersion: "v1.36.2", resourceVersion: "15986"}
	for _, item := range list.Items {
		if err := c.add(item); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return c, nil
}

func (c *Cluster) add(item map[string]any) error {
	for _, r := range resources {
		if item["kind"] != r.kind {
			continue
		}
		delete(item, "kind") // list items have no kind
		delete(item, "apiVersion")
		body, err := json.Marshal(item)
		if err != nil {
			return err
		}
		var meta struct {
			Metadata struct {
				Name, Namespace string
				Labels          map[string]string
			}
		}
		if err := json.Unmarshal(body, &meta); err != nil {
			return err
		}
		m := meta.Metadata
		c.objects[r.plural] = append(c.objects[r.plural], object{m.Namespace, m.Name, m.Labels, body})
	}
	return nil
}

// Count is the number of objects of that plural.
func (c *Cluster) Count(plural string) int { return len(c.objects[plural]) }

func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		Status(http.StatusMethodNotAllowed, "MethodNotAllowed", "this server is read-only")(w, r, c)
		return
	}
	if document := c.document(r.URL.Path); document != nil {
		c.write(w, r, document)
		return
	}
	for _, kind := range resources {
		rest, ok := strings.CutPrefix(r.URL.Path, "/"+kind.group+"/")
		if !ok {
			continue
		}
		namespace := ""
		if parts := strings.SplitN(rest, "/", 3); kind.namespaced && len(parts) == 3 && parts[0] == "namespaces" {
			namespace, rest = parts[1], parts[2]
		}
		if rest == kind.plural {
			c.list(w, r, kind, namespace)
			return
		}
		if name, ok := strings.CutPrefix(rest, kind.plural+"/"); ok {
			c.get(w, r, kind, namespace, name)
			return
		}
	}
	Status(http.StatusNotFound, "NotFound", "the server could not find the requested resource")(w, r, c)
}

func (c *Cluster) list(w http.ResponseWriter, r *http.Request, kind resource, namespace string) {
	query := r.URL.Query()
	selector, err := labels.Parse(query.Get("labelSelector"))
	if err != nil {
		Status(http.StatusBadRequest, "BadRequest", err.Error())(w, r, c)
		return
	}
	if field := query.Get("fieldSelector"); strings.HasPrefix(field, "spec.foo") {
		Status(http.StatusBadRequest, "BadRequest", "field label not supported: spec.foo")(w, r, c)
		return
	}
	items := []json.RawMessage{}
	for _, o := range c.objects[kind.plural] {
		if (namespace == "" || o.namespace == namespace) && selector.Matches(o.labels) {
			items = append(items, o.body)
		}
	}
	metadata := map[string]any{"resourceVersion": c.resourceVersion}
	start, _ := strconv.Atoi(query.Get("continue"))
	items = items[min(start, len(items)):]
	if limit, _ := strconv.Atoi(query.Get("limit")); limit > 0 && limit < len(items) {
		metadata["continue"] = strconv.Itoa(start + limit)
		metadata["remainingItemCount"] = len(items) - limit
		items = items[:limit]
	}
	group, _ := strings.CutPrefix(strings.TrimPrefix(kind.group, "apis/"), "api/")
	c.write(w, r, listDocument{kind.kind + "List", group, metadata, items})
}

// listDocument has the order of keys of typed answers.
type listDocument struct {
	Kind       string            `json:"kind"`
	APIVersion string            `json:"apiVersion"`
	Metadata   map[string]any    `json:"metadata"`
	Items      []json.RawMessage `json:"items"`
}

func (c *Cluster) get(w http.ResponseWriter, r *http.Request, kind resource, namespace, name string) {
	for _, o := range c.objects[kind.plural] {
		if o.name == name && o.namespace == namespace {
			var document map[string]any
			if err := json.Unmarshal(o.body, &document); err != nil {
				panic(err) // we marshalled it
			}
			document["kind"] = kind.kind
			document["apiVersion"] = strings.TrimPrefix(strings.TrimPrefix(kind.group, "apis/"), "api/")
			c.write(w, r, document)
			return
		}
	}
	NotFound(kind.plural, name)(w, r, c)
}

// write sends JSON, compressed if the client accepts it and it is large enough.
func (c *Cluster) write(w http.ResponseWriter, r *http.Request, document any) {
	body, err := json.Marshal(document)
	if err != nil {
		panic(err) // everything here came from JSON
	}
	w.Header().Set("Content-Type", "application/json")
	if len(body) < 128<<10 || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Write(append(body, '\n'))
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	packed, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	defer packed.Close()
	packed.Write(body)
}

// document is /version or a discovery document; nil for every other path.
func (c *Cluster) document(path string) any {
	type m = map[string]any
	switch path {
	case "/version":
		return m{"major": "1", "minor": "36", "gitVersion": c.gitVersion, "platform": "linux/amd64"}
	case "/api":
		return m{"kind": "APIVersions", "versions": []string{"v1"}}
	case "/apis":
		v := m{"groupVersion": "apps/v1", "version": "v1"}
		return m{"kind": "APIGroupList", "apiVersion": "v1", "groups": []m{
			{"name": "apps", "versions": []m{v}, "preferredVersion": v}}}
	}
	var served []m
	for _, r := range resources {
		if path == "/"+r.group {
			served = append(served, m{"name": r.plural, "singularName": strings.ToLower(r.kind),
				"namespaced": r.namespaced, "kind": r.kind, "verbs": []string{"get", "list"}})
		}
	}
	if served == nil {
		return nil
	}
	group := strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/")
	return m{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group, "resources": served}
}

// Body is the answer of the cluster to this path and query; lists have no continue token.
func (c *Cluster) Body(target string) []byte {
	recorder := httptest.NewRecorder()
	c.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, target, nil))
	return regexp.MustCompile(`"continue":"[^"]*",`).ReplaceAll(recorder.Body.Bytes(), nil)
}
