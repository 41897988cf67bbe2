// SPDX-License-Identifier: Apache-2.0

package krew

import (
	"bytes"
	"debug/elf"
	"path/filepath"
	"testing"
)

// entered are the instructions at the start of a function that sign its return address.
var entered = map[string]map[string][]byte{
	"arm64": {"paciasp, of -mbranch-protection=pac-ret": {0x3f, 0x23, 0x03, 0xd5}},
}

// The messages of glibc, or of the program itself, for failed checks, and the minimum number of
// calls. A statically linked program always contains glibc's text: glibc itself makes 210 calls for
// the first message and 2 for the second.
var checks = []struct {
	flag, said string
	fewest     int
}{
	{"-fstack-protector-strong", "stack smashing detected", 3000},
	{"_FORTIFY_SOURCE", "buffer overflow detected", 5},
	{"_GLIBCXX_ASSERTIONS", "error: internal: a check of the C++ library failed", 500},
}

func dynamic(t *testing.T, file *elf.File, tag elf.DynTag) uint64 {
	t.Helper()
	values, err := file.DynValue(tag)
	if err != nil {
		t.Fatal(err)
	}
	var all uint64
	for _, value := range values {
		all |= value
	}
	return all
}

// The flags are in cmd/packaging/hardening.cmake; this test checks their traces in the program,
// which has no symbols.
func TestProgramIsHardened(t *testing.T) {
	for arch, archive := range archives(t) {
		t.Run(arch, func(t *testing.T) {
			path := filepath.Join(unpacked(t, archive), program)
			content := []byte(read(t, path))
			file, err := elf.NewFile(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			if file.Type != elf.ET_DYN || elf.DynFlag1(dynamic(t, file, elf.DT_FLAGS_1))&elf.DF_1_PIE == 0 {
				t.Errorf("no position-independent executable: %v", file.Type)
			}
			if elf.DynFlag1(dynamic(t, file, elf.DT_FLAGS_1))&elf.DF_1_NOW == 0 {
				t.Error("not bound at the start")
			}
			relro, stack := false, false
			for _, part := range file.Progs {
				relro = relro || part.Type == elf.PT_GNU_RELRO
				if part.Type == elf.PT_GNU_STACK {
					stack = part.Flags&elf.PF_X == 0
				}
				if part.Type == elf.PT_LOAD && part.Flags&elf.PF_W != 0 && part.Flags&elf.PF_X != 0 {
					t.Errorf("writable and executable: %+v", part.ProgHeader)
				}
			}
			if !relro {
				t.Error("no RELRO")
			}
			if !stack {
				t.Error("an executable stack")
			}
			if values, _ := file.DynValue(elf.DT_TEXTREL); len(values) > 0 {
				t.Error("relocations in the code")
			}
			code := codeOf(t, file, arch)
			for _, row := range checks {
				found := code.callers(row.said)
				t.Logf("%s: %d calls", row.flag, found)
				if found < row.fewest {
					t.Errorf("%s: only %d calls", row.flag, found)
				}
			}
			for name, instruction := range entered[arch] {
				found := bytes.Count(code.text, instruction)
				t.Logf("%s: %d functions", name, found)
				if found < 2000 {
					t.Errorf("%s: only %d functions", name, found)
				}
			}
		})
	}
}
