// SPDX-License-Identifier: Apache-2.0

package krew

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files of an archive, for Krew and users; modes matter, since Krew keeps them.
func TestArchiveContent(t *testing.T) {
	expected := "-rw-r--r-- LICENSE\n-rw-r--r-- THIRD_PARTY_LICENSES\n" +
		"-rw-r--r-- dsdoctor.bash\n-rw-r--r-- dsdoctor.fish\n-rw-r--r-- dsdoctor.zsh\n" +
		"-rwxr-xr-x kubectl-dsdoctor\n-rw-r--r-- kubectl-dsdoctor.1\n-rwxr-xr-x kubectl_complete-dsdoctor\n"
	for arch, archive := range archives(t) {
		t.Run(arch, func(t *testing.T) {
			file, err := os.Open(archive)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			unzipped, err := gzip.NewReader(file)
			if err != nil {
				t.Fatal(err)
			}
			if unzipped.Name != "" || !unzipped.ModTime.IsZero() {
				t.Errorf("gzip's header holds a name or a time: %+v", unzipped.Header)
			}
			listing := ""
			var first *tar.Header
			for entries := tar.NewReader(unzipped); ; {
				header, err := entries.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = header
				}
				if header.Typeflag != tar.TypeReg || header.Uid != 0 || header.Gid != 0 ||
					header.Uname+header.Gname != "" || !header.ModTime.Equal(first.ModTime) {
					t.Errorf("not a plain file of nobody in particular and of one date: %+v", header)
				}
				listing += header.FileInfo().Mode().String() + " " + header.Name + "\n"
			}
			if listing != expected {
				t.Errorf("content:\n%s", listing)
			}
			folder := unpacked(t, archive)
			if read(t, filepath.Join(folder, "LICENSE")) != read(t, "../../LICENSE") {
				t.Error("LICENSE is not the tree's")
			}
			page := read(t, filepath.Join(folder, "kubectl-dsdoctor.1"))
			date := first.ModTime.UTC().Format("2006-01-02")
			if strings.Replace(page, `1 "`+date+`"`, `1 ""`, 1) != read(t, "../../docs/kubectl-dsdoctor.1") {
				t.Error("the manual page is not the tree's with the archive's date")
			}
			for _, shell := range []string{"bash", "fish", "zsh"} {
				if read(t, filepath.Join(folder, "dsdoctor."+shell)) != read(t, "../../completions/dsdoctor."+shell) {
					t.Errorf("the completion script for %s is not the tree's", shell)
				}
			}
			notices := read(t, filepath.Join(folder, "THIRD_PARTY_LICENSES"))
			for _, name := range []string{"curl-7", "openssl-3", "libarchive-3", "liblzma-dev", "libzstd-1", "bzip2-1", "lz4-1", "libc6-dev", "libnghttp2-dev",
				"libc-ares-dev", "zlib1g-dev", "gcc-12-base", "libyaml-dev", "yaml-cpp-0", "simdjson-3", "fmtlib-9",
				"libcli11-dev", "libkainjow-mustache-dev", "libprotozero-dev", "libboost1.74-dev", "nlohmann-json3-dev"} {
				if !strings.Contains(notices, "======== "+name) {
					t.Errorf("no licence of %s", name)
				}
			}
		})
	}
}

func TestChecksums(t *testing.T) {
	expected := ""
	for _, kind := range []string{"*.tar.gz", "*.zip", "*.deb", "*.rpm", "*.cdx.json", "*.spdx.json"} {
		files, _ := filepath.Glob(filepath.Join(dist, kind))
		for _, file := range files {
			expected += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(read(t, file))), filepath.Base(file))
		}
	}
	if got := read(t, filepath.Join(dist, "checksums.txt")); got != expected {
		t.Errorf("checksums.txt:\n%sexpected:\n%s", got, expected)
	}
}
