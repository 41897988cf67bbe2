// SPDX-License-Identifier: Apache-2.0

package fixes

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

const manager = "dsdoctor"

// form is a format in which a fix is printed.
type form string

const (
	bash       form = "command, bash"
	zsh        form = "command, zsh"
	fish       form = "command, fish"
	powershell form = "command, powershell"
	cmd        form = "command, cmd"
	script     form = "script"
	jsonPatch  form = "json-patch"
	strategic  form = "strategic"
	manifest   form = "manifest"
	kustomize  form = "kustomize"
)

// forms are those that can be tested on this machine.
func forms() []form {
	all := []form{bash, script, jsonPatch, strategic, manifest, kustomize, powershell, cmd}
	for _, shell := range []form{zsh, fish} {
		if _, err := exec.LookPath(shell.shell()); err == nil {
			all = append(all, shell)
		}
	}
	return all
}

// isForKubectl is true for forms that only kubectl can apply.
func (f form) isForKubectl() bool { return f == kustomize || f == script }

func (f form) shell() string {
	_, shell, _ := strings.Cut(string(f), ", ")
	return shell
}

// words are the arguments of the program for this form.
func (f form) words() []string {
	switch f {
	case script:
		return nil
	case jsonPatch, strategic, manifest, kustomize:
		return []string{"-o", string(f)}
	}
	return []string{"--shell", f.shell()}
}

// printed is a fix printed in one form, for one DaemonSet.
type printed struct {
	form form
	ds   *appsv1.DaemonSet
	text string
}

// command is the patch of a script, which may be a comment. It comes after its dry run; an undo, a
// single line, has none.
func (p *printed) command() (string, error) {
	var lines []string
	trial := ""
	for line := range strings.Lines(p.text) {
		line = strings.TrimSpace(line)
		line = strings.TrimPrefix(strings.TrimPrefix(line, "rem "), "# ")
		line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "do: "), "try: ")
		if !strings.HasPrefix(line, "kubectl ") || !strings.Contains(line, " patch daemonset ") {
			continue
		}
		if tried, ok := strings.CutSuffix(line, " --dry-run=server"); ok {
			trial = tried
			continue
		}
		if line != trial && strings.Contains(strings.TrimSpace(p.text), "\n") {
			return "", fmt.Errorf("no trial stands in front of %s", line)
		}
		lines = append(lines, line)
	}
	if len(lines) != 1 {
		return "", fmt.Errorf("%d commands are printed: %s", len(lines), p.text)
	}
	return lines[0], nil
}

// isLive reports whether a script changes anything when it is run unchanged.
func (p *printed) isLive() bool { return strings.Contains("\n"+p.text, "\nkubectl ") }

// patch is the content of the form, as bytes and their type.
func (p *printed) patch() ([]byte, types.PatchType, error) {
	switch p.form {
	case jsonPatch:
		return []byte(p.text), types.JSONPatchType, nil
	case strategic:
		bytes, err := utilyaml.ToJSON([]byte(p.text))
		return bytes, types.StrategicMergePatchType, err
	case manifest:
		return []byte(p.text), types.ApplyPatchType, nil
	case kustomize:
		return nil, "", fmt.Errorf("a kustomization is no patch")
	}
	line, err := p.command()
	if err != nil {
		return nil, "", err
	}
	words, err := split(line, p.form)
	if err != nil {
		return nil, "", err
	}
	return patchIn(words)
}

// patchIn is the request that kubectl would send for these words.
func patchIn(words []string) ([]byte, types.PatchType, error) {
	kind, patch := types.StrategicMergePatchType, ""
	for i, word := range words {
		if word == "--type=json" {
			kind = types.JSONPatchType
		}
		if after, found := strings.CutPrefix(word, "--patch="); found {
			patch = after
		}
		if word == "--patch" && i+1 < len(words) {
			patch = words[i+1]
		}
	}
	bytes, err := utilyaml.ToJSON([]byte(patch)) // as kubectl does
	return bytes, kind, err
}

// split splits a line into words by a shell's rules, as far as such lines use them.
func split(line string, f form) (words []string, err error) {
	var word strings.Builder
	quote := rune(0)
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case quote == 0 && c == ' ':
			words = append(words, word.String())
			word.Reset()
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote != 0 && c == quote && f == cmd && next == quote:
			word.WriteRune(c)
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote == '"' && c == '`' && f == powershell, quote == '\'' && c == '\\' && f == fish && (next == '\'' || next == '\\'):
			word.WriteRune(next)
			i++
		default:
			word.WriteRune(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("no end of the quotes: %s", line)
	}
	return append(words, word.String()), nil
}

// send applies the form by an API request, or as a dry run.
func (p *printed) send(dry bool) (*appsv1.DaemonSet, error) {
	bytes, kind, err := p.patch()
	if err != nil {
		return nil, err
	}
	options := metav1.PatchOptions{FieldManager: manager}
	if dry {
		options.DryRun = []string{metav1.DryRunAll}
	}
	if kind == types.ApplyPatchType {
		force := true
		options.Force = &force
	}
	return client.AppsV1().DaemonSets(p.ds.Namespace).Patch(context.Background(), p.ds.Name, kind, bytes, options)
}

// run applies the form with kubectl, as a user would, or as a dry run.
func (p *printed) run(dry bool) (*appsv1.DaemonSet, error) {
	output, err := p.runPrinting(dry)
	if err != nil {
		return nil, err
	}
	if !dry {
		return get(p.ds)
	}
	ds := &appsv1.DaemonSet{}
	return ds, json.Unmarshal([]byte(output), ds)
}

func (p *printed) runPrinting(dry bool) (string, error) {
	var also []string
	if dry {
		also = []string{"--dry-run=server", "-o", "json"}
	}
	switch p.form {
	case bash, zsh, fish:
		line, err := p.command()
		if err != nil {
			return "", err
		}
		return execute("", p.form.shell(), "-c", strings.Join(append([]string{line}, also...), " "))
	case script:
		line, err := p.command()
		if err != nil {
			return "", err
		}
		text := strings.SplitAfter(p.text, "\n")
		at := slices.IndexFunc(text, func(each string) bool { return strings.HasSuffix(strings.TrimSpace(each), line) })
		text[at] = strings.Join(append([]string{line}, also...), " ") + "\n"
		if dry && at > 0 && strings.HasPrefix(text[at-1], "kubectl ") {
			text[at-1] = "" // the dry run, which prints a line as well
		}
		return execute(strings.Join(text, ""), "bash")
	case powershell, cmd:
		line, err := p.command()
		if err != nil {
			return "", err
		}
		words, err := split(line, p.form)
		if err != nil {
			return "", err
		}
		return execute("", kubectl(), append(words[1:], also...)...)
	case kustomize:
		return p.runKustomize(also)
	}
	file, err := p.file("patch", p.text)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(filepath.Dir(file))
	words := []string{"patch", "daemonset", p.ds.Name, "-n", p.ds.Namespace, "--patch-file", file, "--type=strategic"}
	switch p.form {
	case jsonPatch:
		words[len(words)-1] = "--type=json"
	case manifest:
		words = []string{"apply", "--server-side", "--force-conflicts", "--field-manager=" + manager, "-f", file}
	}
	return execute("", kubectl(), append(words, also...)...)
}

func kubectl() string { return filepath.Join(strings.TrimPrefix(environment[0], "HOME="), "kubectl") }

func (p *printed) file(name, text string) (string, error) {
	folder, err := os.MkdirTemp("", "dsdoctor-fixes-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, name)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// runKustomize builds a kustomization of the exported DaemonSet and the printed patch.
func (p *printed) runKustomize(also []string) (string, error) {
	exported := p.ds.DeepCopy()
	exported.TypeMeta = metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"}
	exported.ResourceVersion = ""
	exported.ManagedFields = nil
	exported.Status = appsv1.DaemonSetStatus{}
	resource, err := yaml.Marshal(exported)
	if err != nil {
		return "", err
	}
	file, err := p.file("kustomization.yaml", "resources:\n- daemonset.yaml\n"+p.text)
	if err != nil {
		return "", err
	}
	folder := filepath.Dir(file)
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, "daemonset.yaml"), resource, 0o600); err != nil {
		return "", err
	}
	built, err := execute("", kubectl(), "kustomize", folder)
	if err != nil {
		return "", err
	}
	return execute(built, kubectl(), append([]string{"replace", "-f", "-"}, also...)...)
}
