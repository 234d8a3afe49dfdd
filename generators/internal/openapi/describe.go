package openapi

import "strings"

// describe turns comment lines into a description, by the rules that Kubernetes documents its own
// types with. Tags and one-line TODOs are left out, and "---" ends what is meant for users. An
// empty line ends a paragraph. The lines of a paragraph are joined, but an indented line stays a
// line of its own.
func describe(lines []string) string {
	var text []byte
	// Each piece ends in a separator, which gives way to a separator that the next piece brings.
	replaceSeparator := func(by string) {
		if len(text) > 0 {
			text = text[:len(text)-1]
		}
		text = append(text, by...)
	}
	for _, line := range lines {
		if line == "---" {
			break
		}
		line = strings.TrimRight(line, " ")
		content := strings.TrimLeft(line, " ")
		switch {
		case line == "":
			replaceSeparator("\n\n")
		case strings.HasPrefix(content, "TODO"), strings.HasPrefix(content, "+"):
		case line[0] == ' ' || line[0] == '\t':
			replaceSeparator("\n" + line + "\n")
		default:
			text = append(text, line+" "...)
		}
	}
	return strings.TrimSpace(string(text))
}
