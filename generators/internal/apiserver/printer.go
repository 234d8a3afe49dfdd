package apiserver

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// printer prints one server.
type printer struct {
	*emit.File
	s *server
}

func (p printer) runtime(name string) emit.Ident { return emit.Ident{Path: runtimePath, Name: name} }

func (p printer) groupKind(gk schema.GroupKind) string {
	return fmt.Sprintf("%s{Group: %q, Kind: %q}", p.Ident(schemaPath, "GroupKind"), gk.Group, gk.Kind)
}

func (p printer) groupVersion(gv schema.GroupVersion) string {
	return fmt.Sprintf("%s{Group: %q, Version: %q}", p.Ident(schemaPath, "GroupVersion"), gv.Group, gv.Version)
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

// ident is the type of a version as it is called where the kind is declared.
func (v *version) ident() emit.Ident { return emit.Ident{Path: v.pkg.Path, Name: v.goType.Name.Name} }

// ident is the hub type: by the name that one of the versions gives it, if it is one.
func (h *hub) ident() emit.Ident {
	for _, v := range h.versions {
		if v.goType == h.goType {
			return v.ident()
		}
	}
	return emit.Ident{Path: h.goType.Name.Package, Name: h.goType.Name.Name}
}

func stringList(items []string) string {
	quotedItems := make([]string, len(items))
	for i, item := range items {
		quotedItems[i] = quoted(item)
	}
	return "[]string{" + strings.Join(quotedItems, ", ") + "}"
}

// What the printed code uses.
const (
	rootPath       = "github.com/typeplane/typeplane"
	registryPath   = "github.com/typeplane/typeplane/registry"
	runtimePath    = "github.com/typeplane/typeplane/runtime"
	wirePath       = "github.com/typeplane/typeplane/runtime/wire"
	apiruntimePath = "k8s.io/apimachinery/pkg/runtime"
	schemaPath     = "k8s.io/apimachinery/pkg/runtime/schema"
)
