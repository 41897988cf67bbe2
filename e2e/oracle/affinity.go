// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	v1 "k8s.io/api/core/v1"
)

func (g *generator) affinity() *v1.Affinity {
	switch g.r.IntN(20) {
	case 0:
		return &v1.Affinity{}
	case 1:
		return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{}}
	}
	affinity := &v1.NodeAffinity{}
	if Chance(g.r, 20) { // preferred terms are never read
		affinity.PreferredDuringSchedulingIgnoredDuringExecution = []v1.PreferredSchedulingTerm{
			{Weight: 1, Preference: g.term()},
		}
	}
	if Chance(g.r, 90) {
		required := &v1.NodeSelector{}
		terms := 1 + g.r.IntN(3)
		if Chance(g.r, g.wildness/2) {
			terms = 0
		}
		for range terms {
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, g.term())
		}
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	}
	return &v1.Affinity{NodeAffinity: affinity}
}

func (g *generator) term() v1.NodeSelectorTerm {
	var term v1.NodeSelectorTerm
	if Chance(g.r, 5) {
		return term // accepted by the API, matches nothing
	}
	for range g.r.IntN(4) {
		term.MatchExpressions = append(term.MatchExpressions, g.expression())
	}
	if len(term.MatchExpressions) == 0 || Chance(g.r, 20) {
		for range 1 + g.r.IntN(2) {
			term.MatchFields = append(term.MatchFields, g.field())
		}
	}
	return term
}

func (g *generator) expression() v1.NodeSelectorRequirement {
	operator := pickWild(g.r, g.wildness/2, nodeOperators, wildOperators)
	key, value := g.labelOfSomeNode()
	requirement := v1.NodeSelectorRequirement{Key: key, Operator: v1.NodeSelectorOperator(operator)}
	count := 0
	switch operator {
	case "In", "NotIn":
		count = 1 + g.r.IntN(3)
	case "Gt", "Lt":
		count = 1
		if Chance(g.r, 70) {
			value = Pick(g.r, []string{"0", "4", "5", "6", "007", "9223372036854775806"})
		}
	}
	if Chance(g.r, g.wildness/2) {
		count = g.r.IntN(3) // too many or too few
	}
	for range count {
		requirement.Values = append(requirement.Values, value)
		value = g.labelValue()
	}
	return requirement
}

func (g *generator) field() v1.NodeSelectorRequirement {
	name := Pick(g.r, g.nodes).Name
	requirement := v1.NodeSelectorRequirement{
		Key: "metadata.name", Operator: Pick(g.r, []v1.NodeSelectorOperator{"In", "NotIn", "NotIn"}),
		Values: []string{name},
	}
	if Chance(g.r, g.wildness) {
		requirement.Key = Pick(g.r, fieldKeys)
		requirement.Operator = v1.NodeSelectorOperator(pickWild(g.r, 30, nodeOperators, wildOperators))
		requirement.Values = [][]string{nil, {name}, {""}, {name, "node-0001"}}[g.r.IntN(4)]
	}
	return requirement
}
