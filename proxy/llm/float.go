package llm

import (
	"math"
	"strconv"
	"strings"
)

// parseFloat reads a JSON number, or NaN and the infinities, as Python's
// float() does: out of range is infinite, too small is zero, both with a sign.
func parseFloat(s string) float64 {
	// strconv stops counting an exponent at 10,000, which tells only where the
	// mantissa itself has about as many digits.
	if len(s) > 9000 {
		s = compact(s)
	}
	f, _ := strconv.ParseFloat(s, 64) // its only error here is the range
	return f
}

// compact writes a long number with at most 800 digits, more than any decides
// how a float64 is rounded, and an exponent of a few digits.
func compact(s string) string {
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	exp, err := strconv.Atoi(exponent)
	if err != nil && len(exponent) > 6 { // beyond any mantissa that fits in memory
		exp = 1 << 40
		if exponent[0] == '-' {
			exp = -exp
		}
	}
	whole, part, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+part, "0")
	if digits == "" {
		return sign + "0"
	}
	exp += len(digits) - len(part) // digits are now behind the point
	if len(digits) > 800 {
		rest := strings.TrimRight(digits[800:], "0")
		digits = digits[:800]
		if rest != "" {
			digits += "1" // not exactly half way
		}
	}
	exp = min(max(exp, -9999), 9999)
	return sign + "0." + digits + "e" + strconv.Itoa(exp)
}

// appendFloat writes a float as Python's repr does: the shortest digits that
// read back, with an exponent below 1e-4 and from 1e16 on.
func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if !strings.Contains(string(dst[n:]), ".") {
		dst = append(dst, ".0"...)
	}
	return dst
}
