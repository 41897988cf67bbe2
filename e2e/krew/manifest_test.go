// SPDX-License-Identifier: Apache-2.0

package krew

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"
)

// The bot that opens the pull request for Krew's index fills in the same template.
func TestManifestIsWhatTheBotMakes(t *testing.T) {
	fill := func(text string, funcs template.FuncMap) string {
		var result bytes.Buffer
		values := map[string]string{"TagName": version(t)}
		if err := template.Must(template.New("").Funcs(funcs).Parse(text)).Execute(&result, values); err != nil {
			t.Fatal(err)
		}
		return result.String()
	}
	rendered := fill(read(t, "../../krew-manifest.yaml"), template.FuncMap{"addURIAndSha": func(uri, _ string) string {
		uri = fill(uri, nil)
		content, err := os.ReadFile(filepath.Join(dist, filepath.Base(uri)))
		if err != nil {
			return "NOT PACKAGED"
		}
		return fmt.Sprintf("uri: %s\n    sha256: %x", uri, sha256.Sum256(content))
	}})
	rendered = regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(rendered, "")
	rendered = regexp.MustCompile(`  - selector:\n(      .*\n)+    NOT PACKAGED\n.*\n`).ReplaceAllString(rendered, "")
	if rendered != manifest(t) {
		t.Errorf("the bot would write\n%s\nbut dsdoctor.yaml is\n%s", rendered, manifest(t))
	}
}

// served returns the manifest with URLs of a server for folder.
func served(t *testing.T, folder string) string {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	return regexp.MustCompile(`uri: https://.*/`).ReplaceAllString(manifest(t), "uri: "+server.URL+"/")
}

// home creates the home of a user: kubectl and krew on PATH, and nothing installed.
func home(t *testing.T) (folder string, environment []string) {
	t.Helper()
	folder = t.TempDir()
	bin := filepath.Join(folder, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for link, program := range map[string]string{"kubectl": "kubectl", "kubectl-krew": "krew"} {
		if err := os.Symlink(filepath.Join(tools, program), filepath.Join(bin, link)); err != nil {
			t.Fatal(err)
		}
	}
	return folder, []string{"HOME=" + folder, "PATH=" + bin + ":" + filepath.Join(folder, ".krew/bin")}
}

func validate(t *testing.T, text string, options ...string) outcome {
	t.Helper()
	folder, environment := home(t)
	file := filepath.Join(folder, "dsdoctor.yaml")
	write(t, file, text)
	return run(t, environment, "", append([]string{filepath.Join(tools, "validate-krew-manifest"), "-manifest", file}, options...)...)
}

func TestKrewsValidationPasses(t *testing.T) {
	if o := validate(t, manifest(t), "-skip-install"); o.code != 0 {
		t.Fatal(o)
	}
	o := validate(t, served(t, dist)) // downloads and installs every platform
	if o.code != 0 || !strings.Contains(o.stderr, fmt.Sprintf("all %d spec.platforms installed fine", strings.Count(manifest(t), "- selector:"))) {
		t.Fatal(o)
	}
}

// Checks that validation can fail: each row breaks one thing in our manifest.
func TestKrewsValidationFails(t *testing.T) {
	platforms := regexp.MustCompile(`(?s)    uri: .*?    bin: kubectl-dsdoctor\n`)
	first := platforms.FindString(manifest(t))
	rows := []struct{ name, from, to, complaint string }{
		{"version of the schema", "v1alpha2", "v1alpha1", "apiVersion"},
		{"name that is not the file's", "name: dsdoctor", "name: ds-doctor", "should be named"},
		{"version without v", "version: v", "version: ", "version"},
		{"checksum in upper case", regexp.MustCompile(`sha256: .*`).FindString(manifest(t)),
			strings.Replace(strings.ToUpper(regexp.MustCompile(`sha256: .*`).FindString(manifest(t))), "SHA256", "sha256", 1), "sha256"},
		{"selector by something else", "arch: amd64", "variant: amd64", "variant"},
		{"overlapping platforms", "  platforms:\n", "  platforms:\n  - selector:\n      matchLabels:\n        os: linux\n" + first, "overlapping"},
		{"platform that Krew does not know", "arch: amd64", "arch: riscv64", "doesn't match any supported"},
		{"no files", "    bin: kubectl-dsdoctor\n", "    bin: kubectl-dsdoctor\n    files: []\n", "files"},
		{"description of two lines", regexp.MustCompile(`shortDescription: .*`).FindString(manifest(t)),
			"shortDescription: \"one\\ntwo\"", "short description"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			spoilt := strings.Replace(manifest(t), row.from, row.to, 1)
			if spoilt == manifest(t) {
				t.Fatalf("the manifest has no %q", row.from)
			}
			o := validate(t, spoilt, "-skip-install")
			if o.code == 0 || !strings.Contains(strings.ToLower(o.stderr), strings.ToLower(row.complaint)) {
				t.Error(o)
			}
		})
	}
}

// The requirements of Krew's index for texts, beyond the checks of its program.
func TestManifestTexts(t *testing.T) {
	short := regexp.MustCompile(`shortDescription: (.*)`).FindStringSubmatch(manifest(t))[1]
	if len(short) > 50 || strings.HasSuffix(short, ".") || regexp.MustCompile(`(?i)kubectl|kubernetes|dsdoctor`).MatchString(short) {
		t.Errorf("shortDescription: %q", short)
	}
	for _, line := range strings.Split(manifest(t), "\n") {
		if strings.HasPrefix(line, "    ") && len(line) > 104 && !strings.Contains(line, "uri:") {
			t.Errorf("too long: %s", line)
		}
	}
	description := regexp.MustCompile(`(?s)description: \|\n(.*?)  caveats`).FindStringSubmatch(manifest(t))[1]
	if n := strings.Count(description, "\n"); n < 2 || n > 6 {
		t.Errorf("description of %d lines", n)
	}
}
