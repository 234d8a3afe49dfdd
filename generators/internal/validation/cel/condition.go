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

func either(conditions ...condition) condition {
	common := conditions[0].conjuncts()
	for _, c := range conditions[1:] {
		common = slices.DeleteFunc(common, func(part condition) bool { return !slices.ContainsFunc(c.conjuncts(), part.equals) })
	}
	if len(common) == 0 || len(conditions) == 1 {
		return combined("||", conditions)
	}
	rest := make([]condition, len(conditions)) // what all of them want stands before them, once
	for i, c := range conditions {
		rest[i] = all(slices.DeleteFunc(c.conjuncts(), func(part condition) bool { return slices.ContainsFunc(common, part.equals) })...)
	}
	return all(append(common, combined("||", rest))...)
}

// conjuncts are the conditions of which all must hold.
func (c condition) conjuncts() []condition {
	switch {
	case c.op == "&&":
		return slices.Clone(c.parts)
	case c.always():
		return nil
	}
	return []condition{c}
}

func combined(op string, conditions []condition) condition {
	out := condition{op: op}
	for _, c := range conditions {
		parts := []condition{c}
		if c.op == op {
			parts = c.parts
		}
		for _, part := range parts {
			if op == "||" && (part.always() || part.says("true")) {
				return condition{}
			}
			if op == "||" && part.says("false") {
				continue
			}
			if !part.always() && !slices.ContainsFunc(out.parts, part.equals) {
				out.parts = append(out.parts, part)
			}
		}
	}
	switch len(out.parts) {
	case 0:
		if op == "||" {
			return leaf("false")
		}
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

// says tells whether the condition is just that word.
func (c condition) says(word string) bool {
	return c.op == "" && len(c.code) == 1 && c.code[0] == word
}

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

// spell joins pieces of Go; a list of pieces counts as its pieces.
func spell(pieces ...any) []any {
	var out []any
	for _, p := range pieces {
		if list, ok := p.([]any); ok {
			out = append(out, list...)
		} else {
			out = append(out, p)
		}
	}
	return out
}
