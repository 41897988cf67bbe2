// SPDX-License-Identifier: Apache-2.0

package fixes

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// figures count the tests, for the closing line.
type figures struct {
	sync.Mutex
	// By form: the number of dry runs and real changes, by an API request and by kubectl.
	forms                                     map[form]*[2][2]int
	cases, fixes, alternatives, nodeCommands  int
	refused, whatIfs, verdicts, settledCounts int
}

func newFigures() *figures { return &figures{forms: map[form]*[2][2]int{}} }

func (f *figures) count(how form, dry, withKubectl bool) {
	f.Lock()
	defer f.Unlock()
	numbers := f.forms[how]
	if numbers == nil {
		numbers = &[2][2]int{}
		f.forms[how] = numbers
	}
	numbers[index(!dry)][index(withKubectl)]++
}

func (f *figures) add(to *int, number int) {
	f.Lock()
	defer f.Unlock()
	*to += number
}

func index(second bool) int {
	if second {
		return 1
	}
	return 0
}

func (f *figures) reached(cases int) bool {
	f.Lock()
	defer f.Unlock()
	return f.cases >= cases
}

func (f *figures) String() string {
	f.Lock()
	defer f.Unlock()
	var lines []string
	for how, numbers := range f.forms {
		lines = append(lines, fmt.Sprintf("%s: %d (%d with kubectl) as dry runs, %d (%d with kubectl) for real", how,
			numbers[0][0]+numbers[0][1], numbers[0][1], numbers[1][0]+numbers[1][1], numbers[1][1]))
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d cases: %d tolerations' patches and %d others applied, undone and as predicted; %d commands about nodes; "+
		"%d guarded patches refused after a change; %d what-if questions with %d verdicts and %d settled counts\n  %s",
		f.cases, f.fixes, f.alternatives, f.nodeCommands, f.refused, f.whatIfs, f.verdicts, f.settledCounts, strings.Join(lines, "\n  "))
}
