// Package jsonpath reads the part of JSONPath that the columns of a Table are written in: names,
// items, and items for which something holds. It knows no types, and looks into no object.
package jsonpath

import (
	"fmt"
	"strconv"
	"strings"
)

// Step is one step of a path.
type Step struct {
	Kind Kind
	Text string // as it is written, with its dot or brackets
	// What each kind of step is about.
	Field  string
	Index  int
	Filter Filter
}

// Kind says what a step leads to.
type Kind int

const (
	Name  Kind = iota // .name or ['name']: a field of a struct, or the value of a key
	Index             // [1]: an item; [-1] is the last one, and so is [-1:]
	Each              // [*] or []: every item or value
	Where             // [?(@.type=="Ready")]: the items for which something holds
)

// Filter is what has to hold for an item.
type Filter struct {
	Fields  []string // the way from the item to what is compared
	Not     bool     // != and not ==
	Literal any      // a string, an int64 or a bool
}

// Parse reads a path like .spec.name, with braces around it or without. It has at least one step.
func Parse(path string) (steps []Step, err error) {
	rest := strings.TrimSpace(path)
	if inner, ok := strings.CutPrefix(rest, "{"); ok {
		rest = strings.TrimSuffix(inner, "}")
	}
	for rest != "" {
		var step Step
		switch {
		case rest[0] == '.':
			step.Field, rest = cutName(rest[1:])
			if step.Field == "" {
				return nil, fmt.Errorf("there is no name behind a dot")
			}
			step.Text = "." + step.Field
		case rest[0] == '[':
			inside, after, ok := cutBrackets(rest)
			if !ok {
				return nil, fmt.Errorf("a [ is not closed")
			}
			if step, err = parseBrackets(inside); err != nil {
				return nil, err
			}
			rest = after
		default:
			return nil, fmt.Errorf("it does not begin with a dot")
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	return steps, nil
}

// cutName cuts a name at the next step. A backslash takes the meaning from the sign behind it, as
// in app\.kubernetes\.io.
func cutName(s string) (name, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
		case s[i] == '.' || s[i] == '[':
			return b.String(), s[i:]
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// cutBrackets cuts what is between the [ that s begins with and its ], which is not one inside
// quotes.
func cutBrackets(s string) (inside, rest string, ok bool) {
	var quote byte
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ']':
			return s[1:i], s[i+1:], true
		}
	}
	return "", "", false
}

func parseBrackets(inside string) (Step, error) {
	inside = strings.TrimSpace(inside)
	shown := "[" + inside + "]"
	if inside == "*" || inside == "" || inside == ":" {
		return Step{Kind: Each, Text: shown}, nil
	}
	if key, ok := unquoted(inside); ok {
		return Step{Kind: Name, Text: shown, Field: key}, nil
	}
	if condition, ok := strings.CutPrefix(inside, "?("); ok && strings.HasSuffix(condition, ")") {
		f, err := parseFilter(strings.TrimSuffix(condition, ")"))
		return Step{Kind: Where, Text: shown, Filter: f}, err
	}
	index, err := strconv.Atoi(single(inside))
	if err != nil {
		return Step{}, fmt.Errorf(`%s is none of [1], [*], ["key"] and [?(@.type=="Ready")]`, shown)
	}
	return Step{Kind: Index, Text: shown, Index: index}, nil
}

// single is the index of the one item that a slice like -1: or 0:1 has; other texts stay as they
// are.
func single(inside string) string {
	from, to, isSlice := strings.Cut(inside, ":")
	switch {
	case !isSlice:
	case from == "-1" && to == "":
		return from
	case (from == "" || from == "0") && to == "1":
		return "0"
	}
	return inside
}

// parseFilter reads @.field==literal and @.field!=literal.
func parseFilter(condition string) (f Filter, err error) {
	left, right, ok := strings.Cut(condition, "==")
	if !ok {
		left, right, ok = strings.Cut(condition, "!=")
		f.Not = true
	}
	path, isField := strings.CutPrefix(strings.TrimSpace(left), "@.")
	if !ok || !isField || path == "" || strings.ContainsAny(path, "[]()*&|<> ") {
		return f, fmt.Errorf(`the condition %s is not like @.type=="Ready"`, condition)
	}
	f.Fields = strings.Split(path, ".")
	right = strings.TrimSpace(right)
	if text, ok := unquoted(right); ok {
		f.Literal = text
	} else if number, err := strconv.ParseInt(right, 10, 64); err == nil {
		f.Literal = number
	} else if right == "true" || right == "false" {
		f.Literal = right == "true"
	} else {
		return f, fmt.Errorf("%s is no string in quotes, no integer and no bool", right)
	}
	return f, nil
}

// unquoted returns what is between two quotes of one kind.
func unquoted(s string) (string, bool) {
	if len(s) < 2 || s[0] != '"' && s[0] != '\'' || s[len(s)-1] != s[0] || strings.IndexByte(s[1:len(s)-1], s[0]) >= 0 {
		return "", false
	}
	return s[1 : len(s)-1], true
}
