// SPDX-License-Identifier: Apache-2.0

// Package windows runs the program for Windows against a real control plane, and compares its
// answers with those of the program for Linux.
package windows

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"dsdoctor.dev/e2e/controlplane"
	"dsdoctor.dev/e2e/kubelet"
	"dsdoctor.dev/e2e/wine"
)

const (
	reader    = "reader" // logs in with a token
	namespace = "default"
	patience  = 60 * time.Second
	taint     = "example.com/own"
	snapshot  = "s.json"
)

// programs are the two that must agree, each in its own folder, with the same file names.
type programs struct {
	linux, forWindows string
	system            *wine.System
	folder            map[string]string // by program
}

func TestSameAnswers(t *testing.T) {
	p := start(t)
	cluster, client := startCluster(t)
	fill(t, client)
	token, err := cluster.UserKubeconfig(reader)
	must(t, err)
	for logsInWith, kubeconfig := range map[string]string{"certificate": cluster.Kubeconfig, "token": token} {
		content, err := os.ReadFile(kubeconfig)
		must(t, err)
		for _, question := range questions {
			t.Run(logsInWith+"/"+question, func(t *testing.T) {
				p.use(t, content)
				answer := p.ask(t, question)
				if answer.code == 2 {
					t.Errorf("no answer: %s", answer.stderr)
				}
				if question == "explain -A" && !strings.Contains(answer.stdout, "CrashLoopBackOff") {
					t.Errorf("the answer does not name the crash: %s", answer.stdout)
				}
			})
		}
	}
	t.Run("an unknown token", func(t *testing.T) {
		content, err := os.ReadFile(token)
		must(t, err)
		p.use(t, regexp.MustCompile(`token: .*`).ReplaceAll(content, []byte("token: unknown")))
		if a := p.ask(t, "explain -A"); a.code != 2 || !strings.Contains(a.stderr, "You must be logged in") {
			t.Errorf("it is taken: %v", a)
		}
	})
}

var questions = []string{
	"explain -A", "explain -A -o json", "explain agent -n default -o wide", "explain node/node-0", "explain -A -o markdown",
	"check -A", "check -A -o json", "check -A -o prometheus", "diff-nodes -A", "suggest agent -n default", "suggest -A -o json",
	"taints", "explain agent -n default --untaint node-0=" + taint, "snapshot " + snapshot, "snapshot --redact " + snapshot,
	"version", // as JSON it has the libraries, which a Linux program may have from its system
}

// start finds both programs.
func start(t *testing.T) *programs {
	p := &programs{folder: map[string]string{}}
	var err error
	for variable, program := range map[string]*string{"DSDOCTOR_BINARY": &p.linux, "DSDOCTOR_WINDOWS": &p.forWindows} {
		// Fail without a program, instead of passing without a test.
		if *program, err = exec.LookPath(os.Getenv(variable)); err != nil {
			t.Fatalf("%s must be the absolute path of a kubectl-dsdoctor to test: %v", variable, err)
		}
		p.folder[*program] = t.TempDir()
	}
	p.system, err = wine.Start(nil)
	must(t, err)
	t.Cleanup(p.system.Stop)
	return p
}

func startCluster(t *testing.T) (*controlplane.Cluster, *kubernetes.Clientset) {
	_, err := controlplane.RemoveLeftovers()
	must(t, err)
	cluster, err := controlplane.Start(controlplane.Options{Tokens: []string{reader}, PatientWithNodes: true})
	must(t, err)
	t.Cleanup(cluster.Stop)
	client, err := kubernetes.NewForConfig(cluster.Config)
	must(t, err)
	_, err = client.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: reader},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: reader}},
	}, metav1.CreateOptions{})
	must(t, err)
	return cluster, client
}

// fill creates a cluster where a taint keeps pods from a node, and others crash.
func fill(t *testing.T, client *kubernetes.Clientset) {
	for number := range 4 {
		name := fmt.Sprint("node-", number)
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			v1.LabelOSStable: "linux", v1.LabelHostname: name,
		}}}
		if number == 0 {
			node.Spec.Taints = []v1.Taint{{Key: taint, Effect: v1.TaintEffectNoSchedule}}
		}
		_, err := client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
		must(t, err)
	}
	for name, behaviour := range map[string]string{"agent": "", "crashes": "crash"} {
		labels := map[string]string{"app": name}
		set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
		set.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		set.Spec.Template.Labels = labels
		set.Spec.Template.Annotations = map[string]string{kubelet.BehaviourAnnotation: behaviour}
		set.Spec.Template.Spec.Containers = []v1.Container{{Name: "agent", Image: "example.com/agent:1"}}
		_, err := client.AppsV1().DaemonSets(namespace).Create(t.Context(), set, metav1.CreateOptions{})
		must(t, err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		set, err := client.AppsV1().DaemonSets(namespace).Get(t.Context(), "agent", metav1.GetOptions{})
		must(t, err)
		if set.Status.NumberReady == 3 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no pods within %s: %+v", patience, set.Status)
		}
	}
}

// answer is the outcome of one run; for a snapshot, also its file.
type answer struct {
	stdout, stderr, file string
	code                 int
}

// use gives both programs this kubeconfig.
func (p *programs) use(t *testing.T, kubeconfig []byte) {
	t.Helper()
	for _, folder := range p.folder {
		must(t, os.WriteFile(filepath.Join(folder, "kubeconfig"), kubeconfig, 0o600))
	}
}

// ask expects the same answer from both. If the answers of the Linux program before and after
// differ, the cluster has changed, and the comparison is repeated.
func (p *programs) ask(t *testing.T, question string) answer {
	t.Helper()
	words := strings.Fields(question)
	for deadline := time.Now().Add(patience); ; {
		before := p.run(t, p.linux, words)
		ours := p.run(t, p.forWindows, words)
		if ours == before {
			return ours
		}
		if after := p.run(t, p.linux, words); after == before && !wine.NeverBegan(ours.code, ours.stdout, ours.stderr) {
			t.Fatalf("they differ%s", firstDifference(before, ours))
		}
		if time.Now().After(deadline) {
			t.Fatalf("the cluster does not come to rest%s", firstDifference(before, ours))
		}
	}
}

// firstDifference returns the first line that differs, of each.
func firstDifference(linux, windows answer) string {
	lines := func(a answer) []string {
		return strings.Split(fmt.Sprintf("exit %d\n%s\n%s\n%s", a.code, a.stdout, a.stderr, a.file), "\n")
	}
	a, b := lines(linux), lines(windows)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf(" in line %d\nLinux:   %s\nWindows: %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf(" in length: %d lines, and %d", len(a), len(b))
}

// differs are the parts that two runs of the same program do not share, and those that name the
// system.
var differs = regexp.MustCompile(`("(readAt|takenAt|capturedAt|lastHeartbeatTime|renewTime|resourceVersion|platform|compiler)": ?)"[^"]*"`)

func (p *programs) run(t *testing.T, program string, words []string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	must(t, os.RemoveAll(filepath.Join(p.folder[program], snapshot)))
	variables := map[string]string{"LC_ALL": "C.UTF-8", "HOME": p.folder[program], "KUBECONFIG": "kubeconfig"}
	var command *exec.Cmd
	if wine.IsForWindows(program) {
		variables["HOME"] = wine.Drive + variables["HOME"]
		command = p.system.Command(ctx, variables, program, words...)
	} else {
		command = exec.CommandContext(ctx, program, words...)
		command.Args[0] = "kubectl-dsdoctor"
		command.Env = []string{} // nil would pass our environment
		for name, value := range variables {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	command.Dir = p.folder[program]
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(command.Dir, snapshot))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	same := func(text string) string { return differs.ReplaceAllString(text, "$1") }
	return answer{same(stdout.String()), same(stderr.String()), same(string(file)), command.ProcessState.ExitCode()}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
