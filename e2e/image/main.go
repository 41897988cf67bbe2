// SPDX-License-Identifier: Apache-2.0

// Command image builds a container image of the Linux archives, without a daemon: an OCI layout
// with only the program and its licences, for each architecture that has an archive. Builds are
// reproducible: the date is that of the archive.
//
//	image FOLDER VERSION REVISION OUT
//
// With a further argument, a folder with a kustomization, it also writes its objects, which name the
// image by digest: FOLDER/dsdoctor-deploy.yaml.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	source = "https://github.com/kubectl-dsdoctor/kubectl-dsdoctor"
	// A user id that systems do not use; a number, because there is no /etc/passwd and runAsNonRoot
	// requires one.
	user = "65532:65532"
)

// places are the paths of an archive's files in the image. Completion and the manual are only
// useful in a shell.
var places = map[string]string{
	"kubectl-dsdoctor":     "kubectl-dsdoctor",
	"LICENSE":              "usr/share/doc/kubectl-dsdoctor/LICENSE",
	"THIRD_PARTY_LICENSES": "usr/share/doc/kubectl-dsdoctor/THIRD_PARTY_LICENSES",
}

func main() {
	if len(os.Args) != 5 && len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "usage: image FOLDER VERSION REVISION OUT [KUSTOMIZATION]")
		os.Exit(2)
	}
	digest, err := write(os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	if err == nil && len(os.Args) == 6 {
		var objects []byte
		if objects, err = deployment(os.Args[5], os.Args[2], digest); err == nil {
			err = os.WriteFile(filepath.Join(os.Args[1], "dsdoctor-deploy.yaml"), objects, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
	fmt.Println(digest)
}

// write returns the digest of the image.
func write(folder, version, revision, out string) (string, error) {
	about := map[string]string{
		"org.opencontainers.image.title":       "kubectl-dsdoctor",
		"org.opencontainers.image.description": "Says for every node why a DaemonSet's pod is there or not",
		"org.opencontainers.image.source":      source,
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.version":     version,
		"org.opencontainers.image.revision":    revision,
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range []string{"amd64", "arm64"} {
		archive := filepath.Join(folder, "kubectl-dsdoctor_"+version+"_linux_"+arch+".tar.gz")
		if _, err := os.Stat(archive); errors.Is(err, os.ErrNotExist) {
			continue
		}
		image, err := imageOf(archive, arch, about)
		if err != nil {
			return "", fmt.Errorf("%s: %w", archive, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return "", err
	}
	if len(manifest.Manifests) == 0 {
		return "", fmt.Errorf("%s has no archive for Linux of version %s", folder, version)
	}
	index = mutate.Annotations(index, about).(v1.ImageIndex)
	if err := os.RemoveAll(out); err != nil {
		return "", err
	}
	path, err := layout.Write(out, empty.Index)
	if err != nil {
		return "", err
	}
	name := map[string]string{"org.opencontainers.image.ref.name": version}
	if err := path.AppendIndex(index, layout.WithAnnotations(name)); err != nil {
		return "", err
	}
	digest, err := index.Digest()
	return digest.String(), err
}

func imageOf(archive, arch string, about map[string]string) (v1.Image, error) {
	content, date, err := layerOf(archive)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: v1.Time{Time: date}, CreatedBy: filepath.Base(archive)},
	})
	if err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = "linux", arch, v1.Time{Time: date}
	file.Config = v1.Config{
		User: user, Entrypoint: []string{"/kubectl-dsdoctor"}, Cmd: []string{"check"}, WorkingDir: "/", Labels: about,
	}
	image, err = mutate.ConfigFile(image, file)
	if err != nil {
		return nil, err
	}
	return mutate.Annotations(image, about).(v1.Image), nil
}

// layerOf returns the files of an archive that belong to the image, as a tar, and their date.
func layerOf(archive string) ([]byte, time.Time, error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, time.Time{}, err
	}
	files := map[string][]byte{}
	var date time.Time
	for entries := tar.NewReader(unzipped); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, time.Time{}, err
		}
		place, wanted := places[header.Name]
		if !wanted {
			continue
		}
		if files[place], err = io.ReadAll(entries); err != nil {
			return nil, time.Time{}, err
		}
		date = header.ModTime.UTC()
	}
	for name, place := range places {
		if len(files[place]) == 0 {
			return nil, time.Time{}, fmt.Errorf("no %s", name)
		}
	}
	layer, err := tarOf(files, date)
	return layer, date, err
}

func tarOf(files map[string][]byte, date time.Time) ([]byte, error) {
	names := map[string]bool{}
	for place := range files {
		names[place] = false
		for folder := filepath.Dir(place); folder != "."; folder = filepath.Dir(folder) {
			names[folder+"/"] = true
		}
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	var result bytes.Buffer
	out := tar.NewWriter(&result)
	for _, name := range sorted {
		header := tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), ModTime: date, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if names[name] {
			header.Mode, header.Typeflag = 0o755, tar.TypeDir
		} else if !strings.Contains(name, "/") {
			header.Mode = 0o755
		}
		if err := out.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := out.Write(files[name]); err != nil {
			return nil, err
		}
	}
	return result.Bytes(), out.Close()
}
