// SPDX-License-Identifier: Apache-2.0

// Package chart compares deploy/chart, rendered with Helm's own code, with the kustomizations of
// deploy, and checks the values against their schema.
package chart

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const (
	folder    = "../../deploy/chart"
	namespace = "dsdoctor"
)

type object = map[string]any

// objectsOf returns the objects of a stream by kind and name, without the Namespace, which a chart
// does not create.
func objectsOf(t *testing.T, stream string) map[string]object {
	t.Helper()
	result := map[string]object{}
	for _, document := range strings.Split(stream, "\n---\n") {
		var one object
		if err := yaml.Unmarshal([]byte(strings.TrimPrefix(document, "---\n")), &one); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if len(one) == 0 || one["kind"] == "Namespace" {
			continue
		}
		name := one["kind"].(string) + "/" + one["metadata"].(object)["name"].(string)
		if result[name] != nil {
			t.Fatalf("%s twice", name)
		}
		result[name] = one
	}
	return result
}

// rendered is what helm template prints.
func rendered(t *testing.T, values object) (map[string]object, error) {
	t.Helper()
	loaded, err := loader.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	install := action.NewInstall(&action.Configuration{})
	install.DryRun, install.ClientOnly, install.Replace = true, true, true
	install.ReleaseName, install.Namespace = "dsdoctor", namespace
	install.KubeVersion = &chartutil.KubeVersion{Version: "v1.37.0", Major: "1", Minor: "37"}
	release, err := install.Run(loaded, values)
	if err != nil {
		return nil, err
	}
	return objectsOf(t, release.Manifest), nil
}

func kustomized(t *testing.T, name string) map[string]object {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "../../deploy/"+name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := resources.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return objectsOf(t, string(text))
}

func TestTheChartHasTheObjectsOfKustomize(t *testing.T) {
	for mode, name := range map[string]string{"cronjob": "base", "serve": "serve"} {
		expected := kustomized(t, name)
		got, err := rendered(t, object{"mode": mode})
		if err != nil {
			t.Fatal(err)
		}
		if len(expected) < 7 {
			t.Errorf("deploy/%s has only %d objects", name, len(expected))
		}
		for key, one := range expected {
			if !reflect.DeepEqual(got[key], one) {
				a, _ := yaml.Marshal(one)
				b, _ := yaml.Marshal(got[key])
				t.Errorf("%s: %s\nkustomize:\n%s\nhelm:\n%s", mode, key, a, b)
			}
		}
		for key := range got {
			if expected[key] == nil {
				t.Errorf("%s: %s is in the chart only", mode, key)
			}
		}
	}
}

func TestValuesChangeWhatTheySay(t *testing.T) {
	got, err := rendered(t, object{
		"labels":         object{"team": "sre"},
		"image":          object{"digest": "sha256:" + strings.Repeat("0", 64)},
		"args":           []any{"--node-labels"},
		"rbac":           object{"causes": false},
		"nodeSelector":   object{"a": "b"},
		"networkPolicy":  object{"egressTo": []any{object{"ipBlock": object{"cidr": "192.0.2.1/32"}}}},
		"prometheusRule": object{"create": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	spec := got["Deployment/dsdoctor"]["spec"].(object)["template"].(object)["spec"].(object)
	container := spec["containers"].([]any)[0].(object)
	if container["image"] != "ghcr.io/kubectl-dsdoctor/kubectl-dsdoctor@sha256:"+strings.Repeat("0", 64) {
		t.Errorf("%v", container["image"])
	}
	if !reflect.DeepEqual(container["args"], []any{"serve", "--listen=:8080", "--node-labels"}) {
		t.Errorf("%v", container["args"])
	}
	if spec["nodeSelector"].(object)["a"] != "b" || got["ClusterRole/dsdoctor-causes"] != nil {
		t.Errorf("%v", got)
	}
	egress := got["NetworkPolicy/dsdoctor"]["spec"].(object)["egress"].([]any)[0].(object)
	if len(egress["to"].([]any)) != 1 {
		t.Errorf("%v", egress)
	}
	for key, one := range got {
		if one["metadata"].(object)["labels"].(object)["team"] != "sre" {
			t.Errorf("%s has not the label", key)
		}
	}
	text, err := os.ReadFile("../../deploy/monitoring/prometheusrule.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rule object
	if err := yaml.Unmarshal(text, &rule); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got["PrometheusRule/dsdoctor"]["spec"], rule["spec"]) {
		t.Error("the rules are not those of deploy/monitoring")
	}
}

func TestWrongValuesAreRefused(t *testing.T) {
	for key, values := range map[string]object{
		"mode":     {"mode": "daemonset"},
		"replicas": {"replicas": 3},
		"digest":   {"image": object{"digest": "latest"}},
		"egress":   {"networkPolicy": object{"egressPorts": []any{}}},
	} {
		if _, err := rendered(t, values); err == nil || !strings.Contains(err.Error(), "values don't meet the specifications of the schema") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestHelmLint(t *testing.T) {
	path, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	// The folder has the name of its purpose, the chart that of the program.
	link := filepath.Join(t.TempDir(), "dsdoctor")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	result := lint.AllWithKubeVersion(link, map[string]any{}, namespace, nil)
	for _, message := range result.Messages {
		if message.Severity > support.InfoSev {
			t.Error(message.Error())
		}
	}
}
