package apiserver

import (
	"fmt"
	"strconv"
	"strings"
)

// pathStep is one step of a JSONPath.
type pathStep struct {
	kind stepKind
	name string // as it is written, with its dot or brackets
	// What each kind of step is about.
	field  string
	index  int
	filter filter
}

type stepKind int

const (
	stepName   stepKind = iota // .name or ['name']: a field of a struct, or the value of a key
	stepIndex                  // [1]: an item; [-1] is the last one
	stepEach                   // [*]: every item or value
	stepFilter                 // [?(@.type=="Ready")]: the items for which something holds
)

// filter is what has to hold for an item.
type filter struct {
	fields  []string // the way from the item to what is compared
	not     bool     // != and not ==
	literal any      // a string, an int64 or a bool
}

// parsePath reads the part of JSONPath that columns need.
func parsePath(path string) (steps []pathStep, err error) {
	rest := strings.TrimSpace(path)
	if inner, ok := strings.CutPrefix(rest, "{"); ok {
		rest = strings.TrimSuffix(inner, "}")
	}
	for rest != "" {
		var step pathStep
		switch {
		case rest[0] == '.':
			step.field, rest = cutName(rest[1:])
			if step.field == "" {
				return nil, fmt.Errorf("there is no name behind a dot")
			}
			step.name = "." + step.field
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

func parseBrackets(inside string) (pathStep, error) {
	inside = strings.TrimSpace(inside)
	shown := "[" + inside + "]"
	if inside == "*" {
		return pathStep{kind: stepEach, name: shown}, nil
	}
	if key, ok := unquoted(inside); ok {
		return pathStep{kind: stepName, name: shown, field: key}, nil
	}
	if condition, ok := strings.CutPrefix(inside, "?("); ok && strings.HasSuffix(condition, ")") {
		f, err := parseFilter(strings.TrimSuffix(condition, ")"))
		return pathStep{kind: stepFilter, name: shown, filter: f}, err
	}
	index, err := strconv.Atoi(inside)
	if err != nil {
		return pathStep{}, fmt.Errorf(`%s is none of [1], [*], ["key"] and [?(@.type=="Ready")]`, shown)
	}
	return pathStep{kind: stepIndex, name: shown, index: index}, nil
}

// parseFilter reads @.field==literal and @.field!=literal.
func parseFilter(condition string) (f filter, err error) {
	left, right, ok := strings.Cut(condition, "==")
	if !ok {
		left, right, ok = strings.Cut(condition, "!=")
		f.not = true
	}
	path, isField := strings.CutPrefix(strings.TrimSpace(left), "@.")
	if !ok || !isField || path == "" || strings.ContainsAny(path, "[]()*&|<> ") {
		return f, fmt.Errorf(`the condition %s is not like @.type=="Ready"`, condition)
	}
	f.fields = strings.Split(path, ".")
	right = strings.TrimSpace(right)
	if text, ok := unquoted(right); ok {
		f.literal = text
	} else if number, err := strconv.ParseInt(right, 10, 64); err == nil {
		f.literal = number
	} else if right == "true" || right == "false" {
		f.literal = right == "true"
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
