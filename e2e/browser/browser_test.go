// SPDX-License-Identifier: Apache-2.0

// Package browser opens the pages of `-o html` in Chromium, with and without script, and compares
// what they show with `-o json` about the same cluster.
package browser

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var (
	binary      = os.Getenv("DSDOCTOR_BINARY")
	axeSource   = os.Getenv("DSDOCTOR_AXE")
	screenshots = flag.String("screenshots", "", "folder for pictures of the pages; empty: none")
	clusters    = flag.String("clusters", "", "files of more clusters, for pictures and figures")
	allocator   context.Context
)

func TestMain(m *testing.M) {
	flag.Parse()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium()), chromedp.NoSandbox, chromedp.Flag("hide-scrollbars", true))
	var cancel context.CancelFunc
	allocator, cancel = chromedp.NewExecAllocator(context.Background(), options...)
	code := m.Run()
	cancel()
	os.Exit(code)
}

func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return "chromium"
}

// answer runs the program; exit codes 0 and 1 are answers.
func answer(t *testing.T, args ...string) []byte {
	t.Helper()
	command := exec.Command(binary, args...)
	out, err := command.Output()
	if failed, ok := err.(*exec.ExitError); err != nil && !(ok && failed.ExitCode() == 1) {
		t.Fatalf("%v: %v", args, err)
	}
	return out
}

type problem struct {
	ID       string `json:"id"`
	Action   string `json:"action"`
	Affected struct {
		Placements int      `json:"placements"`
		Nodes      []string `json:"nodes"`
	} `json:"affected"`
}

type explanation struct {
	Problems   []problem `json:"problems"`
	DaemonSets []struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
		Classes   []struct {
			Nodes   []string `json:"nodes"`
			Verdict string   `json:"verdict"`
		} `json:"classes"`
	} `json:"daemonSets"`
}

// input is a cluster with its answers.
type input struct {
	name string
	args []string
	url  string
	json explanation
}

func made(t *testing.T, name string, args ...string) input {
	t.Helper()
	html := filepath.Join(t.TempDir(), name+".html")
	if err := os.WriteFile(html, answer(t, append(args, "-o", "html")...), 0o644); err != nil {
		t.Fatal(err)
	}
	result := input{name: name, args: args, url: (&url.URL{Scheme: "file", Path: html}).String()}
	if err := json.Unmarshal(answer(t, append(args, "-o", "json", "--group")...), &result.json); err != nil {
		t.Fatal(err)
	}
	return result
}

const testdata = "../../testdata"

func mixed(t *testing.T) input {
	return made(t, "mixed", "explain", "-A", "-f", testdata+"/clusters/mixed-40-nodes.json")
}

// large is the same cluster with every node and pod 51 times: its rows are made by script.
func large(t *testing.T) input {
	t.Helper()
	const times = 51
	bytes, err := os.ReadFile(testdata + "/clusters/mixed-40-nodes.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		APIVersion string           `json:"apiVersion"`
		Kind       string           `json:"kind"`
		Items      []map[string]any `json:"items"`
	}
	if err := json.Unmarshal(bytes, &list); err != nil {
		t.Fatal(err)
	}
	nodes := map[string]bool{}
	for _, item := range list.Items {
		if item["kind"] == "Node" {
			nodes[item["metadata"].(map[string]any)["name"].(string)] = true
		}
	}
	var items []any
	for _, item := range list.Items {
		copies := 1
		if item["kind"] == "Node" || item["kind"] == "Pod" {
			copies = times
		}
		text, _ := json.Marshal(item)
		for i := range copies {
			var each any
			if err := json.Unmarshal(text, &each); err != nil {
				t.Fatal(err)
			}
			items = append(items, renamed(each, nodes, i))
		}
	}
	list.Items = nil
	file := filepath.Join(t.TempDir(), "large.json")
	out, _ := json.Marshal(map[string]any{"apiVersion": list.APIVersion, "kind": list.Kind, "items": items})
	if err := os.WriteFile(file, out, 0o644); err != nil {
		t.Fatal(err)
	}
	return made(t, "large", "explain", "-A", "-f", file)
}

// renamed appends a number to the names of the object and to those of nodes in it.
func renamed(value any, nodes map[string]bool, copyNumber int) any {
	if copyNumber == 0 {
		return value
	}
	suffix := fmt.Sprintf("-x%d", copyNumber)
	var walk func(value any) any
	walk = func(value any) any {
		switch each := value.(type) {
		case map[string]any:
			for key, inner := range each {
				each[key] = walk(inner)
			}
		case []any:
			for i, inner := range each {
				each[i] = walk(inner)
			}
		case string:
			if nodes[each] {
				return each + suffix
			}
		}
		return value
	}
	result := walk(value).(map[string]any)
	meta := result["metadata"].(map[string]any)
	if result["kind"] == "Pod" {
		meta["name"] = meta["name"].(string) + suffix
	}
	if uid, ok := meta["uid"].(string); ok {
		meta["uid"] = uid + suffix
	}
	return result
}

// tab opens a page. Everything on the console is an error of the test.
func tab(t *testing.T, width, height int64, script bool, actions ...chromedp.Action) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(stop)
	var mutex sync.Mutex
	said := []string{}
	chromedp.ListenTarget(ctx, func(event any) {
		mutex.Lock()
		defer mutex.Unlock()
		switch each := event.(type) {
		case *runtime.EventConsoleAPICalled:
			said = append(said, fmt.Sprint(each.Type))
		case *runtime.EventExceptionThrown:
			said = append(said, each.ExceptionDetails.Text+" "+fmt.Sprint(each.ExceptionDetails.Exception))
		case *log.EventEntryAdded:
			said = append(said, each.Entry.Text)
		case *page.EventJavascriptDialogOpening:
			said = append(said, "a dialog: "+each.Message)
		}
	})
	t.Cleanup(func() {
		mutex.Lock()
		defer mutex.Unlock()
		for _, line := range said {
			t.Errorf("the console has: %s", line)
		}
	})
	first := []chromedp.Action{
		emulation.SetDeviceMetricsOverride(width, height, 1, width < 500),
		emulation.SetScriptExecutionDisabled(!script),
	}
	if err := chromedp.Run(ctx, append(first, actions...)...); err != nil {
		t.Fatal(err)
	}
	return ctx
}

func run(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// value evaluates JavaScript, which works with script turned off as well.
func value[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	var result T
	run(t, ctx, chromedp.Evaluate(expression, &result))
	return result
}

// idsOnPage are the ids of all problems in the order of the page.
const idsOnPage = `[...document.querySelectorAll('.problem')].map(p => {
  const code = [...p.querySelectorAll('.more > p:last-child code')].at(-1);
  return code ? code.textContent : '';
})`

func TestProblemsAreThoseOfJSON(t *testing.T) {
	for _, of := range []input{mixed(t), large(t)} {
		for _, script := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, script %v", of.name, script), func(t *testing.T) {
				ctx := tab(t, 1280, 800, script, chromedp.Navigate(of.url))
				wanted := []string{}
				for _, action := range []bool{true, false} { // what resolves without action is last
					for _, each := range of.json.Problems {
						if (each.Action != "none") == action {
							wanted = append(wanted, each.ID)
						}
					}
				}
				got := value[[]string](t, ctx, idsOnPage)
				if strings.Join(got, "\n") != strings.Join(wanted, "\n") {
					t.Errorf("on the page:\n%s\nin JSON:\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
				}
				for i, each := range of.json.Problems {
					text := value[string](t, ctx, fmt.Sprintf(`document.querySelector('[data-problem="%d"] .affected').textContent`, i+1))
					if each.Affected.Placements > 0 && !strings.HasPrefix(strings.ReplaceAll(text, ",", ""), fmt.Sprint(each.Affected.Placements, " ")) {
						t.Errorf("%s: %d placements, on the page: %s", each.ID, each.Affected.Placements, text)
					}
				}
			})
		}
	}
}

func TestFirstScreenHasAProblem(t *testing.T) {
	for _, of := range []input{mixed(t), large(t)} {
		for _, script := range []bool{true, false} {
			for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
				t.Run(fmt.Sprintf("%s, %d x %d, script %v", of.name, size[0], size[1], script), func(t *testing.T) {
					ctx := tab(t, size[0], size[1], script, chromedp.Navigate(of.url))
					bottoms := value[[]float64](t, ctx, `[...document.querySelectorAll('.problem')].slice(0, 5).map(p => p.getBoundingClientRect().bottom)`)
					if bottoms[0] > float64(size[1]) {
						t.Errorf("the first problem ends at %v", bottoms[0])
					}
					if limit := 900.0; size[0] > 500 && bottoms[min(4, len(bottoms)-1)] > limit {
						t.Errorf("the first five problems end at %v", bottoms)
					}
					if size[0] < 500 && bottoms[1] > float64(size[1]) {
						t.Errorf("the first two problems end at %v", bottoms)
					}
					if wide := value[float64](t, ctx, `document.documentElement.scrollWidth`); wide > float64(size[0]) {
						t.Errorf("the page is %v wide", wide)
					}
					if head := value[float64](t, ctx, `document.querySelector('header').getBoundingClientRect().height`); head > 130 {
						t.Errorf("the head is %v high", head)
					}
				})
			}
		}
	}
}

func TestFilter(t *testing.T) {
	of := mixed(t)
	ctx := tab(t, 1280, 800, true, chromedp.Navigate(of.url))
	shown := func() string {
		return strings.Join(value[[]string](t, ctx, `[...document.querySelectorAll('.problem')].filter(p => !p.hidden).map(p => p.dataset.problem)`), " ")
	}
	rows := func() string {
		return strings.Join(value[[]string](t, ctx, `[...document.querySelectorAll('#t-daemonsets tr[data-ds]')].filter(p => !p.hidden).map(p => p.dataset.ds)`), " ")
	}
	all := shown()
	set := func(text string) {
		run(t, ctx, chromedp.SetValue("#filter", text), chromedp.Evaluate(`document.querySelector('#filter').dispatchEvent(new Event('input'))`, nil))
	}
	set("problem:2")
	if got := shown(); got != "2" {
		t.Errorf("problem:2 shows %s", got)
	}
	if got := rows(); got != "security/falco" {
		t.Errorf("problem:2 shows the rows %s", got)
	}
	if hash := value[string](t, ctx, "location.hash"); hash != "#?problem%3A2" {
		t.Errorf("the fragment is %s", hash)
	}
	set("ns:storage")
	if got := rows(); got != "storage/csi-node-2 storage/csi-node" {
		t.Errorf("ns:storage shows the rows %s", got)
	}
	set("verdict:misscheduled")
	if got := shown(); got != "8 9" { // a node that is not ready, and one that is removed
		t.Errorf("verdict:misscheduled shows %s", got)
	}
	set("node:win-*")
	if got, nodes := shown(), value[string](t, ctx, `[...document.querySelectorAll('#t-nodes tr[data-node]')].filter(r => !r.hidden).map(r => r.dataset.node).join(' ')`); nodes != "win-1 win-2" || got == all || got == "" {
		t.Errorf("node:win-* shows problems %s and nodes %s", got, nodes)
	}
	set("OOMKilled")
	if got := shown(); got != "2" {
		t.Errorf("OOMKilled shows %s", got)
	}
	run(t, ctx, chromedp.KeyEvent(kb.Escape))
	if got := shown(); got != all {
		t.Errorf("after Escape: %s, expected %s", got, all)
	}
	run(t, ctx, chromedp.Click(`button[data-filter="none"]`))
	if got := shown(); got != "9" {
		t.Errorf("what resolves without action: %s", got)
	}
	run(t, ctx, chromedp.Click(`button[data-filter="healthy"]`))
	visible := value[int](t, ctx, `[...document.querySelectorAll('#daemonsets tr[data-ds]')].filter(r => r.checkVisibility()).length`)
	if got := shown(); visible != 3 || got != "" {
		t.Errorf("healthy: %d rows and problems %q", visible, got)
	}
	run(t, ctx, chromedp.KeyEvent(kb.Escape))
	if value[bool](t, ctx, `[...document.querySelectorAll('#daemonsets tr[data-ds]')].some(r => r.closest('.fold') && r.checkVisibility())`) {
		t.Error("the fold stays open without the filter")
	}
	set("verdict:running node:arm-1")
	if got := rows(); got == "" {
		t.Error("verdict:running shows no DaemonSet")
	}
	run(t, ctx, chromedp.Navigate(of.url+"#?problem%3A3"), chromedp.Reload())
	if got := shown(); got != "3" {
		t.Errorf("a link with a filter shows %s", got)
	}
}

func TestSort(t *testing.T) {
	ctx := tab(t, 1280, 800, true, chromedp.Navigate(mixed(t).url))
	column := func() []float64 {
		return value[[]float64](t, ctx, `[...document.querySelectorAll('#t-daemonsets tr[data-ds]')].map(r => Number(r.cells[1].textContent))`)
	}
	click := chromedp.Click(`#t-daemonsets th:nth-child(2) button`)
	for _, wanted := range []string{"ascending", "descending"} {
		run(t, ctx, click)
		if got := value[string](t, ctx, `document.querySelector('#t-daemonsets th:nth-child(2)').getAttribute('aria-sort')`); got != wanted {
			t.Errorf("aria-sort is %s, not %s", got, wanted)
		}
		numbers := column()
		for i := 1; i < len(numbers); i++ {
			if (wanted == "ascending") != (numbers[i-1] <= numbers[i]) && numbers[i-1] != numbers[i] {
				t.Errorf("%s: %v", wanted, numbers)
			}
		}
	}
	// The details of a row move with it.
	run(t, ctx, chromedp.Evaluate(`document.querySelectorAll('details').forEach(d => { d.open = true; }), document.querySelectorAll('tr.more thead th').forEach(th => th.click())`, nil))
	if n := value[int](t, ctx, `document.querySelectorAll('tr.more table [data-title], tr.more table button:not(.tool)').length`); n != 0 {
		t.Errorf("%d cells of inner tables are taken for columns", n)
	}
	pairs := value[bool](t, ctx, `[...document.querySelectorAll('#t-daemonsets tr.more')].every(r => r.previousElementSibling.dataset.ds === r.dataset.of)`)
	if !pairs {
		t.Error("rows are separated from their details")
	}
}

func TestCopyAndKeys(t *testing.T) {
	of := mixed(t)
	ctx := tab(t, 1280, 800, true, chromedp.Navigate(of.url))
	run(t, ctx, chromedp.ActionFunc(func(ctx context.Context) error {
		ctx = cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser)
		for _, name := range []string{"clipboard-read", "clipboard-write"} {
			if err := cdpbrowser.SetPermission(&cdpbrowser.PermissionDescriptor{Name: name}, cdpbrowser.PermissionSettingGranted).Do(ctx); err != nil {
				return err
			}
		}
		return nil
	}))
	command := value[string](t, ctx, `document.querySelector('.problem pre code').textContent`)
	run(t, ctx, chromedp.Click(`.problem pre button`), chromedp.Sleep(200*time.Millisecond))
	var copied string
	run(t, ctx, chromedp.Evaluate(`navigator.clipboard.readText()`, &copied, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
	if copied != command || !strings.HasPrefix(command, "kubectl ") {
		t.Errorf("copied: %q, the command: %q", copied, command)
	}
	focused := func() string {
		return value[string](t, ctx, `document.activeElement.closest('.problem')?.dataset.problem ?? document.activeElement.id`)
	}
	run(t, ctx, chromedp.KeyEvent("j"))
	run(t, ctx, chromedp.KeyEvent("j"))
	if got := focused(); got != "2" && got != "3" {
		t.Errorf("after j j the focus is on %s", got)
	}
	before := focused()
	open := `document.activeElement.closest('.problem').open`
	was := value[bool](t, ctx, open)
	run(t, ctx, chromedp.KeyEvent("o"))
	if value[bool](t, ctx, open) == was {
		t.Error("o does not open or close")
	}
	run(t, ctx, chromedp.KeyEvent("k"))
	if got := focused(); got >= before {
		t.Errorf("after k the focus is on %s", got)
	}
	run(t, ctx, chromedp.KeyEvent("/"))
	if got := focused(); got != "filter" {
		t.Errorf("after / the focus is on %s", got)
	}
}

func TestLinks(t *testing.T) {
	of := mixed(t)
	for _, script := range []bool{true, false} {
		ctx := tab(t, 1280, 800, script, chromedp.Navigate(of.url))
		broken := value[[]string](t, ctx, `[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')).filter(h => !h.startsWith('#') || !document.getElementById(decodeURIComponent(h.slice(1))))`)
		if len(broken) != 0 {
			t.Errorf("script %v: links without a target: %v", script, broken)
		}
		twice := value[[]string](t, ctx, `(ids => ids.filter((id, i) => ids.indexOf(id) !== i))([...document.querySelectorAll('[id]')].map(e => e.id))`)
		if len(twice) != 0 {
			t.Errorf("script %v: ids that are there twice: %v", script, twice)
		}
	}
	last := of.json.Problems[len(of.json.Problems)-1]
	ctx := tab(t, 1280, 800, true, chromedp.Navigate(of.url+"#p-"+url.PathEscape(last.ID)))
	if !value[bool](t, ctx, fmt.Sprintf(`document.querySelector('[data-problem="%d"]').open`, len(of.json.Problems))) {
		t.Errorf("a link does not open the problem %s", last.ID)
	}
}

func TestMatrix(t *testing.T) {
	for _, of := range []input{mixed(t), large(t)} {
		t.Run(of.name, func(t *testing.T) {
			ctx := tab(t, 1280, 800, true, chromedp.Navigate(of.url))
			// Every cell has the verdict of all its nodes in JSON; symbols are those of the legend.
			cells := value[[]struct {
				DS     string
				Column int
				Symbol string
			}](t, ctx, `[...document.querySelectorAll('.matrix tbody tr[data-ds]')].flatMap(r => [...r.cells].slice(1).map((c, i) =>
			  ({DS: r.dataset.ds, Column: i, Symbol: c.textContent[0]})))`)
			legend := value[map[string]string](t, ctx, `Object.fromEntries([...document.querySelectorAll('.legend span')].map(s => [s.textContent, s.nextSibling.textContent.trim()]))`)
			columns := value[[][]string](t, ctx, `(d => d.columns.map(c => c.map(n => d.nodes[n])))(JSON.parse(document.getElementById('data').textContent))`)
			verdicts := map[string]map[string]string{}
			for _, ds := range of.json.DaemonSets {
				name := ds.Namespace + "/" + ds.Name
				verdicts[name] = map[string]string{}
				for _, class := range ds.Classes {
					for _, node := range class.Nodes {
						verdicts[name][node] = class.Verdict
					}
				}
			}
			if len(cells) == 0 {
				t.Fatal("no cell")
			}
			for _, cell := range cells {
				for _, node := range columns[cell.Column] {
					if got, wanted := legend[cell.Symbol], verdicts[cell.DS][node]; got != wanted {
						t.Fatalf("%s on %s: %q, in JSON %q", cell.DS, node, got, wanted)
					}
				}
			}
			run(t, ctx, chromedp.Click(`.matrix td.wrong a`))
			number := value[string](t, ctx, `document.querySelector('.matrix td.wrong sub').textContent`)
			if !value[bool](t, ctx, fmt.Sprintf(`document.querySelector('[data-problem="%s"]').open && !!document.querySelector('[data-problem="%s"] .of-cell code')`, number, number)) {
				t.Error("a click does not open the problem with the nodes of the cell")
			}
		})
	}
}

// TestRowsByScript opens each row: the nodes by verdict are those of JSON.
func TestRowsByScript(t *testing.T) {
	of := large(t)
	ctx := tab(t, 1280, 800, true, chromedp.Navigate(of.url))
	for _, ds := range of.json.DaemonSets {
		name := ds.Namespace + "/" + ds.Name
		found := value[bool](t, ctx, fmt.Sprintf(`(d => { if (d) d.open = true; return !!d; })(document.querySelector('tr.more[data-of="%s"] details'))`, name))
		if !found {
			continue // healthy
		}
		run(t, ctx, chromedp.WaitReady(fmt.Sprintf(`tr.more[data-of="%s"] .made table`, name)))
		got := value[map[string]int](t, ctx, fmt.Sprintf(`[...document.querySelectorAll('tr.more[data-of="%s"] .made tbody tr')].reduce((sum, row) => {
		  const verdict = row.cells[0].textContent;
		  sum[verdict] = (sum[verdict] ?? 0) + Number.parseInt(row.cells[1].textContent);
		  return sum;
		}, {})`, name))
		wanted := map[string]int{}
		for _, class := range ds.Classes {
			wanted[class.Verdict] += len(class.Nodes)
		}
		if fmt.Sprint(got) != fmt.Sprint(wanted) {
			t.Errorf("%s: %v, in JSON %v", name, got, wanted)
		}
	}
	run(t, ctx, chromedp.Evaluate(`document.querySelector('#nodes details').open = true`, nil), chromedp.WaitReady(`#t-nodes tbody tr`))
	if rows := value[int](t, ctx, `document.querySelectorAll('#t-nodes tbody tr').length`); rows != 200 {
		t.Errorf("%d rows of nodes", rows)
	}
	run(t, ctx, chromedp.SetValue("#filter", "node:gpu-1*"), chromedp.Evaluate(`document.querySelector('#filter').dispatchEvent(new Event('input'))`, nil))
	if rows := value[int](t, ctx, `document.querySelectorAll('#t-nodes tbody tr').length`); rows != 51 {
		t.Errorf("node:gpu-1*: %d rows", rows)
	}
	run(t, ctx, chromedp.KeyEvent(kb.Escape), chromedp.Click(`#t-nodes th:nth-child(3) button`), chromedp.Click(`#t-nodes th:nth-child(3) button`))
	ages := value[[]float64](t, ctx, `[...document.querySelectorAll('#t-nodes tbody tr')].map(r => Number(r.cells[2].dataset.sort))`)
	oldest := value[float64](t, ctx, `Math.max(...JSON.parse(document.getElementById('data').textContent).nodeRows.seconds)`)
	if len(ages) != 200 || ages[0] != oldest || ages[0] < ages[199] {
		t.Errorf("the oldest node is not the first: %v, oldest %v", ages, oldest)
	}
}

// TestAccessibility runs axe in light and dark.
func TestAccessibility(t *testing.T) {
	source, err := os.ReadFile(axeSource)
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			t.Run(fmt.Sprintf("%s, %d", scheme, width), func(t *testing.T) {
				media := emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}})
				ctx := tab(t, width, 844, true, media, chromedp.Navigate(mixed(t).url))
				run(t, ctx, chromedp.Evaluate(`document.querySelectorAll('details').forEach(d => { d.open = true; })`, nil),
					chromedp.Evaluate(string(source)+"; true", nil))
				type violation struct {
					ID     string
					Impact string
					Help   string
					Nodes  []string
				}
				var found []violation
				run(t, ctx, chromedp.Evaluate(`axe.run().then(r => r.violations.map(v => ({ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary)})))`,
					&found, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
				serious := 0
				for _, each := range found {
					if each.Impact == "serious" || each.Impact == "critical" {
						serious++
						t.Errorf("%s, %s: %s\n%s", each.Impact, each.ID, each.Help, strings.Join(each.Nodes, "\n"))
					} else {
						t.Logf("%s, %s: %s\n%s", each.Impact, each.ID, each.Help, strings.Join(each.Nodes, "\n"))
					}
				}
				t.Logf("axe: %d findings, %d of them serious", len(found), serious)
			})
		}
	}
}

// TestHostileNames: no text of a cluster becomes an element, a script or a part of the template.
func TestHostileNames(t *testing.T) {
	for _, script := range []bool{true, false} {
		of := made(t, "hostile", "explain", "-A", "-f", "hostile.yaml")
		ctx := tab(t, 1280, 800, script, chromedp.Navigate(of.url))
		if n := value[int](t, ctx, `document.querySelectorAll('img, iframe, object, base, form, b[onclick]').length`); n != 0 {
			t.Errorf("%d foreign elements", n)
		}
		scripts := value[int](t, ctx, `document.scripts.length`)
		if scripts > 2 {
			t.Errorf("%d scripts", scripts)
		}
		if value[bool](t, ctx, `'pwned' in window`) {
			t.Error("a script of the cluster ran")
		}
		text := value[string](t, ctx, `document.querySelectorAll('details').forEach(d => { d.open = true; }), document.body.innerText`)
		for _, part := range []string{"</script><script>pwned", "{{{script}}}", "<img src=x onerror=pwned"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s is not shown as it is", part)
			}
		}
	}
}

// inputs are the clusters of the tree, and those of the flag.
func inputs(t *testing.T) []input {
	result := []input{mixed(t), large(t)}
	for _, file := range strings.Fields(*clusters) {
		result = append(result, made(t, strings.TrimSuffix(filepath.Base(file), ".json"), "explain", "-A", "-f", file))
	}
	return result
}

func TestPrint(t *testing.T) {
	for _, of := range inputs(t) {
		ctx := tab(t, 1280, 800, true, chromedp.Navigate(of.url))
		var pdf []byte
		run(t, ctx, chromedp.ActionFunc(func(ctx context.Context) error {
			var err error
			pdf, _, err = page.PrintToPDF().Do(ctx)
			return err
		}))
		pages := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1))
		t.Logf("%s: %d printed pages", of.name, pages)
		if pages == 0 || pages > 4 {
			t.Errorf("%s: %d printed pages", of.name, pages)
		}
		save(t, of.name+"-print.pdf", pdf)
	}
}

// TestHeight checks how many screens a page is high, prints times, and makes the pictures.
func TestHeight(t *testing.T) {
	for _, of := range inputs(t) {
		for _, scheme := range []string{"light", "dark"} {
			for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
				media := emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}})
				ctx := tab(t, size[0], size[1], true, media, chromedp.Navigate(of.url))
				height := value[float64](t, ctx, `document.documentElement.scrollHeight`)
				if size[0] > 500 && height > 6*float64(size[1]) {
					t.Errorf("%s is %.1f screens high", of.name, height/float64(size[1]))
				}
				run(t, ctx, chromedp.Sleep(300*time.Millisecond)) // the browser reports a paint after it
				paint := value[float64](t, ctx, `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1`)
				filter := value[float64](t, ctx, `(() => { const box = document.querySelector('#filter'); if (!box) return -1; const start = performance.now(); box.value = 'cpu'; box.dispatchEvent(new Event('input')); document.body.offsetHeight; const took = performance.now() - start; box.value = ''; box.dispatchEvent(new Event('input')); return took; })()`)
				t.Logf("%s, %s, %d x %d: %.1f screens high, first paint %.0f ms, filter %.0f ms", of.name, scheme, size[0], size[1], height/float64(size[1]), paint, filter)
				var picture []byte
				run(t, ctx, chromedp.CaptureScreenshot(&picture))
				save(t, fmt.Sprintf("%s-%s-%d.png", of.name, scheme, size[0]), picture)
			}
		}
	}
}

func save(t *testing.T, name string, bytes []byte) {
	t.Helper()
	if *screenshots == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*screenshots, name), bytes, 0o644); err != nil {
		t.Fatal(err)
	}
}
