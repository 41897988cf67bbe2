// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The layout is read by the specification, without the library that wrote it.
var dist, version = os.Getenv("DSDOCTOR_DIST"), os.Getenv("DSDOCTOR_VERSION")

func TestMain(m *testing.M) {
	if dist == "" || version == "" {
		fmt.Fprintln(os.Stderr, "these tests are run by e2e/image/build.sh")
		os.Exit(2)
	}
	os.Exit(m.Run())
}

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Platform    map[string]string `json:"platform"`
	Annotations map[string]string `json:"annotations"`
}

type manifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Manifests     []descriptor      `json:"manifests"`
	Config        descriptor        `json:"config"`
	Layers        []descriptor      `json:"layers"`
	Annotations   map[string]string `json:"annotations"`
}

type config struct {
	Created      string `json:"created"`
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
	Config       struct {
		User       string
		Entrypoint []string
		Cmd        []string
		Env        []string
		Labels     map[string]string
	} `json:"config"`
	Rootfs struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

var seen = map[string]bool{}

// blob returns the content of a descriptor, after checking type, size and digest.
func blob(t *testing.T, d descriptor, mediaType string) []byte {
	t.Helper()
	algorithm, sum, _ := strings.Cut(d.Digest, ":")
	content, err := os.ReadFile(filepath.Join(dist, "image/blobs", algorithm, sum))
	if err != nil {
		t.Fatal(err)
	}
	seen[sum] = true
	if actual := sha256.Sum256(content); hex.EncodeToString(actual[:]) != sum || int64(len(content)) != d.Size || d.MediaType != mediaType {
		t.Errorf("%+v: %d bytes, %x", d, len(content), actual)
	}
	return content
}

func parse[T any](t *testing.T, content []byte) (result T) {
	t.Helper()
	if err := json.Unmarshal(content, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

func unzip(t *testing.T, content []byte) []byte {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	result, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// entries returns the entries of a tar by name; names of folders end with a slash.
func entries(t *testing.T, content []byte) (headers map[string]*tar.Header, files map[string][]byte) {
	t.Helper()
	headers, files = map[string]*tar.Header{}, map[string][]byte{}
	for reader := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return headers, files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(reader); err != nil {
			t.Fatal(err)
		}
		headers[header.Name] = header
	}
}

func TestLayout(t *testing.T) {
	marker, err := os.ReadFile(filepath.Join(dist, "image/oci-layout"))
	if err != nil || parse[map[string]string](t, marker)["imageLayoutVersion"] != "1.0.0" {
		t.Errorf("%s %v", marker, err)
	}
	top, err := os.ReadFile(filepath.Join(dist, "image/index.json"))
	if err != nil {
		t.Fatal(err)
	}
	outer := parse[manifest](t, top)
	if len(outer.Manifests) != 1 || outer.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != version {
		t.Fatalf("%s", top)
	}
	index := parse[manifest](t, blob(t, outer.Manifests[0], "application/vnd.oci.image.index.v1+json"))
	archives, _ := filepath.Glob(filepath.Join(dist, "kubectl-dsdoctor_"+version+"_linux_*.tar.gz"))
	if len(index.Manifests) != len(archives) || len(archives) == 0 {
		t.Errorf("%d images of %d archives", len(index.Manifests), len(archives))
	}
	for _, image := range index.Manifests {
		arch := image.Platform["architecture"]
		t.Run(arch, func(t *testing.T) { checkImage(t, image, arch) })
	}
	blobs, _ := filepath.Glob(filepath.Join(dist, "image/blobs/sha256/*"))
	for _, file := range blobs {
		if !seen[filepath.Base(file)] {
			t.Errorf("belongs to nothing: %s", file)
		}
	}
}

func checkImage(t *testing.T, image descriptor, arch string) {
	if !maps.Equal(image.Platform, map[string]string{"os": "linux", "architecture": arch}) {
		t.Errorf("platform %v", image.Platform)
	}
	m := parse[manifest](t, blob(t, image, "application/vnd.oci.image.manifest.v1+json"))
	c := parse[config](t, blob(t, m.Config, "application/vnd.oci.image.config.v1+json"))
	if c.OS != "linux" || c.Architecture != arch || c.Config.User != "65532:65532" || c.Config.Env != nil ||
		!slices.Equal(c.Config.Entrypoint, []string{"/kubectl-dsdoctor"}) || !slices.Equal(c.Config.Cmd, []string{"check"}) {
		t.Errorf("%+v", c)
	}
	for _, about := range []map[string]string{m.Annotations, c.Config.Labels} {
		if about["org.opencontainers.image.version"] != version || about["org.opencontainers.image.licenses"] != "Apache-2.0" {
			t.Errorf("%v", about)
		}
	}
	if len(m.Layers) != 1 || len(c.Rootfs.DiffIDs) != 1 {
		t.Fatalf("%+v %+v", m.Layers, c.Rootfs)
	}
	layer := unzip(t, blob(t, m.Layers[0], "application/vnd.oci.image.layer.v1.tar+gzip"))
	if c.Rootfs.DiffIDs[0] != fmt.Sprintf("sha256:%x", sha256.Sum256(layer)) {
		t.Errorf("the layer is not %s", c.Rootfs.DiffIDs[0])
	}
	packed, err := os.ReadFile(filepath.Join(dist, "kubectl-dsdoctor_"+version+"_linux_"+arch+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	archived, originals := entries(t, unzip(t, packed))
	headers, files := entries(t, layer)
	names := slices.Sorted(maps.Keys(headers))
	const doc = "usr/share/doc/kubectl-dsdoctor/"
	if !slices.Equal(names, []string{"kubectl-dsdoctor", "usr/", "usr/share/", "usr/share/doc/", doc, doc + "LICENSE", doc + "THIRD_PARTY_LICENSES"}) {
		t.Errorf("content: %q", names)
	}
	for name, header := range headers {
		mode := int64(0o644)
		if header.Typeflag == tar.TypeDir || name == "kubectl-dsdoctor" {
			mode = 0o755
		}
		if header.Mode != mode || header.Uid != 0 || header.Gid != 0 || !header.ModTime.Equal(archived["LICENSE"].ModTime) {
			t.Errorf("%+v", header)
		}
		if header.Typeflag == tar.TypeReg && !bytes.Equal(files[name], originals[filepath.Base(name)]) {
			t.Errorf("%s is not the archive's", name)
		}
	}
	if want := archived["LICENSE"].ModTime.UTC().Format("2006-01-02T15:04:05Z"); c.Created != want {
		t.Errorf("created %s, not %s", c.Created, want)
	}
	if arch == runtime.GOARCH && os.Geteuid() == 0 {
		runImage(t, c, files)
	}
}

// runImage starts the image as a runtime does: the layer is the root, user and arguments are from
// the configuration.
func runImage(t *testing.T, c config, files map[string][]byte) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "kubectl-dsdoctor"), files["kubectl-dsdoctor"], 0o755); err != nil {
		t.Fatal(err)
	}
	for folder := root; folder != filepath.Clean(os.TempDir()) && folder != "/"; folder = filepath.Dir(folder) {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	start := func(words ...string) (string, int) {
		command := exec.Command(c.Config.Entrypoint[0], words...)
		command.Dir, command.Env = "/", []string{}
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		said, err := command.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(said), command.ProcessState.ExitCode()
	}
	if said, code := start(c.Config.Cmd...); code != 2 || !strings.Contains(said, "kubeconfig") {
		t.Errorf("outside of a cluster: exit %d: %s", code, said)
	}
	if said, code := start(append(c.Config.Cmd, "-A", "--demo")...); code != 1 || !strings.Contains(said, "NEEDS ACTION") {
		t.Errorf("exit %d: %s", code, said)
	}
}

// The objects of a release name the image of this layout, by its digest, and nothing else differs from deploy/base.
func TestDeploymentNamesTheImage(t *testing.T) {
	top, err := os.ReadFile(filepath.Join(dist, "image/index.json"))
	if err != nil {
		t.Fatal(err)
	}
	image := "ghcr.io/kubectl-dsdoctor/kubectl-dsdoctor:" + version
	digest := parse[manifest](t, top).Manifests[0].Digest
	written, err := os.ReadFile(filepath.Join(dist, "dsdoctor-deploy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := deployment("../../deploy/base", version, "")
	if err != nil || !strings.Contains(string(plain), "image: "+image+"\n") {
		t.Fatalf("%v\n%s", err, plain)
	}
	if expected := strings.ReplaceAll(string(plain), image+"\n", image+"@"+digest+"\n"); string(written) != expected {
		t.Errorf("%s\nexpected:\n%s", written, expected)
	}
}
