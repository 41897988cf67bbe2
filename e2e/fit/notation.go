// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"math"
	"math/big"

	"gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Notation is a text that may be an amount, and Kubernetes' result of parsing it.
type Notation struct {
	Text string `json:"text"`
	*Amount
	Error bool `json:"error,omitempty"` // the text is not a quantity
}

// Amount is a quantity in the units of the scheduler.
type Amount struct {
	Value      int64 `json:"value"`      // units
	MilliValue int64 `json:"milliValue"` // thousandths
	// One of the two does not fit into 64 bits, and is replaced by the nearest number. Kubernetes'
	// results for such an amount are artifacts of its arithmetic.
	Saturated bool `json:"saturated,omitempty"`
}

// ReadNotation parses a text with Kubernetes' code.
func ReadNotation(text string) Notation {
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return Notation{Text: text, Error: true}
	}
	amount := &Amount{Value: quantity.Value(), MilliValue: quantity.MilliValue()}
	if nearest, fits := nearestInt64(quantity, 0); !fits {
		amount.Value, amount.Saturated = nearest, true
	}
	if nearest, fits := nearestInt64(quantity, resource.Milli); !fits {
		amount.MilliValue, amount.Saturated = nearest, true
	}
	return Notation{Text: text, Amount: amount}
}

// nearestInt64 is the amount in units of 10^scale, and whether it fits into 64 bits.
func nearestInt64(quantity resource.Quantity, scale resource.Scale) (nearest int64, fits bool) {
	exact := new(inf.Dec).Round(quantity.AsDec(), inf.Scale(-scale), inf.RoundUp)
	unscaled := exact.UnscaledBig()
	switch {
	case unscaled.Cmp(big.NewInt(math.MaxInt64)) > 0:
		return math.MaxInt64, false
	case unscaled.Cmp(big.NewInt(math.MinInt64)) < 0:
		return math.MinInt64, false
	}
	return unscaled.Int64(), true
}

// Notations are the texts that readers of quantities should parse as Kubernetes does. Negative
// amounts with a fraction are left out: Kubernetes rounds them up or down, depending on the number
// of digits.
func Notations() []Notation {
	var notations []Notation
	for _, text := range notationTexts {
		notations = append(notations, ReadNotation(text))
	}
	return notations
}

var notationTexts = []string{
	// plain
	"0", "1", "2", "7", "10", "12", "100", "110", "999", "1000", "1024", "4096", "65536", "1000000",
	"16777216", "9007199254740992", "9007199254740993", "922337203685477580",
	"9223372036854775", "9223372036854776", "9223372036854775806", "9223372036854775807",
	"9223372036854775808", "18446744073709551615", "18446744073709551616",
	"100000000000000000000000000000", "00", "007", "0000000000000000000000000001",
	// signs
	"+0", "-0", "+1", "-1", "+100m", "-1000m", "+1.5Gi", "-2Ki", "+1e3", "-1e3",
	"+", "-", "++1", "+-1", "1+", "1-",
	// fractions
	"0.1", "0.5", "0.001", "0.0001", "0.25", "1.5", "1.", "1.0", "1.00", "1.000", "2.500", ".5", ".50",
	".001", ".", "0.", ".0", "+.5", "00.5", "1.0000000001", "1.000000001", "0.000000001",
	"0.0000000001", "0.9999999999", "0.9999", "0.99949", "999.9999999995", "3.14159265358979323846",
	"123456789.123456789", "1234567890123456789.5", "9223372036854775806.5", "1.5.2", "1..5", "..",
	// decimal suffixes
	"1n", "3n", "3.001n", "0.1n", "999999999n", "1000000000n", "1000000001n", "1u", "1.0001u",
	"999999u", "1000001u", "1m", "100m", "250m", "500m", "999m", "1000m", "1001m", "1500m", "0.5m",
	"1.5m", "0m", "1k", "0.1k", "1.5k", ".5k", "1.k", "1M", "129M", "0.000001M", "1.5M", "1G",
	"1.23456789G", "1T", "1P", "9P", "9.2P", "9.3P", "1E", "9E", "9.2E", "9.3E", "10E", "100E",
	"0.001E", "0.000000000000000001E",
	// binary suffixes
	"1Ki", "0.5Ki", "0.1Ki", "0.0001Ki", "100.035Ki", "1.5Ki", "1023Ki", "1Mi", "0.1Mi", "1.1Mi",
	"123Mi", "256Mi", "212.5Mi", "1Gi", "1.5Gi", "0.3Gi", ".1Gi", "1.Gi", "64Gi", "0.0000000001Gi",
	"1Ti", "1.1Ti", "1Pi", "1.1Pi", "7Pi", "1Ei", "7Ei", "7.9Ei", "7.999999999999999999Ei", "8Ei",
	"9Ei", "1000Ei", "0Ei", "0.0000000000000000000001Ei", "1234567890Ki", "3000000000Gi",
	// exponents
	"1e3", "1E3", "1e0", "1E0", "1e+3", "1E+3", "1e-3", "1E-3", "0.5e-1", "1.5e3", "1e-9", "1e-10",
	"1e-18", "1.5e-9", "129e6", "12e6", "12E6", "1e15", "1e16", "1e18", "9e18", "1e19", "1e20", "1e30",
	"0e30", "0.0001e4", "100e-2", "101e-2", "1e03", "1e-03", "1e", "1e+", "1e-", "1e3.5", "1e3m", "1em",
	"1.e2", ".1e1", "123456789e-9", "1234567890123456789e-3", "1234567890123456789012e-12",
	// not a quantity
	"", " ", " 1", "1 ", "1 Gi", "1\n", "K", "1K", "1i", "1I", "i", "1mi", "0.1mi", "1ki", "1KI", "1MI",
	"1gi", "1GI", "1g", "1t", "1p", "1mM", "1Mm", "1MiB", "1MB", "1Kb", "1b", "1B", "1.1.M", "5m5",
	"5Mi5", "5k5", "1_000", "1,000", "1,5", "0x10", "0b1", "1e1e1", "1Ee3", "1ee3", "NaN", "nan", "Inf",
	"inf", "true", "null", "half", "one", "１", "1m\x00", "m", "Mi", ".Mi", "e3", "E", "1EI", "1ei", "1Eii",
	"1nn", "1un", "1%", "$1", "1c", "--1", "1-1", "1e--3", "1\t", "1n1", "1u-1", "1Ki-1", "1m+",
}
