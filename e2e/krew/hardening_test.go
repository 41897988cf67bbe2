package krew

import (
	"bytes"
	"debug/elf"
	"path/filepath"
	"testing"
)

// entered is what a function begins with that may be called through a pointer, or what it signs its
// return address with.
var entered = map[string][]byte{
	"amd64": {0xf3, 0x0f, 0x1e, 0xfa}, // endbr64, of -fcf-protection
	"arm64": {0x3f, 0x23, 0x03, 0xd5}, // paciasp, of -mbranch-protection=standard
}

// What glibc says when a check fails: there if and only if something calls it.
var checks = map[string]string{
	"-fstack-protector-strong": "stack smashing detected",
	"_FORTIFY_SOURCE":          "buffer overflow detected",
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

// The flags are in cmd/packaging/hardening.cmake; here is what they leave in the program, which has no
// symbols any more.
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
			for flag, said := range checks {
				if !bytes.Contains(content, []byte(said)) {
					t.Errorf("%s: nothing checks", flag)
				}
			}
			code, err := file.Section(".text").Data()
			if err != nil {
				t.Fatal(err)
			}
			if found := bytes.Count(code, entered[arch]); found < 2000 {
				t.Errorf("only %d functions are protected", found)
			}
		})
	}
}
