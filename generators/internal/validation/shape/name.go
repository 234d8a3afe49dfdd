package shape

import (
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

func Article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// KindName says what a type is, as a problem names it.
func KindName(t *types.Type) string {
	n := Native(t)
	pointer := ""
	if n.Kind == types.Pointer {
		pointer, n = "pointer to a ", model.Pointee(n)
	}
	switch {
	case n.Kind == types.Slice || n.Kind == types.Array:
		return pointer + "list"
	case n.Kind == types.Map:
		return pointer + "map"
	case n.Kind == types.Struct:
		return pointer + "struct"
	case n.Kind == types.Interface:
		return pointer + "interface"
	case IsInt(n):
		return pointer + "integer"
	case IsFloat(n):
		return pointer + "floating-point number"
	}
	return pointer + n.Name.Name
}

// AKind is kindName with its article.
func AKind(t *types.Type) string { return Article(KindName(t)) }
