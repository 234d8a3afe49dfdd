package conversion

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// planner makes the plan of one package.
type planner struct {
	model   *model.Model
	out     *model.Package // where functions are printed
	version *model.Package // where the versioned types are
	hubs    []*model.Package
	others  []*model.Package // whose hand-written functions count too
	report  *diag.Report

	printed map[way]string // functions of this file
	equals  map[way]bool   // answers of equal
	// inlined are the structs that are being converted in place, each in the one before.
	inlined []way
	ours    map[string]*model.Package // answers of mainPackage

	keepers    []keeper
	parts      map[*types.Type]bool            // see partsOf
	inList     bool                            // whether the function being planned converts a list of kinds
	equalities map[*types.Type]*structEquality // functions that keepers need
}

func newPlanner(m *model.Model, pkg, version *model.Package, hubs []*model.Package, report *diag.Report) *planner {
	return &planner{
		model: m, out: pkg, version: version, hubs: hubs, others: converting(m, pkg), report: report,
		printed: map[way]string{}, equals: map[way]bool{}, ours: map[string]*model.Package{},
		equalities: map[*types.Type]*structEquality{},
	}
}

// leftOut tells whether a field has the tag that keeps it from being converted.
func (p *planner) leftOut(owner *types.Type, m types.Member) bool {
	value, ok := p.model.OfField(owner, m.Name).Last(tagName)
	return ok && value == "false"
}

func member(t *types.Type, name string) (types.Member, bool) {
	for _, m := range t.Members {
		if m.Name == name {
			return m, true
		}
	}
	return types.Member{Type: types.Any}, false
}

// jsonName is what the API's users call a field: the name that the first of its declarations with a
// JSON name has.
func jsonName(declared ...types.Member) string {
	for _, m := range declared {
		if j := model.JSONOf(m); j.Name != "" {
			return j.Name
		}
	}
	return declared[0].Name
}

// gap is a field that nothing converts.
type gap struct {
	field   string
	peer    string // the field of the other type, "" if there is none
	why     string
	invalid bool // the Go is wrong, no function would help
	needs   *way // types for which a function would close the gap, nil if only one for the whole struct would
}

// keeper is a kind of which conversion may lose something, and the functions that keep it.
type keeper struct {
	Pair
	toHub, fromHub string
	fields         []lostField
}

// way is a direction of conversion.
type way struct{ in, out *types.Type }

// shape says of a value in the hub what its JSON does not. It becomes a losslessShape of the same
// fields; nil if there is nothing to say.
type shape struct {
	isMap, isList, aligned bool
	keys                   []string
	elem                   *shape
	fields                 []shapeField
}

// lostField is a field of the hub that conversion may lose, whole or in part.
type lostField struct {
	path  []string // of names, from the kind
	same  equality
	shape *shape
}

// losslessName is the tag that asks for conversions of kinds that lose nothing.
const losslessName = "typeplane:conversion:lossless"

type shapeField struct {
	key string // in the JSON
	*shape
}

// Pair is a type of a version and the one in its hub that it converts to and from.
type Pair struct {
	Version, Hub *types.Type
	// ToHub and FromHub are the names of the functions, which are in the package that was asked
	// about.
	ToHub, FromHub string
}

const (
	tagName      = "k8s:conversion-gen"
	externalName = "k8s:conversion-gen-external-types"
	functionName = "k8s:conversion-fn"
)
