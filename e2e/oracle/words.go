// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"math/rand/v2"
	"strings"
)

// The words of the clusters. There are few of each, so that nodes and DaemonSets often match, and
// they are similar, so that they sometimes almost match.
var (
	labelKeys = []string{
		"kubernetes.io/os", "kubernetes.io/arch", "kubernetes.io/hostname", "pool", "tier",
		"topology.kubernetes.io/zone", "node.kubernetes.io/instance-type", "gpu-count", "rank",
		"feature.node.kubernetes.io/cpu-cpuid.AVX512F", "metadata.name", "absent",
		strings.Repeat("p", 60) + ".io/" + strings.Repeat("k", 63),
	}
	labelValues = []string{
		"", "linux", "windows", "amd64", "gpu", "GPU", "front", "true", "false", "A.b_c-9",
		"0", "4", "5", "6", "007", "3.5", "1e3", "0x10", "1_000", "NaN", "9223372036854775807",
		"9223372036854775808", "18446744073709551616", strings.Repeat("v", 63),
	}
	wildKeys = []string{
		"", "/", "a/", "/a", "a/b/c", "-a", "a-", "a b", "a\n", "Upper.io/a", "x..y/a", "ключ",
		strings.Repeat("k", 64), strings.Repeat("p.", 127) + "/a", "a.-b/c", "A", "_a", "a_",
	}
	wildValues = []string{
		"-1", "+1", "-0", "+007", "-9223372036854775808", "-9223372036854775809", " 5", "5 ",
		"5\n", "a b", "-a", "a-", ".", "_", "значение", "５", "a\x00b", strings.Repeat("v", 64),
	}
	taintKeys = []string{
		"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable",
		"node.kubernetes.io/disk-pressure", "node.kubernetes.io/memory-pressure",
		"node.kubernetes.io/pid-pressure", "node.kubernetes.io/unschedulable",
		"node.kubernetes.io/network-unavailable", "node.kubernetes.io/out-of-service",
		"node-role.kubernetes.io/control-plane", "nvidia.com/gpu", "rank", "karpenter.sh/disrupted",
		"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler",
	}
	taintValues = []string{
		"", "", "true", "present", "gpu", "0", "5", "950", "0950", "-0", "9223372036854775807",
		"9223372036854775808",
	}
	effects        = []string{"NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule"}
	wildEffects    = []string{"", "noschedule", "NoScheduleNoAdmit", "NoExecute "}
	wildOperators  = []string{"", "in", "Equals", "NotEqual", "exists", "Lt ", "="}
	fieldKeys      = []string{"metadata.name", "metadata.name", "metadata.name", "metadata.namespace", "spec.nodeName", ""}
	nodeOperators  = []string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}
	numericStrings = []string{"-5", "0", "4", "5", "6", "950", "0950", "+5", "-0", "9223372036854775807", "9223372036854775808", "", "five"}
)

// Chance is true in p of 100 cases.
func Chance(r *rand.Rand, p int) bool { return r.IntN(100) < p }

// Pick returns a random element of from.
func Pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// pickWild returns a word that the API would reject in p of 100 cases.
func pickWild(r *rand.Rand, p int, from, wild []string) string {
	if Chance(r, p) {
		return Pick(r, wild)
	}
	return Pick(r, from)
}
