// Package quantity refuses resource quantities that strangers wrote to keep a server busy. Package
// resource of apimachinery took nine seconds for 1e-30000000, and time grows faster than the
// exponent.
package quantity

import "errors"

// How long a quantity may be, and its exponent. To round, add or compare numbers, package resource
// writes out ten to the power of the exponent. Nothing that is counted comes near to these.
const (
	maxCharacters = 10_000
	maxExponent   = 3 // digits
)

// ErrTooLarge is what Check says of a quantity.
var ErrTooLarge = errors.New("a quantity has at most 10,000 characters, and an exponent of at most 3 digits")

// Check refuses a quantity that takes too long to be read, or to count with. It does not matter
// what is around it, like quotes. Of a text that is no quantity it says nothing.
//
// It is for what comes from outside. A sum of such quantities, which is stored, may be larger.
func Check[T ~string | ~[]byte](text T) error {
	if len(text) > maxCharacters {
		return ErrTooLarge
	}
	digits := -1 // of an exponent, -1 outside of one
	for i := range len(text) {
		switch c := text[i]; {
		case c == 'e' || c == 'E':
			digits = 0
		case digits < 0 || digits == 0 && (c == '+' || c == '-'):
		case c < '0' || c > '9':
			digits = -1
		default:
			if digits++; digits > maxExponent {
				return ErrTooLarge
			}
		}
	}
	return nil
}
