package apiserver

import (
	"strings"

	"github.com/typeplane/typeplane/generators/load"
	"github.com/typeplane/typeplane/generators/protobuf"
	"github.com/typeplane/typeplane/generators/tag"
	"github.com/typeplane/typeplane/generators/validation"
)

// functions says which functions stand beside the type of a version, or will when this run is over: tags tell, not files.
type functions struct {
	json     bool // AppendJSON_T and ReadJSON_T
	shared   bool // UnmarshalShared_T
	marshal  bool // Marshal_T, which kinds of other modules have
	deepCopy bool // DeepCopy_T, likewise
	validate bool // Validate_T
}

// findFunctions finds out which functions the versions have.
func (p *planner) findFunctions(versions []*version) {
	validated := map[*load.Package]map[string]bool{}
	for _, v := range versions {
		if validated[v.pkg] == nil {
			validated[v.pkg] = validation.Covers(p.pass, v.pkg)
		}
		own := !v.aliased()
		v.functions = functions{
			json:     v.asks(tagJSON, tagJSON),
			shared:   own && p.numbers().Message(v.goType) || !own && v.asks(tagProtobuf, tagMessage),
			marshal:  !own && v.asks(tagProtobuf, tagMessage),
			deepCopy: !own && strings.Split(v.packageTag(tagDeepCopy), ",")[0] == "package",
			validate: validated[v.pkg][v.goType.Name.Name],
		}
	}
}

// asks says whether the type of a version, or else its package, asks for functions.
func (v *version) asks(packageTag, typeTag string) bool {
	if v.typeTag(typeTag) != "" {
		return v.typeTag(typeTag) == "true"
	}
	return v.packageTag(packageTag) == "package"
}

func (v *version) packageTag(name string) string {
	value, _ := tag.Last(v.pkg.DocLines, name)
	return value
}

// typeTag is "" for what a type does not say. The block above its comment may be the package's.
func (v *version) typeTag(name string) string {
	value, found := tag.Last(v.lines, name)
	if !found {
		if value, _ = tag.Last(v.above, name); value == "package" {
			return ""
		}
	}
	return strings.TrimSpace(value)
}

// numbers plans the messages of the run when they are first asked for.
func (p *planner) numbers() *protobuf.Numbers {
	if p.messages == nil {
		p.messages = protobuf.NumbersOf(p.set, p.pass.Packages)
	}
	return p.messages
}
