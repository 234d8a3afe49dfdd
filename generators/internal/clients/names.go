package clients

import (
	"go/token"
	"regexp"
	"strings"

	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// upper and lower change the first letter.
func upper(s string) string { return namer.IC(s) }
func lower(s string) string { return namer.IL(s) }

// identifier takes out of a name what can't be in one of Go, and puts a capital after it.
func identifier(s string) string {
	return notInNames.ReplaceAllStringFunc(s, func(found string) string {
		return strings.ToUpper(strings.TrimLeft(found, notLetters))
	})
}

const notLetters = "-_./"

var notInNames = regexp.MustCompile(`[-_./]+[^-_./]?`)

// variable is a name for a variable: one that Go needs for itself gets another letter.
func variable(s string) string {
	if token.IsKeyword(s) {
		return s + "_"
	}
	return s
}

// pluralOf is the plural of a type's name as k8s.io/code-generator makes it.
func pluralOf(t *types.Type, exceptions map[string]string) string {
	return namer.NewPublicPluralNamer(exceptions).Name(t)
}

// TitleOf is a word of paths as a part of a name in Go: Scale for scale.
func TitleOf(word string) string { return identifier(upper(strings.ToLower(word))) }
