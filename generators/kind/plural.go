package kind

import "strings"

// Plural is the plural of most English nouns, in lower case as they are: what the resource of a kind is called. Kinds with
// another one say +kubebuilder:resource:path=.
func Plural(noun string) string {
	n := len(noun)
	switch {
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "z"),
		strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	case n > 1 && noun[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(noun[n-2])):
		return noun[:n-1] + "ies"
	}
	return noun + "s"
}
