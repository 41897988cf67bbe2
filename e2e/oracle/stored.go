// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// stored is a cluster with a judge's answers, a digit for each node in the order of the list.
type stored struct {
	Seed    uint64            `json:"seed"`
	Cluster *Cluster          `json:"cluster"`
	Expect  map[string]string `json:"expect"` // by namespace/name
}

// WriteStored prints the cluster with the judge's answers.
func WriteStored(out io.Writer, judge Judge, seed uint64, cluster *Cluster) error {
	s := stored{Seed: seed, Cluster: cluster, Expect: map[string]string{}}
	for _, ds := range cluster.DaemonSets {
		s.Expect[nameOf(ds)] = judge.row(cluster, ds)
	}
	return json.NewEncoder(out).Encode(s)
}

// CheckStored asks the judge again and counts the pairs of a stored file whose answer has changed,
// for example with another release.
func CheckStored(judge Judge, path string) (pairs, different int, err error) {
	s, err := readStored(path)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	for _, ds := range s.Cluster.DaemonSets {
		want, got := s.Expect[nameOf(ds)], judge.row(s.Cluster, ds)
		if len(want) != len(got) {
			return pairs, different, fmt.Errorf("%s: %s has %d answers for %d nodes", path, nameOf(ds), len(want), len(got))
		}
		for i := range got {
			pairs++
			if got[i] != want[i] {
				different++
			}
		}
	}
	return pairs, different, nil
}

func readStored(path string) (*stored, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var in io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			return nil, err
		}
	}
	s := new(stored)
	return s, json.NewDecoder(in).Decode(s)
}
