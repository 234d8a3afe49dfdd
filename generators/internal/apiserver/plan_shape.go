package apiserver

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// checkList reports a list whose JSON is not of the one form that servers write without knowing its
// type.
func (p *planner) checkList(v *version, list *types.Type, pos token.Position) {
	name := v.goType.Name.Name + "List"
	for _, m := range list.Members {
		said := model.JSONOf(m)
		problem := func(cure string) {
			at := p.model.MemberPos(list, m.Name)
			if !at.IsValid() || v.aliased() {
				at = pos
			}
			p.problem(at, name+"."+m.Name, "clients could not read this list", cure)
		}
		switch {
		case m.Name == "TypeMeta" && model.Inlined(m) == nil:
			problem("write the struct tag as `json:\",inline\"`")
		case m.Name == "ListMeta" && said.Name != "metadata":
			problem("write the struct tag as `json:\"metadata,omitempty\"`")
		case m.Name == "Items" && (said.Name != "items" || said.Omits()):
			problem("write the struct tag as `json:\"items\"`")
		case m.Name != "TypeMeta" && m.Name != "ListMeta" && m.Name != "Items" && model.JSONName(m) != "":
			problem("a list has items and metadata and nothing else: take the field away")
		}
	}
}

// checkFields reports fields of served kinds, and of what they are made of, that clients would not
// find under the name that was meant. Those are exported ones without a name in a json tag, and
// others with one.
func (p *planner) checkFields(versions []*version) {
	seen := map[*types.Type]bool{}
	var visit func(t *types.Type)
	visit = func(t *types.Type) {
		for ; t.Elem != nil || t.Kind == types.Alias; t = next(t) {
			if seen[t] {
				return
			}
			seen[t] = t.Name.Package != ""
			p.checkMethods(t)
		}
		pkg := p.model.Package(t.Name.Package)
		if t.Kind != types.Struct || seen[t] || pkg == nil || !pkg.Main {
			return
		}
		seen[t] = true
		p.checkMethods(t)
		if model.Method(t, "MarshalJSON") {
			return // which writes what it wants
		}
		for _, m := range t.Members {
			p.checkField(t, m)
			if model.JSONName(m) != "" || model.Inlined(m) != nil {
				visit(m.Type)
			}
		}
	}
	for _, v := range versions {
		visit(v.goType)
	}
}

// next is what a type is made of or named after.
func next(t *types.Type) *types.Type {
	if t.Kind == types.Alias {
		return t.Underlying
	}
	return t.Elem
}

// checkMethods reports a type of the module with methods for one half of its JSON, which can't be
// read as it is written.
func (p *planner) checkMethods(t *types.Type) {
	pkg := p.model.Package(t.Name.Package)
	if pkg == nil || !pkg.Main {
		return
	}
	switch written, read := model.JSONKinds(t); {
	case written == read || written == "":
	case read == "":
		p.report.Warn(problemAt(p.model.TypePos(t), t.Name.Name, "it reads its own JSON, and does not write it: what is published is "+tagvalue.Article(written), "write MarshalJSON, too"))
	default:
		p.problem(p.model.TypePos(t), t.Name.Name, "in JSON it is written as "+tagvalue.Article(written)+" and read from "+tagvalue.Article(read), "write both methods, MarshalText and UnmarshalText")
	}
}

func (p *planner) checkField(t *types.Type, m types.Member) {
	said, path := model.JSONOf(m), t.Name.Name+"."+m.Name
	switch {
	case !token.IsExported(m.Name) && !m.Embedded && said.Name != "":
		p.problem(p.model.MemberPos(t, m.Name), path, fmt.Sprintf("it is called %s in JSON, and it is not exported, so that clients never see it", said.Name),
			"begin its name with a capital letter, or take the json tag away")
	case !token.IsExported(m.Name):
	case m.Embedded && m.Name == "TypeMeta" && model.Inlined(m) == nil:
		p.problem(p.model.MemberPos(t, m.Name), path, "clients could not find apiVersion and kind", "write the struct tag as `json:\",inline\"`")
	case m.Embedded && m.Name == "ObjectMeta" && said.Name != "metadata":
		p.problem(p.model.MemberPos(t, m.Name), path, "clients could not find the metadata", "write the struct tag as `json:\"metadata,omitempty\"`")
	case !m.Embedded && !said.Left && said.Name == "":
		lacks := "it has no json tag"
		if said.Said {
			lacks = "its json tag gives it no name"
		}
		p.problem(p.model.MemberPos(t, m.Name), path, fmt.Sprintf("%s, so that clients would have to write %s with a capital letter", lacks, m.Name),
			"give it the name for clients, like `json:\""+firstLower(m.Name)+"\"`, or leave it out with `json:\"-\"`")
	case said.Inline && said.Name != "":
		p.report.Warn(problemAt(p.model.MemberPos(t, m.Name), path, fmt.Sprintf("inline has no effect in its json tag: JSON has it as %s, and controller-gen puts its fields in its place", said.Name),
			"take inline away, or the name"))
	}
}

// storedBefore finds the storage versions in the file that the last run printed.
var storedBefore = regexp.MustCompile(`GroupKind:\s+schema\.GroupKind\{(?:Group: "([^"]*)", )?Kind: "([^"]*)"\},(?:\n.*?)*?\n\s+StorageVersion:\s+schema\.GroupVersion\{(?:Group: "([^"]*)", )?Version: "([^"]*)"\}`)

// checkStorageMoves warns of kinds that are stored in another version from now on although no
// marker says so: a version was added that is better than the others.
func (p *planner) checkStorageMoves(s *server) {
	data, err := os.ReadFile(filepath.Join(s.pkg.Dir, fileName))
	if err != nil {
		return // there was no run before
	}
	before := map[schema.GroupKind]schema.GroupVersion{}
	for _, m := range storedBefore.FindAllStringSubmatch(string(data), -1) {
		before[schema.GroupKind{Group: m[1], Kind: m[2]}] = schema.GroupVersion{Group: m[3], Version: m[4]}
	}
	for _, h := range s.hubs {
		was, known := before[h.groupKind]
		if !known || was == h.storage.gv || h.storage.markers.Has(tagStorageVersion) {
			continue
		}
		moved := problemAt(h.storage.pos, h.groupKind.Kind, fmt.Sprintf("it is stored in %s from now on, and was in %s", h.storage.gv, was),
			"servers of the release before must be able to read it; say +"+tagStorageVersion+" in the version that is meant")
		moved.Passing = true
		p.report.Warn(moved)
	}
}

func firstLower(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}
