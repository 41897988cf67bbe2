// SPDX-License-Identifier: Apache-2.0

package client

// known are the rows that the binary currently fails, each with its symptom. A row that passes must
// be removed.
var known = map[int]string{}

// coreKnown is the symptom of TestCoreDump; empty if it passes.
const coreKnown = ""

// knownCauses are the same for TestCauses, by name.
var knownCauses = map[string]string{}
