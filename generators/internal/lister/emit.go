package lister

import (
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
)

func selector() emit.Ident {
	return emit.Ident{Path: "k8s.io/apimachinery/pkg/labels", Name: "Selector"}
}

func listers(name string) emit.Ident { return emit.Ident{Path: "k8s.io/client-go/listers", Name: name} }

// print prints the listers of a version.
func print(pass *generators.Pass, set *clients.Set, v *clients.Version) {
	at := set.Listers.Below(v.Path())
	kinds := slices.DeleteFunc(slices.Clone(v.Kinds), func(k *clients.Kind) bool { return !k.Lister() })
	if len(kinds) == 0 {
		return
	}
	name := v.PackageName()
	printExpansions(pass.FileIn(set.Package, at.Dir, at.Path, name, "expansion_generated.go", generator), at, kinds)
	for _, k := range kinds {
		f := pass.FileIn(set.Package, at.Dir, at.Path, name, k.ForFile()+".go", generator)
		f.Reserve("s", "ret", "err", "selector", "name", "namespace", "indexer")
		printLister(f, k)
		if k.Namespaced {
			printNamespaced(f, k)
		}
	}
}

// printExpansions prints the interfaces that methods written by hand go into, where nobody has
// written them yet.
func printExpansions(f *emit.File, at clients.Place, kinds []*clients.Kind) {
	for _, k := range kinds {
		byHand := strings.ToLower(k.Name) + "_expansion.go"
		if at.Has(byHand) {
			continue
		}
		f.P("// ", k.Name, "ListerExpansion is for methods of ", k.Name, "Lister that are written by hand, in ", byHand, ".")
		f.P("type ", k.Name, "ListerExpansion interface{}")
		f.P()
		if k.Namespaced {
			f.P("// ", k.Name, "NamespaceListerExpansion is the same for ", k.Name, "NamespaceLister.")
			f.P("type ", k.Name, "NamespaceListerExpansion interface{}")
			f.P()
		}
	}
}

// printLister prints the lister of a kind in all namespaces.
func printLister(f *emit.File, k *clients.Kind) {
	private := lower(k.Name) + "Lister"
	f.P("// ", k.Name, "Lister reads ", k.Resource, " from a cache. What it returns is shared with others and must not be modified.")
	f.P("type ", k.Name, "Lister interface {")
	f.P("// List returns those that a selector matches.")
	f.P("List(selector ", selector(), ") (ret []*", k.Type, ", err error)")
	if k.Namespaced {
		f.P("// ", k.Plural, " reads those in one namespace.")
		f.P(k.Plural, "(namespace string) ", k.Name, "NamespaceLister")
	} else {
		printGet(f, k)
	}
	f.P(k.Name, "ListerExpansion")
	f.P("}")
	f.P()
	f.P("// ", private, " is the ", k.Name, "Lister over an indexer; methods written by hand may use it.")
	f.P("type ", private, " struct {")
	f.P(listers("ResourceIndexer"), "[*", k.Type, "]")
	f.P("}")
	f.P()
	f.P("// New", k.Name, "Lister makes a lister that reads from an indexer.")
	f.P("func New", k.Name, "Lister(indexer ", emit.Ident{Path: "k8s.io/client-go/tools/cache", Name: "Indexer"}, ") ", k.Name, "Lister {")
	f.P("return &", private, "{", listers("New"), "[*", k.Type, "](indexer, ", emit.Ident{Path: k.Version.Package.Path, Name: "Resource"}, "(\"", k.ForFile(), "\"))}")
	f.P("}")
	f.P()
}

// printNamespaced prints the lister of a kind in one namespace.
func printNamespaced(f *emit.File, k *clients.Kind) {
	private := lower(k.Name)
	f.P("// ", k.Plural, " reads those in one namespace.")
	f.P("func (s *", private, "Lister) ", k.Plural, "(namespace string) ", k.Name, "NamespaceLister {")
	f.P("return ", private, "NamespaceLister{", listers("NewNamespaced"), "[*", k.Type, "](s.ResourceIndexer, namespace)}")
	f.P("}")
	f.P()
	f.P("// ", k.Name, "NamespaceLister reads the ", k.Resource, " of one namespace from a cache. What it returns is shared with")
	f.P("// others and must not be modified.")
	f.P("type ", k.Name, "NamespaceLister interface {")
	f.P("// List returns those that a selector matches.")
	f.P("List(selector ", selector(), ") (ret []*", k.Type, ", err error)")
	printGet(f, k)
	f.P(k.Name, "NamespaceListerExpansion")
	f.P("}")
	f.P()
	f.P("// ", private, "NamespaceLister is the ", k.Name, "NamespaceLister over an indexer.")
	f.P("type ", private, "NamespaceLister struct {")
	f.P(listers("ResourceIndexer"), "[*", k.Type, "]")
	f.P("}")
}

func printGet(f *emit.File, k *clients.Kind) {
	f.P("// Get returns the one of a name, or an error for which apierrors.IsNotFound is true.")
	f.P("Get(name string) (*", k.Type, ", error)")
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
