// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"

	"dsdoctor.dev/oracle"
)

// The maps from names of resources to amounts, at any depth.
var amountMaps = map[string]bool{
	"requests": true, "limits": true, "allocatable": true, "overhead": true, "allocatedResources": true,
}

// respell writes the amounts of an object in other notations, some of which mean slightly more or
// less. An API server would have normalized them.
func (g *generator) respell(content []byte) ([]byte, error) {
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	g.respellIn(tree)
	return json.Marshal(tree)
}

func (g *generator) respellIn(tree any) {
	switch t := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(t)) {
			list, ok := t[key].(map[string]any)
			if !ok || !amountMaps[key] {
				g.respellIn(t[key])
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(list)) {
				if text, ok := list[name].(string); ok && g.chance(60) {
					list[name] = g.otherNotation(text)
				}
			}
		}
	case []any:
		for _, item := range t {
			g.respellIn(item)
		}
	}
}

// otherNotation is a text or a number.
func (g *generator) otherNotation(text string) any {
	if g.chance(3) {
		return g.anyNotation()
	}
	quantity := resource.MustParse(text)
	exact := quantity.AsDec()
	decimal := exact.String() // digits, maybe with a point
	switch g.r.IntN(14) {
	case 0:
		return decimal
	case 1:
		return number(decimal)
	case 2:
		return "+" + decimal
	case 3:
		return "00" + decimal
	case 4:
		return " " + decimal + "  "
	case 5:
		return scaled(exact, 3) + "k"
	case 6:
		return scaled(exact, -3) + "m"
	case 7:
		return scaled(exact, -6) + "u"
	case 8:
		return scaled(exact, -9) + "n"
	case 9:
		exponent := g.r.IntN(13) - 6
		return scaled(exact, exponent) + oracle.Pick(g.r, []string{"e", "E"}) + fmt.Sprint(exponent)
	case 10:
		exponent := g.r.IntN(7) - 3
		return number(scaled(exact, exponent) + fmt.Sprintf("e%+d", exponent))
	case 11:
		return strings.TrimPrefix(scaled(exact, 6), "0") + "M"
	case 12:
		return inKibi(exact) // rounded: slightly different
	default:
		if strings.Contains(decimal, ".") {
			return decimal + "0000000001" // any fraction counts
		}
		return decimal + "."
	}
}

// number returns a text for a number with more digits than readers of JSON must accept.
func number(text string) any {
	if digits, _, _ := strings.Cut(text, "."); len(digits) > 18 {
		return text
	}
	return json.Number(text)
}

func (g *generator) anyNotation() any {
	for {
		notation := ReadNotation(oracle.Pick(g.r, notationTexts))
		if !notation.Error && notation.Value >= 0 {
			return notation.Text
		}
	}
}

// scaled is the amount in units of 10^exponent.
func scaled(exact *inf.Dec, exponent int) string {
	shifted := new(inf.Dec).Set(exact)
	return shifted.SetScale(shifted.Scale()+inf.Scale(exponent)).Round(shifted, 15, inf.RoundUp).String()
}

func inKibi(exact *inf.Dec) string {
	return new(inf.Dec).QuoRound(exact, inf.NewDec(1024, 0), 4, inf.RoundUp).String() + "Ki"
}
