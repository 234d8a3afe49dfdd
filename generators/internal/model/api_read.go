package model

import (
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// APIs are what clients see of packages: of those that say +groupName= and hold kinds that are
// sent. A package of hub types, which carry no json tags, is none of them. What one version of a
// kind says about names holds for all.
func (m *Model) APIs(packages []*Package) []*API {
	r := m.Reader()
	var out []*API
	for _, pkg := range packages {
		if api := r.api(pkg); api != nil {
			out = append(out, api)
		}
	}
	shareNames(out)
	return out
}

// Reader reads packages, types and fields of one model into plain data. It is for one plug-in,
// since reading claims markers.
type Reader struct {
	model     *Model
	known     map[*types.Type]*Type
	commented map[string]bool    // packages whose comments were asked for
	numbers   map[string]numbers // protobuf, by package
}

// Reader begins to read.
func (m *Model) Reader() *Reader {
	return &Reader{model: m, known: map[*types.Type]*Type{}, commented: map[string]bool{}, numbers: map[string]numbers{}}
}

// Doc is the comment above a declared type for clients: without tags.
func (r *Reader) Doc(t *types.Type) []string {
	r.comments(t.Name.Package)
	return prose(r.model.Doc(t))
}

// api is nil for a package that offers nothing.
func (r *Reader) api(pkg *Package) *API {
	group, version, ok := r.model.GroupVersion(pkg)
	if !ok {
		return nil
	}
	api := &API{
		Group: group, Version: version, Path: pkg.Path, Dir: pkg.Dir,
		Pos: r.model.PackagePos(pkg), Doc: prose(r.model.PackageDoc(pkg)),
	}
	for _, t := range pkg.Types.Types {
		if token.IsExported(t.Name.Name) && Embeds(t, "TypeMeta") && Embeds(t, "ObjectMeta") && InJSON(t) {
			api.Kinds = append(api.Kinds, r.kind(t, t.Name.Name, r.model.OfType(t), r.model.Doc(t), r.model.TypePos(t)))
		}
	}
	for _, a := range r.model.Aliases(pkg) {
		if r.model.IsKind(a) {
			api.Kinds = append(api.Kinds, r.kind(a.Target, a.Name, r.model.OfAlias(a), r.model.DocOfAlias(a), r.model.AliasPos(a)))
		}
	}
	api.Kinds = slices.DeleteFunc(api.Kinds, func(k *Kind) bool { return k == nil })
	for _, k := range api.Kinds {
		list := k.Name + "List"
		k.Listed = pkg.Types.Types[list] != nil || slices.ContainsFunc(pkg.Aliases, func(a Alias) bool { return a.Name == list })
	}
	if len(api.Kinds) == 0 {
		return nil
	}
	if !slices.ContainsFunc(api.Kinds, func(k *Kind) bool { return k.Listed }) {
		for _, k := range api.Kinds {
			k.Listed = true // a package without any lists has them elsewhere
		}
	}
	slices.SortFunc(api.Kinds, func(a, b *Kind) int { return strings.Compare(a.Name, b.Name) })
	api.Types = reached(api)
	return api
}

// reached are the structs and enums behind the kinds of an API.
func reached(api *API) []*Type {
	seen := map[*Type]bool{}
	var out []*Type
	var visit func(s *Shape)
	add := func(t *Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		out = append(out, t)
		for _, f := range t.Fields {
			visit(&f.Shape)
		}
	}
	visit = func(s *Shape) {
		for ; s != nil; s = s.Elem {
			add(s.Struct)
			add(s.Named)
		}
	}
	for _, k := range api.Kinds {
		add(k.Type)
	}
	out = slices.DeleteFunc(out, func(t *Type) bool {
		return slices.ContainsFunc(api.Kinds, func(k *Kind) bool { return k.Type == t })
	})
	slices.SortFunc(out, func(a, b *Type) int {
		if own := a.Path == api.Path; own != (b.Path == api.Path) {
			if own {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name+" "+a.Path, b.Name+" "+b.Path)
	})
	return out
}

// comments makes sure that types of a package have their comments; they lack them if its source
// can't be read.
func (r *Reader) comments(pkgPath string) {
	if pkgPath != "" && !r.commented[pkgPath] {
		r.commented[pkgPath] = true
		_ = r.model.DependencyComments(pkgPath)
	}
}

// value is what the last tag of the first of these names says; "" if none is there.
func value(markers Markers, names ...string) string {
	for _, name := range names {
		if v, ok := markers.Last(name); ok {
			return v
		}
	}
	return ""
}

func has(markers Markers, names ...string) bool {
	return slices.ContainsFunc(names, markers.On)
}

// prose is a comment without tags, TODOs and what stands below a line of dashes, which is not for
// clients.
func prose(lines []string) []string {
	var out []string
	for _, line := range lines {
		text := strings.TrimSpace(line)
		if text == "---" {
			break
		}
		if strings.HasPrefix(text, "+") && !strings.HasPrefix(text, "+ ") || strings.HasPrefix(text, "TODO") {
			continue
		}
		if text == "" && (len(out) == 0 || strings.TrimSpace(out[len(out)-1]) == "") {
			continue
		}
		out = append(out, strings.TrimRight(line, " \t"))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
