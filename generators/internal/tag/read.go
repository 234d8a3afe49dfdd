package tag

import (
	"fmt"
	"strconv"
	"strings"
)

// RawValue returns what stands behind the first "=" that is not inside the parentheses of
// arguments.
func RawValue(rest string) string {
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

// ParseArguments reads what stands behind the name of a marker of the form
// "+name:key=value,key=value" or "+name=value", whose key is "". Values may be quoted with " or `;
// lists ("{a,b}" or "a;b") are returned as written, see List.
func ParseArguments(rest string) ([]Argument, error) {
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

// unquote takes the quotes off a text. A list of texts in quotes, like "a";"b", stays as it is: see
// List.
func unquote(s string) string {
	if parts, err := split(s, ';'); err == nil && len(parts) > 1 {
		return s
	}
	if text, err := strconv.Unquote(s); err == nil && s[0] != '\'' {
		return text
	}
	if len(s) >= 2 && s[0] == '`' && s[len(s)-1] == '`' {
		return s[1 : len(s)-1]
	}
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(s[1 : len(s)-1])
	}
	return s
}
