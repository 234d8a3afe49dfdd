package tag

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/codetags"
)

// Values returns the raw text behind the equals sign of each tag of this name in comment lines, in order; a tag
// without a value counts as "". It is nil if the tag is not there.
func Values(lines []string, name string) []string {
	var out []string
	for _, line := range codetags.Extract("+", lines)[name] {
		out = append(out, rawValue(line[len(name):]))
	}
	return out
}

// Last returns the value of the last tag of this name and whether there is one.
func Last(lines []string, name string) (string, bool) {
	values := Values(lines, name)
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// Has tells whether a tag of this name is in the lines.
func Has(lines []string, name string) bool { return len(codetags.Extract("+", lines)[name]) > 0 }

// rawValue returns what stands behind the first "=" that is not inside the parentheses of arguments.
func rawValue(rest string) string {
	depth := 0
	for i, r := range rest {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '=' && depth == 0:
			return strings.TrimRight(rest[i+1:], " \t")
		}
	}
	return ""
}

// Argument is one key and value of a marker of the kubebuilder form.
type Argument struct{ Key, Value string }

// Arguments reads markers of the form "+name:key=value,key=value" and "+name=value" (whose key is ""), one list for
// each marker in the lines. Values may be quoted with " or `; lists ("{a,b}" or "a;b") are returned as written, see
// List.
func Arguments(lines []string, name string) ([][]Argument, error) {
	var out [][]Argument
	for _, line := range lines {
		line = strings.TrimSpace(line)
		rest, ok := strings.CutPrefix(line, "+"+name)
		if !ok || rest != "" && rest[0] != ':' && rest[0] != '=' {
			continue
		}
		args, err := arguments(rest)
		if err != nil {
			return nil, fmt.Errorf("+%s%s: %w", name, rest, err)
		}
		out = append(out, args)
	}
	return out, nil
}

func arguments(rest string) ([]Argument, error) {
	if rest == "" {
		return nil, nil
	}
	if value, ok := strings.CutPrefix(rest, "="); ok {
		return []Argument{{Value: unquote(value)}}, nil
	}
	var out []Argument
	parts, err := split(rest[1:], ',')
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		key, value, _ := strings.Cut(part, "=")
		if key = strings.TrimSpace(key); key == "" {
			return nil, fmt.Errorf("want key=value, got %q", part)
		}
		out = append(out, Argument{Key: key, Value: unquote(strings.TrimSpace(value))})
	}
	return out, nil
}

// List splits the value of an argument that is a list: "a;b" or "{a,b}".
func List(value string) []string {
	sep := byte(';')
	if inner, ok := strings.CutPrefix(value, "{"); ok && strings.HasSuffix(inner, "}") {
		value, sep = strings.TrimSuffix(inner, "}"), ','
	}
	if strings.TrimSpace(value) == "" {
		return nil
	}
	parts, err := split(value, sep)
	if err != nil {
		return []string{value}
	}
	for i := range parts {
		parts[i] = unquote(strings.TrimSpace(parts[i]))
	}
	return parts
}

// split cuts at sep outside quotes and braces.
func split(s string, sep byte) ([]string, error) {
	var out []string
	var quote byte
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == sep && depth == 0:
			out, from = append(out, s[from:i]), i+1
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	return append(out, s[from:]), nil
}

func unquote(s string) string {
	if len(s) >= 2 && s[0] == '`' && s[len(s)-1] == '`' {
		return s[1 : len(s)-1]
	}
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(s[1 : len(s)-1])
	}
	return s
}
