// SPDX-License-Identifier: Apache-2.0

// Package monitoring runs the alerts and the dashboard of deploy/monitoring against the metrics that
// the program prints, with Prometheus' own code.
package monitoring

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	commonmodel "github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/storage"
	"sigs.k8s.io/yaml"
)

const folder = "../../deploy/monitoring"

// metrics is what the program prints about its example cluster.
func metrics(t *testing.T) []byte {
	t.Helper()
	binary := os.Getenv("DSDOCTOR_BINARY")
	if binary == "" {
		t.Fatal("DSDOCTOR_BINARY is not set")
	}
	var out bytes.Buffer
	command := exec.Command(binary, "check", "-A", "--demo", "--node-labels", "-o", "prometheus")
	command.Stdout = &out
	if err := command.Run(); err != nil {
		var exit *exec.ExitError
		if ok := asExit(err, &exit); !ok || exit.ExitCode() != 1 {
			t.Fatalf("%v", err)
		}
	}
	return out.Bytes()
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*exit = e
	return ok
}

// loaded stores the samples of an exposition at `at`, and returns the names of their metrics.
func loaded(t *testing.T, exposition []byte, at time.Time) (*promql.Engine, storage.Storage, map[string]bool) {
	t.Helper()
	store := promqltest.LoadedStorage(t, "")
	t.Cleanup(func() { store.Close() })
	parser, err := textparse.New(exposition, "text/plain; version=0.0.4", labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	appender := store.Appender(t.Context())
	for {
		entry, err := parser.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		_, _, value := parser.Series()
		parser.Labels(&series)
		names[series.Get(labels.MetricName)] = true
		if _, err := appender.Append(0, series, at.UnixMilli(), value); err != nil {
			t.Fatal(err)
		}
	}
	if err := appender.Commit(); err != nil {
		t.Fatal(err)
	}
	return promqltest.NewTestEngine(t, false, 0, 1000000), store, names
}

// metricsIn returns the metrics that a query selects.
func metricsIn(t *testing.T, query string) []string {
	t.Helper()
	expression, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var names []string
	parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			names = append(names, selector.Name)
		}
		return nil
	})
	return names
}

// onlyServed are the metrics of serve, which the example does not have.
var onlyServed = map[string]bool{"dsdoctor_live": true}

func TestQueriesOfTheDashboardHaveAnAnswer(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(folder, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	engine, store, names := loaded(t, metrics(t), at)
	queries := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			queries++
			query := strings.ReplaceAll(target.Expr, "$namespace", ".*")
			for _, name := range metricsIn(t, query) {
				if !names[name] {
					t.Errorf("%s: there is no metric %s", panel.Title, name)
				}
			}
			prepared, err := engine.NewInstantQuery(t.Context(), store, nil, query, at)
			if err != nil {
				t.Fatalf("%s: %v", panel.Title, err)
			}
			result := prepared.Exec(t.Context())
			if result.Err != nil {
				t.Fatalf("%s: %v", panel.Title, result.Err)
			}
			if vector, err := result.Vector(); err != nil || len(vector) == 0 {
				t.Errorf("%s: %s has no answer: %v", panel.Title, query, err)
			}
		}
	}
	if queries < 8 {
		t.Errorf("only %d queries", queries)
	}
}

func rules(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "prometheusrule.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var object struct{ Spec json.RawMessage }
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	file, err := yaml.JSONToYAML(object.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAlertsUseMetricsThatExist(t *testing.T) {
	groups, errs := rulefmt.Parse(rules(t), false, commonmodel.UTF8Validation, parser.NewParser(parser.Options{}), slog.Default())
	for _, err := range errs {
		t.Error(err)
	}
	at := time.Now()
	engine, store, names := loaded(t, metrics(t), at)
	fires := map[string]int{}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			for _, name := range metricsIn(t, rule.Expr) {
				if !names[name] && !onlyServed[name] {
					t.Errorf("%s: there is no metric %s", rule.Alert, name)
				}
			}
			query, err := engine.NewInstantQuery(t.Context(), store, nil, rule.Expr, at)
			if err != nil {
				t.Fatal(err)
			}
			result := query.Exec(t.Context())
			vector, err := result.Vector()
			if err != nil {
				t.Fatalf("%s: %v", rule.Alert, err)
			}
			fires[rule.Alert] = len(vector)
		}
	}
	// The example has one problem that needs action, and is years old.
	if fires["DaemonSetProblem"] != 1 || fires["DaemonSetDegraded"] != 0 || fires["DsdoctorCannotSeeProblems"] != 0 ||
		fires["DsdoctorStale"] != 1 {
		t.Errorf("%v", fires)
	}
}

// TestAlertsSayCauseAndFix runs promtool.
func TestAlertsSayCauseAndFix(t *testing.T) {
	work := t.TempDir()
	tests, err := os.ReadFile(filepath.Join(folder, "tests.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"rules.yaml": rules(t), "tests.yaml": tests} {
		if err := os.WriteFile(filepath.Join(work, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "tool", "promtool", "check", "rules", filepath.Join(work, "rules.yaml")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := exec.Command("go", "tool", "promtool", "test", "rules", filepath.Join(work, "tests.yaml")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestExpositionHasNoFaults runs promtool, which knows more rules than a parser.
func TestExpositionHasNoFaults(t *testing.T) {
	command := exec.Command("go", "tool", "promtool", "check", "metrics")
	command.Stdin = bytes.NewReader(metrics(t))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
