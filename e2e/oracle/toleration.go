// SPDX-License-Identifier: Apache-2.0

package oracle

import v1 "k8s.io/api/core/v1"

// toleration starts from a taint that some node has and then clears or changes fields, so that most
// tolerations match or almost match.
func (g *generator) toleration() v1.Toleration {
	taint := g.taint()
	if taints := Pick(g.r, g.nodes).Spec.Taints; len(taints) > 0 {
		taint = Pick(g.r, taints)
	}
	t := v1.Toleration{
		Key: taint.Key, Value: taint.Value, Effect: taint.Effect,
		Operator: Pick(g.r, []v1.TolerationOperator{"", "Equal", "Exists", "Exists", "Exists"}),
	}
	if t.Operator == v1.TolerationOpExists {
		t.Value = ""
	}
	if Chance(g.r, 25) {
		t.Effect = ""
	}
	if Chance(g.r, 10) {
		t.Effect = v1.TaintEffect(pickWild(g.r, g.wildness, effects, wildEffects))
	}
	if Chance(g.r, 5) {
		t = v1.Toleration{Operator: v1.TolerationOpExists, Effect: t.Effect} // no key: every taint
	}
	if Chance(g.r, 12) {
		t.Operator = Pick(g.r, []v1.TolerationOperator{"Lt", "Gt"})
		t.Value = Pick(g.r, numericStrings)
	}
	if Chance(g.r, 20) { // ignored by the rules
		seconds := int64(g.r.IntN(4)*30 - 1)
		t.TolerationSeconds = &seconds
	}
	if Chance(g.r, g.wildness) {
		t = g.spoil(t)
	}
	return t
}

// spoil makes a combination of fields that the API rejects.
func (g *generator) spoil(t v1.Toleration) v1.Toleration {
	switch g.r.IntN(4) {
	case 0:
		t.Key = ""
	case 1:
		t.Operator = v1.TolerationOperator(Pick(g.r, wildOperators))
	case 2:
		t.Value = pickWild(g.r, 50, taintValues, wildValues)
	case 3:
		t.Effect = v1.TaintEffect(Pick(g.r, wildEffects))
	}
	return t
}
