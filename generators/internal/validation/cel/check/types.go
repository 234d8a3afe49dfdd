package check

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

// typ is a type of CEL. One without a name is a variable, which may come to stand for another type.
type typ struct {
	name string
	of   []*typ
}

var (
	dyn  = &typ{name: "dyn"}
	null = &typ{name: "null_type"}
)

func named(name string, of ...*typ) *typ { return &typ{name, of} }

func (t *typ) String() string {
	if t.name == "" {
		return "any"
	}
	if len(t.of) == 0 {
		return strings.ToLower(t.name[strings.LastIndexByte(t.name, '.')+1:])
	}
	inner := make([]string, len(t.of))
	for i, of := range t.of {
		inner[i] = of.String()
	}
	return t.name + "(" + strings.Join(inner, ", ") + ")"
}

func (t *typ) equal(other *typ) bool {
	return t == other || t.name != "" && t.name == other.name && slices.EqualFunc(t.of, other.of, (*typ).equal)
}

// overload is one of the ways to call a function.
type overload struct {
	takes []*typ
	makes *typ
}

// overloadsText is printed by the tests of module cel.
//
//go:embed overloads.txt
var overloadsText string

// overloads are those of each function; the names of methods begin with a dot.
var overloads = sync.OnceValue(func() map[string][]overload {
	out := map[string][]overload{}
	for _, line := range strings.Split(strings.TrimSpace(overloadsText), "\n") {
		name, rest, _ := strings.Cut(line, "(")
		r := reader{rest: rest, variables: map[string]*typ{}}
		o := overload{takes: r.list()}
		o.makes = r.typ()
		out[name] = append(out[name], o)
	}
	return out
})

// Arity is how many arguments the overloads of a function take: a digit for each number. The names
// of methods begin with a dot, and what they belong to does not count.
func Arity() map[string]string {
	out := map[string]string{}
	for name, all := range overloads() {
		var counts []string
		for _, o := range all {
			n := len(o.takes)
			if strings.HasPrefix(name, ".") {
				n--
			}
			counts = append(counts, string(rune('0'+n)))
		}
		slices.Sort(counts)
		out[name] = strings.Join(slices.Compact(counts), "")
	}
	return out
}

// TypeNames are the types with a namespace that an expression may name, as
// google.protobuf.Duration.
var TypeNames = sync.OnceValue(func() (names []string) {
	for word := range strings.FieldsFuncSeq(overloadsText, func(r rune) bool { return strings.ContainsRune("(), \n<>", r) }) {
		if strings.HasPrefix(word, "google.") {
			names = append(names, word)
		}
	}
	return names
})

// reader reads types as cel-go prints them: map(string, <A>).
type reader struct {
	rest      string
	variables map[string]*typ
}

func (r *reader) typ() *typ {
	r.rest = strings.TrimLeft(r.rest, " ")
	end := strings.IndexAny(r.rest+")", "(,)")
	name := r.rest[:end]
	r.rest = r.rest[end:]
	if strings.HasPrefix(name, "<") {
		if r.variables[name] == nil {
			r.variables[name] = new(typ)
		}
		return r.variables[name]
	}
	t := named(name)
	if strings.HasPrefix(r.rest, "(") {
		r.rest = r.rest[1:]
		t.of = r.list()
	}
	return t
}

// list reads types up to the bracket behind them.
func (r *reader) list() (out []*typ) {
	for !strings.HasPrefix(r.rest, ")") {
		out = append(out, r.typ())
		r.rest = strings.TrimPrefix(r.rest, ",")
	}
	r.rest = r.rest[1:]
	return out
}

// fresh is the overload with variables of its own.
func (o overload) fresh() overload {
	of := map[*typ]*typ{}
	out := overload{makes: o.makes.renamed(of)}
	for _, t := range o.takes {
		out.takes = append(out.takes, t.renamed(of))
	}
	return out
}

func (t *typ) renamed(of map[*typ]*typ) *typ {
	if t.name == "" {
		if of[t] == nil {
			of[t] = new(typ)
		}
		return of[t]
	}
	out := named(t.name)
	for _, inner := range t.of {
		out.of = append(out.of, inner.renamed(of))
	}
	return out
}

// resolved is a type with what its variables stand for.
func (c *checker) resolved(t *typ) *typ {
	if t.name == "" {
		if to := c.bound[t]; to != nil {
			return c.resolved(to)
		}
		return t
	}
	out := named(t.name)
	for _, inner := range t.of {
		out.of = append(out.of, c.resolved(inner))
	}
	return out
}

// assigns says whether values of some types can be taken for others. Then it binds their variables.
func (c *checker) assigns(have, want []*typ) bool {
	before := maps.Clone(c.bound)
	for i := range have {
		if !c.assign(have[i], want[i]) {
			c.bound = before
			return false
		}
	}
	return true
}

func (c *checker) assign(have, want *typ) bool {
	if want.name == "" {
		if fits, decided := c.substitutes(have, want); fits || decided {
			return fits
		}
	}
	if have.name == "" {
		fits, _ := c.substitutes(want, have)
		return fits
	}
	switch {
	case have.name == dyn.name || want.name == dyn.name:
		return true
	case have.name == null.name:
		return want.mayBeNull()
	case want.name == null.name:
		return have.mayBeNull()
	case have.name == "type":
		return want.name == "type"
	}
	return have.name == want.name && len(have.of) == len(want.of) && c.assigns(have.of, want.of)
}

// substitutes says whether a variable can stand for a type, and whether it stands for one already.
func (c *checker) substitutes(t, variable *typ) (fits, decided bool) {
	if t == variable {
		return true, true
	}
	now := c.bound[variable]
	if now == nil {
		if c.within(variable, t) {
			return false, false
		}
		c.bound[variable] = t
		return true, false
	}
	if !t.equal(now) {
		if !c.assign(t, now) {
			return false, true
		}
		if more := general(t, now); !c.within(variable, more) {
			c.bound[variable] = more
		}
	}
	return true, true
}

// within says whether a variable is part of a type.
func (c *checker) within(variable, t *typ) bool {
	if t.name == "" {
		to := c.bound[t]
		return t == variable || to != nil && c.within(variable, to)
	}
	return slices.ContainsFunc(t.of, func(inner *typ) bool { return c.within(variable, inner) })
}

// mayBeNull says whether null can be taken for a value of the type.
func (t *typ) mayBeNull() bool {
	switch t.name {
	case "bool", "bytes", "double", "int", "list", "map", "string", "type", "uint":
		return false
	}
	return true
}

// general is the type of two that says less.
func general(a, b *typ) *typ {
	if a.saysLess(b) {
		return a
	}
	return b
}

func (t *typ) saysLess(than *typ) bool {
	switch {
	case t.name == dyn.name || t.name == "":
		return true
	case than.name == dyn.name || than.name == "" || t.name != than.name || len(t.of) != len(than.of):
		return false
	}
	for i := range t.of {
		if !t.of[i].saysLess(than.of[i]) {
			return false
		}
	}
	return true
}
