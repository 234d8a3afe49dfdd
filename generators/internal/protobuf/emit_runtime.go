package protobuf

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/typeplane/typeplane/generators/internal/copied"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/runtime/protobuf"
)

// What printed code imports.
const (
	runtimePackage      = "github.com/typeplane/typeplane/runtime/protobuf"
	apimachineryPackage = "github.com/typeplane/typeplane/runtime/protobuf/apimachinery"
)

// runtime is what printed code leans on.
var runtime = copied.New("runtime/protobuf", protobuf.Source, inlined)

// calledByHand are the pieces that hand-written code of a package calls by the names that
// Kubernetes' generated code has.
func calledByHand(pkg *model.Package) map[string]bool {
	used := map[string]bool{}
	for _, name := range []string{"encodeVarint", "SizeVarint", "skipField", "ValueToString", "ErrInvalidLength", "ErrIntOverflow", "ErrUnexpectedEndOfGroup"} {
		if pkg.Mentions(inlined(name)) {
			used[name] = true
		}
	}
	return used
}

// inlined is the name that a declaration of the runtime has in a copy. Those that Kubernetes'
// generated code has too keep its names, because hand-written Marshal methods call them.
func inlined(name string) string {
	switch {
	case name == "SizeVarint":
		return "sovGenerated"
	case name == "skipField":
		return "skipGenerated"
	case strings.HasPrefix(name, "Err"):
		return name + "Generated"
	}
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:] + "Generated"
}
