// SPDX-License-Identifier: Apache-2.0

package krew

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The commands of a user: krew install, kubectl dsdoctor, krew uninstall.
func TestInstallRunUninstall(t *testing.T) {
	for arch, archive := range archives(t) {
		t.Run(arch, func(t *testing.T) {
			folder, environment := home(t)
			index(t, folder)
			environment = append(environment, "KREW_OS=linux", "KREW_ARCH="+arch)
			o := run(t, environment, "", "kubectl", "krew", "install",
				"--manifest="+filepath.Join(dist, "dsdoctor.yaml"), "--archive="+archive)
			if o.code != 0 || !strings.Contains(o.stderr, "Installed plugin: dsdoctor") {
				t.Fatal(o)
			}
			store := filepath.Join(folder, ".krew/store/dsdoctor", version(t))
			words := append(emulator(t, arch), filepath.Join(store, "kubectl-dsdoctor"))
			if o := run(t, environment, "", append(words, "version")...); !strings.HasPrefix(o.stdout, "Client Version: "+version(t)+"\n") {
				t.Error(o)
			}
			if arch == runtime.GOARCH {
				useThroughKubectl(t, environment)
			} else if o := run(t, environment, "", append(words, "explain", "--demo", "-A")...); o.code != 0 || !strings.Contains(o.stdout, "MISSCHEDULED") {
				t.Error(o)
			}
			if o := run(t, environment, "", "kubectl", "krew", "uninstall", "dsdoctor"); o.code != 0 {
				t.Fatal(o)
			}
			if left := named(t, filepath.Join(folder, ".krew"), "dsdoctor"); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Krew on other systems, as far as it can be tested here: it accepts the archive and links the
// program.
func TestInstallForOtherSystems(t *testing.T) {
	platforms := regexp.MustCompile(`os: (\w+)\n +arch: (\w+)\n +uri: .*/(.*)\n.*\n +bin: (.*)`).FindAllStringSubmatch(manifest(t), -1)
	if len(platforms) != strings.Count(manifest(t), "- selector:") {
		t.Fatalf("not all platforms: %q", platforms)
	}
	for _, platform := range platforms {
		goos, arch, archive, program := platform[1], platform[2], platform[3], platform[4]
		if goos == "linux" {
			continue
		}
		t.Run(goos+"-"+arch, func(t *testing.T) {
			folder, environment := home(t)
			environment = append(environment, "KREW_OS="+goos, "KREW_ARCH="+arch)
			o := run(t, environment, "", filepath.Join(tools, "krew"), "install",
				"--manifest="+filepath.Join(dist, "dsdoctor.yaml"), "--archive="+filepath.Join(dist, archive))
			if o.code != 0 || !strings.Contains(o.stderr, "Installed plugin: dsdoctor") {
				t.Fatal(o)
			}
			if named(t, filepath.Join(folder, ".krew/bin"), program) == nil {
				t.Errorf("no %s: %v", program, named(t, filepath.Join(folder, ".krew/bin"), ""))
			}
			store := filepath.Join(folder, ".krew/store/dsdoctor", version(t))
			for _, name := range []string{program, "LICENSE", "THIRD_PARTY_LICENSES", "kubectl-dsdoctor.1", "dsdoctor.zsh"} {
				if info, err := os.Stat(filepath.Join(store, name)); err != nil || info.Size() == 0 {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// index creates an empty index in the home folder, as krew update would: krew requires a clone
// there.
func index(t *testing.T, home string) string {
	t.Helper()
	folder := filepath.Join(home, ".krew/index/default")
	if o := run(t, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}, "", "git", "init", "-q", folder); o.code != 0 {
		t.Fatal(o)
	}
	return folder
}

func useThroughKubectl(t *testing.T, environment []string) {
	t.Helper()
	if o := run(t, environment, "", "kubectl", "dsdoctor", "explain", "-A", "--demo"); o.code != 0 || o.stderr != "" || !strings.Contains(o.stdout, "MISSCHEDULED") {
		t.Error(o)
	}
	if o := run(t, environment, "", "kubectl", "dsdoctor", "--help"); o.code != 0 || !strings.Contains(o.stdout, "kubectl dsdoctor explain") {
		t.Error(o)
	}
	o := run(t, environment, "", "kubectl", "plugin", "list")
	if o.code != 0 || strings.Contains(o.stdout+o.stderr, "warning") || !strings.Contains(o.stdout, "/.krew/bin/kubectl-dsdoctor\n") {
		t.Error(o)
	}
}

// named returns the files below folder whose name contains the text.
func named(t *testing.T, folder, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), text) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Krew's reviewers may require the other name; it only needs another manifest.
func TestOtherName(t *testing.T) {
	folder, environment := home(t)
	file := filepath.Join(folder, "daemonset-doctor.yaml")
	write(t, file, strings.Replace(manifest(t), "name: dsdoctor", "name: daemonset-doctor", 1))
	if o := run(t, environment, "", "kubectl", "krew", "install", "--manifest="+file, "--archive="+archives(t)[runtime.GOARCH]); o.code != 0 {
		t.Fatal(o)
	}
	if _, err := os.Lstat(filepath.Join(folder, ".krew/bin/kubectl-daemonset_doctor")); err != nil {
		t.Error(err)
	}
	if o := run(t, environment, "", "kubectl", "daemonset-doctor", "--help"); o.code != 0 || !strings.Contains(o.stdout, "kubectl daemonset-doctor explain") {
		t.Error(o)
	}
}

// An upgrade replaces the program while it runs: the running program continues and answers.
func TestUpgradeWhileRunning(t *testing.T) {
	folder, environment := home(t)
	listed := filepath.Join(index(t, folder), "plugins/dsdoctor.yaml")
	write(t, listed, served(t, dist))
	if o := run(t, environment, "", "kubectl", "krew", "install", "--no-update-index", "dsdoctor"); o.code != 0 {
		t.Fatal(o)
	}
	running := exec.CommandContext(t.Context(), filepath.Join(folder, ".krew/bin/kubectl-dsdoctor"), "explain", "-A", "-f", "-", "-o", "name")
	var stdout bytes.Buffer
	running.Stdout = &stdout
	stdin, err := running.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(served(t, dist), "version: "+version(t), "version: v99.0.0", 1)
	write(t, listed, newer)
	if o := run(t, environment, "", "kubectl", "krew", "upgrade", "--no-update-index", "dsdoctor"); o.code != 0 {
		t.Fatal(o)
	}
	if _, err := stdin.Write([]byte(read(t, "../../lib/source/demo_cluster.yaml"))); err != nil {
		t.Error(err)
	}
	stdin.Close()
	if err := running.Wait(); err != nil || !strings.Contains(stdout.String(), "-n datadog ds/datadog-agent") {
		t.Errorf("%v: %s", err, stdout.String())
	}
	if stores := named(t, filepath.Join(folder, ".krew/store/dsdoctor"), "v"); len(stores) != 1 || filepath.Base(stores[0]) != "v99.0.0" {
		t.Errorf("versions in the store: %v", stores)
	}
}

// Archives that Krew and kubectl reject; the tests above show that ours are not like them.
func TestRefusedArchives(t *testing.T) {
	archive := archives(t)[runtime.GOARCH]
	// The script runs in the folder with the archive's content; its last line creates the archive.
	rows := []struct{ name, script, manifestFrom, manifestTo, complaint string }{
		{"licence not installed", "rm LICENSE; tar -czf $A *", "", "", "license"},
		{"licence of another name", "mv LICENSE LICENSE-MIT; tar -czf $A *", "", "", "license"},
		{"licence not among the files", "tar -czf $A *", "    bin:", "    files: [{from: kubectl-dsdoctor, to: .}]\n    bin:", "license"},
		{"path that is not clean", "tar -czf $A *", "    bin:", "    files: [{from: LICENSE, to: ./}]\n    bin:", "path"},
		{"files that match nothing", "tar -czf $A *", "    bin:", "    files: [{from: nothing*, to: .}]\n    bin:", "no files in the plugin archive"},
		{"symbolic link", "ln -s LICENSE link; tar -czf $A *", "", "", "unable to handle file type"},
		{"path out of the folder", "tar -czf $A --transform 's,^LICENSE,../x,' -P *", "", "", ".."},
		{"dots within a name", "mkdir a..b; cp LICENSE a..b/c; tar -czf $A *", "", "", ".."},
		{"xz", "tar -I 'xz -0' -cf $A *", "", "", "mime type"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			spoilt := filepath.Join(t.TempDir(), filepath.Base(archive))
			if o := run(t, []string{"PATH=" + os.Getenv("PATH"), "A=" + spoilt}, "", "sh", "-euc", "cd '"+unpacked(t, archive)+"'; "+row.script); o.code != 0 {
				t.Fatal(o)
			}
			text := only(t, served(t, filepath.Dir(spoilt)), runtime.GOARCH)
			text = regexp.MustCompile(`sha256: .*`).ReplaceAllString(text, fmt.Sprintf("sha256: %x", sha256.Sum256([]byte(read(t, spoilt)))))
			text = strings.Replace(text, row.manifestFrom, row.manifestTo, 1)
			if o := validate(t, text); o.code == 0 || !strings.Contains(strings.ToLower(o.stderr), row.complaint) {
				t.Error(o)
			}
		})
	}
}

// only returns the manifest with the platform of Linux on that architecture.
func only(t *testing.T, text, arch string) string {
	t.Helper()
	head, platforms, _ := strings.Cut(text, "  platforms:\n")
	for _, platform := range strings.Split(platforms, "  - selector:\n") {
		if strings.Contains(platform, "os: linux\n        arch: "+arch+"\n") {
			return head + "  platforms:\n  - selector:\n" + platform
		}
	}
	t.Fatalf("no platform %s", arch)
	return ""
}

// Krew installs a program that cannot be executed; kubectl plugin list reports it.
func TestProgramWithoutModeIsNoticed(t *testing.T) {
	folder, environment := home(t)
	content := unpacked(t, archives(t)[runtime.GOARCH])
	if err := os.Chmod(filepath.Join(content, "kubectl-dsdoctor"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, ".krew"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(content, filepath.Join(folder, ".krew/bin")); err != nil {
		t.Fatal(err)
	}
	o := run(t, environment, "", "kubectl", "plugin", "list")
	if o.code == 0 || !strings.Contains(o.stdout+o.stderr, "not executable") {
		t.Error(o)
	}
}
