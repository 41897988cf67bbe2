package client

// known are the rows that the binary fails today, each with its symptom. A row that passes
// again has to leave.
var known = map[int]string{
	50:  "the line breaks between several configuration problems are printed as ?",
	78:  "an installHint's ESC is shown as ^[, not as U+001B",
	86:  "credentialPluginPolicy in kuberc is not read",
	87:  "credentialPluginPolicy in kuberc is not read",
	88:  "credentialPluginPolicy in kuberc is not read",
	91:  "a certificate without any SAN is accepted for its common name",
	112: "protobuf is not asked for",
	114: "protobuf is not asked for",
	115: "a Status in protobuf is not read: its message is missing",
	119: "a list without items is taken for a cut body",
	120: "protobuf is not asked for",
	121: "protobuf is not asked for",
	122: "protobuf is not asked for",
	123: "protobuf is not asked for",
	128: "protobuf is not asked for",
	144: "U+202E in a pod's name reaches the terminal",
	146: "-v=7 and above do not show headers",
	147: "-v=8 does not show bodies",
}

// coreKnown is the symptom of TestCoreDump, empty when there is none.
const coreKnown = "a crash may leave a core file, which holds the credentials"

// knownCauses are those of TestCauses, by name.
var knownCauses = map[string]string{
	"a server that repeats its continue token: not for ever": "it is asked 100,000 times, for half a minute",
}
