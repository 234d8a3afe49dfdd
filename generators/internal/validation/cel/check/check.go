// Package check finds the types in an expression that don't fit, as cel-go does where self may be
// anything. A program with such a rule would not start. gen can't link cel-go, so overloads.txt has
// the functions of the language. A test of module cel compares both with it.
//
// Start reading at Types.
package check

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
)

// Types says what is wrong with the types in an expression, whose names are right. want is the type
// that it must have, "bool" or "string". optional says that oldSelf is an optional.
func Types(e *ast.Expr, want string, optional bool) error {
	c := &checker{bound: map[*typ]*typ{}, locals: map[string]*typ{}}
	c.locals["self"], c.locals["oldSelf"] = dyn, dyn
	if optional {
		c.locals["oldSelf"] = named("optional_type", dyn)
	}
	t := c.resolved(c.of(e))
	switch {
	case c.err != nil:
		return c.err
	case t.name != want && t.name != dyn.name && t.name != "":
		return fmt.Errorf("%s is of type %s, and must be %s", e.Source, t, want)
	}
	return nil
}

// checker looks at one expression. After the first error nothing it says means anything.
type checker struct {
	bound  map[*typ]*typ // what variables of types stand for
	locals map[string]*typ
	err    error
}

func (c *checker) fail(format string, args ...any) *typ {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
	return dyn
}

// of is the type of an expression.
func (c *checker) of(e *ast.Expr) *typ {
	switch e.Op {
	case ast.Var:
		if t := c.locals[e.Name]; t != nil {
			return t
		}
		return named("type", dyn)
	case ast.Field, ast.Maybe:
		return c.field(e)
	case ast.Call:
		return c.call(e)
	case ast.Text:
		return named("string")
	case ast.Bytes:
		return named("bytes")
	case ast.Number:
		return c.number(e)
	case ast.Literal:
		return literal(e.Name)
	case ast.List:
		return named("list", c.joined(e.Args))
	case ast.Map:
		return c.mapOf(e.Args)
	}
	return c.operator(e)
}

func (c *checker) number(e *ast.Expr) *typ {
	text, unsigned := strings.CutSuffix(strings.ToLower(e.Text), "u")
	text, hex := strings.CutPrefix(text, "0x")
	name, base := "int", 10
	if hex {
		base = 16
	}
	var err error
	switch {
	case unsigned:
		name = "uint"
		_, err = strconv.ParseUint(text, base, 64)
	case !hex && strings.ContainsAny(text, ".e"):
		name = "double"
		if _, err = strconv.ParseFloat(text, 64); err == nil && strings.HasSuffix(text, ".") {
			err = strconv.ErrSyntax
		}
	default:
		if _, err = strconv.ParseInt(text, base, 64); text == "9223372036854775808" {
			err = nil // with a minus before it
		}
	}
	if err != nil {
		return c.fail("%s is no %s of 64 bits", e.Source, name)
	}
	return named(name)
}

func literal(name string) *typ {
	if name == "null" {
		return null
	}
	return named("bool")
}

// mapOf is the type of keys and values that take turns.
func (c *checker) mapOf(entries []*ast.Expr) *typ {
	var keys, values []*ast.Expr
	for i := 0; i+1 < len(entries); i += 2 {
		keys, values = append(keys, entries[i]), append(values, entries[i+1])
	}
	return named("map", c.joined(keys), c.joined(values))
}

// joined is the type of the items of a list that is written down: the one that all have, or any.
func (c *checker) joined(items []*ast.Expr) *typ {
	var t *typ
	for _, item := range items {
		switch now := c.of(item); {
		case t == nil:
			t = now
		case c.assigns([]*typ{t}, []*typ{now}):
			t = general(t, now)
		default:
			t = dyn
		}
	}
	if t == nil {
		return new(typ)
	}
	return t
}

// field is the type of what is read of a value by a name.
func (c *checker) field(e *ast.Expr) *typ {
	if isName(e) && c.locals[root(e).Name] == nil { // like google.protobuf.Timestamp
		return named("type", dyn)
	}
	on := c.resolved(c.of(e.On))
	optional := e.Op == ast.Maybe
	if on.name == "optional_type" {
		on, optional = c.resolved(on.of[0]), true
	}
	t := dyn
	switch on.name {
	case "map":
		t = on.of[1]
	case "":
		c.bound[on] = dyn
	case dyn.name:
	default:
		return c.fail("%s: a %s has no fields", e.Source, on)
	}
	if optional {
		return named("optional_type", t)
	}
	return t
}

// isName tells whether an expression is names with dots between them.
func isName(e *ast.Expr) bool {
	for e.Op == ast.Field {
		e = e.On
	}
	return e.Op == ast.Var
}

func root(e *ast.Expr) *ast.Expr {
	for e.On != nil {
		e = e.On
	}
	return e
}

var symbols = map[ast.Op]string{ast.Index: "_[_]", ast.MaybeIndex: "_[?_]", ast.Not: "!_", ast.Negate: "-_", ast.If: "_?_:_"}

func (c *checker) operator(e *ast.Expr) *typ {
	name := symbols[e.Op]
	switch {
	case e.Op == ast.Binary && e.Name == "in":
		name = "@in"
	case e.Op == ast.Binary:
		name = "_" + e.Name + "_"
	}
	args := e.Args
	if e.On != nil {
		args = append([]*ast.Expr{e.On}, args...)
	}
	return c.applied(e, name, args)
}

// call is the type of what a function or a macro makes.
func (c *checker) call(e *ast.Expr) *typ {
	if e.On != nil && e.On.Op == ast.Var && c.locals[e.On.Name] == nil && overloads()[e.On.Name+"."+e.Name] != nil {
		return c.applied(e, e.On.Name+"."+e.Name, e.Args)
	}
	if e.On == nil {
		if e.Name == "has" {
			if len(e.Args) != 1 || e.Args[0].Op != ast.Field {
				return c.fail("%s: want it as in has(self.name)", e.Source)
			}
			c.of(e.Args[0])
			return named("bool")
		}
		return c.applied(e, e.Name, e.Args)
	}
	if made := macro(e.Name); made != nil && len(e.Args) > 1 {
		outer := c.locals
		c.locals = maps.Clone(outer)
		defer func() { c.locals = outer }()
		return made(c, e)
	}
	return c.applied(e, "."+e.Name, append([]*ast.Expr{e.On}, e.Args...))
}

// applied is what a function makes of its arguments: anything, if there are several answers.
func (c *checker) applied(e *ast.Expr, name string, args []*ast.Expr) *typ {
	have := make([]*typ, len(args))
	for i, arg := range args {
		have[i] = c.of(arg)
	}
	var out *typ
	for _, o := range overloads()[name] {
		o = o.fresh()
		if len(o.takes) != len(have) || !c.assigns(have, o.takes) {
			continue
		}
		switch t := c.resolved(o.makes); {
		case out == nil:
			out = t
		case !out.equal(t):
			out = dyn
		}
	}
	if out == nil {
		return c.fail("%s: there is no %s of %s", e.Source, shown(name), c.list(have))
	}
	return out
}

// shown is how people write a function of overloads.txt.
func shown(name string) string { return strings.TrimPrefix(strings.Trim(name, "_@"), ".") }

func (c *checker) list(types []*typ) string {
	texts := make([]string, len(types))
	for i, t := range types {
		texts[i] = c.resolved(t).String()
	}
	return strings.Join(texts, " and ")
}
