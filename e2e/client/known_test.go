package client

// known are the rows that the binary fails today, each with its symptom. A row that passes
// again has to leave.
var known = map[int]string{}

// coreKnown is the symptom of TestCoreDump, empty when there is none.
const coreKnown = ""

// knownCauses are those of TestCauses, by name.
var knownCauses = map[string]string{}
