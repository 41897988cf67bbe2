// SPDX-License-Identifier: Apache-2.0

package krew

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// code is the program's machine code and constants.
type code struct {
	text, constants     []byte
	textAt, constantsAt uint64
	calls               map[uint64]int      // number of direct calls of a function, by its address
	mentions            map[uint64][]uint64 // addresses of instructions that compute an address, by that address
}

func codeOf(t *testing.T, file *elf.File, arch string) *code {
	t.Helper()
	c := &code{calls: map[uint64]int{}, mentions: map[uint64][]uint64{}}
	for name, to := range map[string]struct {
		content *[]byte
		at      *uint64
	}{".text": {&c.text, &c.textAt}, ".rodata": {&c.constants, &c.constantsAt}} {
		section := file.Section(name)
		content, err := section.Data()
		if err != nil {
			t.Fatal(err)
		}
		*to.content, *to.at = content, section.Addr
	}
	if arch == "arm64" {
		c.readArm64()
	} else {
		c.readAmd64()
	}
	return c
}

// readArm64 looks at bl, b, and at adrp with the add that follows it.
func (c *code) readArm64() {
	var pages [32]uint64
	for i := 0; i+4 <= len(c.text); i += 4 {
		word, at := binary.LittleEndian.Uint32(c.text[i:]), c.textAt+uint64(i)
		switch {
		case word&0x9f000000 == 0x90000000: // adrp
			distance := int64(int32((word>>5&0x7ffff<<2|word>>29&3)<<11)) >> 11
			pages[word&31] = at&^0xfff + uint64(distance<<12)
		case word&0xffc00000 == 0x91000000: // add
			c.mention(pages[word>>5&31]+uint64(word>>10&0xfff), at)
		case word&0x7c000000 == 0x14000000: // b, bl
			c.calls[at+uint64(int64(int32(word<<6))>>6*4)]++
		}
	}
}

// readAmd64 tries every byte as the beginning of an instruction: false matches rarely have the same
// target twice.
func (c *code) readAmd64() {
	for i := 0; i+7 <= len(c.text); i++ {
		at, bytes := c.textAt+uint64(i), c.text[i:]
		switch {
		case bytes[0] == 0xe8: // call
			c.calls[at+5+uint64(int64(int32(binary.LittleEndian.Uint32(bytes[1:]))))]++
		case bytes[0] == 0x48 && bytes[1] == 0x8d && bytes[2]&0xc7 == 5: // lea of an address relative to rip
			c.mention(at+7+uint64(int64(int32(binary.LittleEndian.Uint32(bytes[3:])))), at)
		}
	}
}

func (c *code) mention(address, at uint64) {
	c.mentions[address] = append(c.mentions[address], at)
}

// callers counts the calls of functions that use the text: short functions, which do nothing else.
func (c *code) callers(text string) int {
	place := bytes.Index(c.constants, []byte(text))
	if place < 0 {
		return 0
	}
	all := 0
	for _, mention := range c.mentions[c.constantsAt+uint64(place)] {
		most := 0
		for start := mention - 32; start <= mention; start++ {
			most = max(most, c.calls[start])
		}
		all += most
	}
	return all
}
