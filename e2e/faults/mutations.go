// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
)

// Dice decide everything in one mutated answer: equal seeds give equal answers.
type Dice struct{ *rand.Rand }

// NewDice returns equal dice for equal arguments.
func NewDice(seed uint64, words ...string) Dice {
	hash := uint64(14695981039346656037)
	for _, c := range []byte(strings.Join(words, "\x00")) {
		hash = (hash ^ uint64(c)) * 1099511628211
	}
	return Dice{rand.New(rand.NewPCG(seed, hash))}
}

func pick[T any](d Dice, from []T) T { return from[d.IntN(len(from))] }

// Mutation damages a body; it may use parts of another body.
type Mutation func(d Dice, body, other []byte) []byte

var (
	numbers = regexp.MustCompile(`\d+`)
	strs    = regexp.MustCompile(`"[^"\\]*"`)
	values  = regexp.MustCompile(`:\s*("[^"\\]*"|\d+|true|false|null|\[|\{)`)
)

// Mutations are all kinds of damage.
var Mutations = []Mutation{truncated, flipped, spliced, hugeNumber, nested, deleted, inserted, doubled,
	wrongType, oddString, followedByMore, emptied}

func truncated(d Dice, body, _ []byte) []byte { return body[:d.IntN(len(body)+1)] }

func flipped(d Dice, body, _ []byte) []byte {
	for range 1 + d.IntN(20) {
		body[d.IntN(len(body))] ^= 1 << d.IntN(8)
	}
	return body
}

func spliced(d Dice, body, other []byte) []byte {
	return append(body[:d.IntN(len(body)+1)], other[d.IntN(len(other)+1):]...)
}

func hugeNumber(d Dice, body, _ []byte) []byte {
	huge := []string{"99999999999999999999999999", "-9223372036854775809", "1e999999", "-0", "0.1", "2147483648",
		"18446744073709551616", "00", strings.Repeat("9", 5000)}
	return replaceOne(d, body, numbers, pick(d, huge))
}

func nested(d Dice, body, _ []byte) []byte {
	depth := pick(d, []int{10, 255, 257, 1000, 20000})
	brackets := pick(d, [][2]string{{"[", "]"}, {`{"a":`, "}"}, {"[", ""}})
	inner := pick(d, []string{"", "1", "{}", "null"})
	if brackets[0] != "[" && inner == "" {
		inner = "0"
	}
	return replaceOne(d, body, values, ":"+strings.Repeat(brackets[0], depth)+inner+strings.Repeat(brackets[1], depth))
}

func deleted(d Dice, body, _ []byte) []byte {
	from := d.IntN(len(body) + 1)
	to := min(len(body), from+d.IntN(2000))
	return append(body[:from:from], body[to:]...)
}

func inserted(d Dice, body, _ []byte) []byte {
	noise := make([]byte, 1+d.IntN(200))
	for i := range noise {
		noise[i] = byte(d.Uint32())
	}
	at := d.IntN(len(body) + 1)
	return append(body[:at:at], append(noise, body[at:]...)...)
}

func doubled(d Dice, body, _ []byte) []byte {
	from := d.IntN(len(body))
	to := min(len(body), from+1+d.IntN(3000))
	return bytes.Join([][]byte{body[:to], body[from:]}, nil)
}

func wrongType(d Dice, body, _ []byte) []byte {
	return replaceOne(d, body, values, ":"+pick(d, []string{"null", "true", `"text"`, "[]", "{}", "[1,2]", "-1", `""`, "nul", ""}))
}

func oddString(d Dice, body, _ []byte) []byte {
	odd := []string{`"\ud800"`, `"\u0000"`, "\"\xff\xfe\"", `"\u202e\u001b]0;x\u0007"`, `"\x"`, `"`, `"` + strings.Repeat("a", 200000) + `"`,
		`"9999-99-99T99:99:99Z"`, `"-1000000000Ki"`, `"1e9999"`}
	return replaceOne(d, body, strs, pick(d, odd))
}

func followedByMore(d Dice, body, other []byte) []byte {
	return append(body, pick(d, [][]byte{other, StatusBody(500, "InternalError", "late"), {0}, []byte("}"), []byte(" null")})...)
}

func emptied(d Dice, _, _ []byte) []byte {
	return []byte(pick(d, []string{"", " ", "null", "[]", "{}", `""`, "0", "\xef\xbb\xbf{}", `{"kind":"Status"}`}))
}

func replaceOne(d Dice, body []byte, what *regexp.Regexp, by string) []byte {
	// Search a window only: finding all matches in a large body would take too long.
	start := d.IntN(len(body))
	place := what.FindIndex(body[start:])
	if place == nil {
		return append(body, by...)
	}
	return bytes.Join([][]byte{body[:start+place[0]], []byte(by), body[start+place[1]:]}, nil)
}

// Hostile returns a random answer: usually a damaged body, sometimes with an unusual status,
// unusual header fields, or a connection that is cut.
func Hostile(d Dice, body, other []byte, mediaType string) Answer {
	damaged := bytes.Clone(body)
	for range pick(d, []int{1, 1, 1, 2, 3}) {
		if len(damaged) == 0 {
			break
		}
		damaged = pick(d, Mutations)(d, damaged, other)
	}
	status := http.StatusOK
	if d.IntN(5) == 0 {
		status = pick(d, []int{201, 204, 206, 299, 301, 302, 304, 400, 401, 403, 404, 406, 409, 410, 413, 429, 451, 500, 502, 503, 504, 599, 999})
	}
	if d.IntN(6) == 0 {
		mediaType = pick(d, []string{"", "text/html", "text/plain", "application/vnd.kubernetes.protobuf", "application/yaml",
			"APPLICATION/JSON ; charset=utf-8", "application/json;as=Table", ";;;", strings.Repeat("x", 9000)})
	}
	answer := Body(status, mediaType, damaged)
	if d.IntN(4) == 0 {
		answer = With(answer, oddHeader(d)...)
	}
	if d.IntN(12) == 0 {
		answer = Cut(answer, d.Float64())
	} else if d.IntN(40) == 0 {
		answer = Reset
	}
	return answer
}

func oddHeader(d Dice) []string {
	name := pick(d, []string{"Retry-After", "Warning", "Content-Encoding", "Location", "X-Odd", "Www-Authenticate", "Connection"})
	some := map[string][]string{
		"Retry-After":      {"0", "-1", "", "1e3", "99999999999999999999", "Wed, 21 Oct 2026 07:28:00 GMT"},
		"Warning":          {`299 - "old"`, `299`, `299 - "`, `299 - "\`, "299 - \"\x01\"", strings.Repeat(`299 - "a", `, 500), `299 - "x" "date"`},
		"Content-Encoding": {"gzip", "br", "gzip, gzip", "identity"},
		"Location":         {"/", "https://127.0.0.1:1/", "file:///etc/passwd", "//", ""},
		"X-Odd":            {strings.Repeat("y", 60000), "\xff\xfe"},
		"Www-Authenticate": {"Basic realm=x", "Negotiate", "NTLM"},
		"Connection":       {"close"},
	}
	return []string{name, pick(d, some[name])}
}
