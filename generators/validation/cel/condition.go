package cel

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// condition is Go that is true or false: a leaf, or others that are joined. go vet wants no operand
// twice, so joining leaves out what is there already. The zero value is a condition that always
// holds.
type condition struct {
	op    string // "&&" or "||"; "" for a leaf
	parts []condition
	code  []any // of a leaf
}

// leaf is a condition that is not made of others.
func leaf(pieces ...any) condition { return condition{code: spell(pieces...)} }

// all holds if each of the conditions does, either if one of them does.
func all(conditions ...condition) condition { return combined("&&", conditions) }

func either(conditions ...condition) condition { return combined("||", conditions) }

func combined(op string, conditions []condition) condition {
	out := condition{op: op}
	for _, c := range conditions {
		parts := []condition{c}
		if c.op == op {
			parts = c.parts
		}
		for _, part := range parts {
			if part.always() && op == "||" {
				return condition{}
			}
			if !part.always() && !slices.ContainsFunc(out.parts, part.equals) {
				out.parts = append(out.parts, part)
			}
		}
	}
	switch len(out.parts) {
	case 0:
		return condition{}
	case 1:
		return out.parts[0]
	}
	return out
}

func (c condition) equals(other condition) bool { return c.key() == other.key() }

func (c condition) key() string {
	var b strings.Builder
	for _, piece := range c.spelled() {
		if t, ok := piece.(*types.Type); ok {
			piece = t.String()
		}
		fmt.Fprint(&b, piece)
	}
	return b.String()
}

// always tells whether the condition holds whatever the values are.
func (c condition) always() bool { return c.op == "" && c.code == nil }

// spelled is the condition as Go.
func (c condition) spelled() []any {
	switch {
	case c.always():
		return []any{"true"}
	case c.op == "":
		return c.code
	}
	var out []any
	for i, part := range c.parts {
		if i > 0 {
			out = append(out, " "+c.op+" ")
		}
		if part.op == "||" {
			out = spell(out, "(", part.spelled(), ")")
		} else {
			out = spell(out, part.spelled())
		}
	}
	return out
}

// negated is Go for the opposite of a condition, as far as Go is concerned.
func (c condition) negated() []any {
	if n := len(c.code); c.op == "" && n > 2 && c.code[0] == "!(" && c.code[n-1] == ")" {
		return c.code[1 : n-1]
	}
	return spell("!(", c.spelled(), ")")
}

// opposite tells whether one of two conditions always holds if the other does not, as far as can be
// seen.
func opposite(a, b condition) bool {
	if a.op == "" || b.op == "" {
		return leaf("!(", a.spelled(), ")").equals(b) || leaf("!(", b.spelled(), ")").equals(a)
	}
	return a.op != b.op && slices.EqualFunc(a.parts, b.parts, opposite)
}
