// Package ast reads the Common Expression Language, except for messages and optional entries of
// literals. It has no types: what an expression means is for its user to say, who also refuses what
// it does not know.
//
// Start reading at Parse.
package ast

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Expr is an expression. Which fields are set depends on Op.
type Expr struct {
	Op Op
	// Name is that of a variable, field, function or method, or the sign of an operator.
	Name string
	// Text is a literal, without quotes.
	Text string
	// On is what a field, method or index belongs to; nil for a function.
	On *Expr
	// Args are operands, arguments, or the items of a list.
	Args []*Expr
	// Source is how it is written.
	Source string
}

// Op is what an expression does.
type Op int

const (
	Var        Op = iota // Name
	Field                // On.Name
	Call                 // Name(Args) or On.Name(Args)
	Index                // On[Args[0]]
	Maybe                // On.?Name
	MaybeIndex           // On[?Args[0]]
	Binary               // Args[0] Name Args[1]
	Not                  // !Args[0]
	Negate               // -Args[0]
	If                   // Args[0] ? Args[1] : Args[2]
	List                 // [Args]
	Map                  // {Args[0]: Args[1], …}
	Bytes                // Text, as b'…'
	Text                 // a string
	Number               // a number
	Literal              // true, false or null, in Name
)

// Parse reads an expression.
func Parse(source string) (*Expr, error) {
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	p := &parser{source: source, tokens: tokens}
	e := p.conditional()
	if p.err == nil && p.peek().kind != end {
		p.unexpected("an operator")
	}
	return e, p.err
}

const deepest = 200

// keywords can't be names of anything, and reserved words none of variables.
var (
	keywords = []string{"in", "true", "false", "null"}
	reserved = []string{"as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while"}
)

type parser struct {
	source string
	tokens []token
	next   int
	depth  int
	err    error
}

func (p *parser) peek() token { return p.tokens[p.next] }

func (p *parser) take() token {
	t := p.tokens[p.next]
	if t.kind != end {
		p.next++
	}
	return t
}

// is takes a symbol, if it comes next.
func (p *parser) is(texts ...string) (string, bool) {
	for _, text := range texts {
		if t := p.peek(); (t.kind == symbol || t.kind == name && text == "in") && t.text == text {
			p.take()
			return text, true
		}
	}
	return "", false
}

func (p *parser) want(text string) {
	if _, ok := p.is(text); !ok {
		p.unexpected(text)
	}
}

func (p *parser) unexpected(want string) {
	if p.err == nil {
		t := p.peek()
		shown := t.text
		if t.kind == quoted {
			shown = "a text"
		}
		p.err = fmt.Errorf("%s stands where %s is wanted, at character %d: %s", shown, want, t.at+1, excerpt(p.source, t.at))
	}
}

// excerpt is a part of the source around a place.
func excerpt(source string, at int) string {
	from, to := max(0, at-20), min(len(source), at+20)
	for from > 0 && !utf8.RuneStart(source[from]) {
		from--
	}
	for to < len(source) && !utf8.RuneStart(source[to]) {
		to++
	}
	return "…" + source[from:to] + "…"
}

// done fills in how an expression that began at a token is written.
func (p *parser) done(from int, e *Expr) *Expr {
	to := len(p.source)
	if p.next < len(p.tokens) {
		to = p.tokens[p.next].at
	}
	e.Source = trimmed(p.source[p.tokens[from].at:to])
	return e
}

func trimmed(s string) string {
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\n' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// deeper says that an expression within another one is read, and whether it may be.
func (p *parser) deeper() bool {
	p.depth++
	if p.depth > deepest && p.err == nil {
		p.err = fmt.Errorf("it is nested too deeply")
	}
	return p.depth <= deepest
}

func (p *parser) conditional() *Expr {
	defer func() { p.depth-- }()
	if !p.deeper() {
		return &Expr{}
	}
	from := p.next
	e := p.binary(0)
	if _, ok := p.is("?"); !ok || p.err != nil {
		return e
	}
	yes := p.binary(0)
	p.want(":")
	return p.done(from, &Expr{Op: If, Args: []*Expr{e, yes, p.conditional()}})
}

// levels are operators from the weakest to the strongest.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">", "in"}, {"+", "-"}, {"*", "/", "%"}}

func (p *parser) binary(level int) *Expr {
	if level == len(levels) {
		return p.unary()
	}
	from := p.next
	left := p.binary(level + 1)
	for p.err == nil {
		op, ok := p.is(levels[level]...)
		if !ok {
			break
		}
		right := p.binary(level + 1)
		left = p.done(from, &Expr{Op: Binary, Name: op, Args: []*Expr{left, right}})
	}
	return left
}

func (p *parser) unary() *Expr {
	defer func() { p.depth-- }()
	if !p.deeper() {
		return &Expr{}
	}
	from := p.next
	for sign, of := range map[string]struct {
		op    Op
		other string
	}{"!": {Not, "-"}, "-": {Negate, "!"}} {
		if _, ok := p.is(sign); !ok {
			continue
		}
		if p.peek().kind == symbol && p.peek().text == of.other { // the two don't mix
			p.unexpected("a value")
		}
		return p.done(from, &Expr{Op: of.op, Args: []*Expr{p.unary()}})
	}
	return p.member()
}

func (p *parser) member() *Expr {
	from := p.next
	e := p.primary()
	for p.err == nil {
		if _, ok := p.is("."); ok {
			_, maybe := p.is("?")
			t := p.peek()
			if t.kind != name || slices.Contains(keywords, t.text) {
				p.unexpected("the name of a field")
				break
			}
			p.take()
			e = &Expr{Op: Field, Name: t.text, On: e}
			if maybe {
				e.Op = Maybe
			} else if _, call := p.is("("); call {
				e.Op, e.Args = Call, p.list(")")
			}
			e = p.done(from, e)
			continue
		}
		if _, ok := p.is("["); ok {
			op := Index
			if _, maybe := p.is("?"); maybe {
				op = MaybeIndex
			}
			e = &Expr{Op: op, On: e, Args: []*Expr{p.conditional()}}
			p.want("]")
			e = p.done(from, e)
			continue
		}
		break
	}
	return e
}

func (p *parser) primary() *Expr {
	from := p.next
	if _, ok := p.is("("); ok {
		e := p.conditional()
		p.want(")")
		return e
	}
	if _, ok := p.is("["); ok {
		return p.done(from, &Expr{Op: List, Args: p.list("]")})
	}
	if _, ok := p.is("{"); ok {
		return p.done(from, &Expr{Op: Map, Args: p.entries()})
	}
	switch t := p.peek(); t.kind {
	case quoted:
		p.take()
		return p.done(from, &Expr{Op: Text, Text: t.text})
	case bytesText:
		p.take()
		return p.done(from, &Expr{Op: Bytes, Text: t.text})
	case number:
		p.take()
		return p.done(from, &Expr{Op: Number, Text: t.text})
	case name:
		p.take()
		if t.text == "true" || t.text == "false" || t.text == "null" {
			return p.done(from, &Expr{Op: Literal, Name: t.text})
		}
		if _, call := p.is("("); call {
			return p.done(from, &Expr{Op: Call, Name: t.text, Args: p.list(")")})
		}
		if t.text == "in" || slices.Contains(reserved, t.text) {
			p.next--
			p.unexpected("a name that is no reserved word")
		}
		return p.done(from, &Expr{Op: Var, Name: t.text})
	}
	p.unexpected("a value")
	return &Expr{}
}

// entries reads keys and values with commas between them, and what closes them.
func (p *parser) entries() []*Expr {
	var out []*Expr
	for p.err == nil {
		if _, ok := p.is("}"); ok {
			return out
		}
		key := p.conditional()
		p.want(":")
		out = append(out, key, p.conditional())
		if _, ok := p.is(","); !ok {
			p.want("}")
			return out
		}
	}
	return out
}

// list reads expressions with commas between them, and what closes it.
func (p *parser) list(closing string) []*Expr {
	var out []*Expr
	if _, ok := p.is(closing); ok {
		return nil
	}
	for p.err == nil {
		out = append(out, p.conditional())
		if _, ok := p.is(","); !ok {
			p.want(closing)
			return out
		}
		if _, ok := p.is(closing); ok {
			return out // a comma may stand behind the last one
		}
	}
	return out
}
