// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// table has the releases and the finding of each text.
type table struct {
	comment []string
	rows    map[text]row
}

type row struct {
	releases []string
	finding  string
}

func readTable(path string) (*table, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &table{rows: map[text]row{}}
	for number, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			t.comment = append(t.comment, line)
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 4 {
			return nil, fmt.Errorf("%s:%d: %d columns, expected 4", path, number+1, len(columns))
		}
		t.rows[text{columns[1], columns[3]}] = row{strings.Fields(columns[0]), columns[2]}
	}
	return t, nil
}

// differences compares the rows of one release with its texts.
func (t *table) differences(release string, texts []text) []string {
	var lines []string
	for _, one := range texts {
		if !slices.Contains(t.rows[one].releases, release) {
			lines = append(lines, fmt.Sprintf("+ %s\t%s\t%s", release, one.file, one.words))
		}
	}
	for _, one := range t.sorted() {
		if slices.Contains(t.rows[one].releases, release) && !slices.Contains(texts, one) {
			lines = append(lines, fmt.Sprintf("- %s\t%s\t%s", release, one.file, one.words))
		}
	}
	return lines
}

// update makes the rows of one release equal to its texts.
func (t *table) update(release string, texts []text) {
	for one, found := range t.rows {
		found.releases = slices.DeleteFunc(found.releases, func(r string) bool { return r == release })
		t.rows[one] = found
	}
	for _, one := range texts {
		found, known := t.rows[one]
		if !known {
			found.finding = t.findingOf(one.words)
		}
		found.releases = append(found.releases, release)
		slices.Sort(found.releases)
		t.rows[one] = found
	}
	maps.DeleteFunc(t.rows, func(_ text, r row) bool { return len(r.releases) == 0 })
}

// findingOf is that of the same text in another file, otherwise "?".
func (t *table) findingOf(words string) string {
	for one, found := range t.rows {
		if one.words == words {
			return found.finding
		}
	}
	return "?"
}

func (t *table) sorted() []text {
	return slices.SortedFunc(maps.Keys(t.rows), compare)
}

func (t *table) write(path string) error {
	lines := slices.Clone(t.comment)
	for _, one := range t.sorted() {
		found := t.rows[one]
		lines = append(lines, strings.Join([]string{strings.Join(found.releases, " "), one.file, found.finding, one.words}, "\t"))
	}
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}
