package openapi

import (
	"go/token"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// planner works through the packages of one run.
type planner struct {
	from   *model.Model
	report *diag.Report
	// names and tried are what is known of a package: how its models are called, and that its
	// comments were read.
	names map[string]packageNames
	tried map[string]bool
	// byPath tells that models are called after import paths, whatever their group.
	byPath bool
	kinds  map[*types.Type][]groupVersionKind // of the kinds of all packages, and of their lists
}

func (p *planner) problem(pos token.Position, where, message, cure string) {
	p.report.Add(diag.Problem{Pos: pos, Path: where, Message: message, Cure: cure})
}

// models collects the schemas of one package's file.
type models struct {
	*planner
	pkg *model.Package
	// kubernetes says that the kinds are Kubernetes' own, resources that the schemas are those of
	// CustomResourceDefinitions: see resource.go.
	kubernetes, resources bool

	done   map[string]*schema // by model name; nil while it waits in queue
	hidden Hidden
	owner  map[string]*types.Type
	queue  []*types.Type
	using  []*types.Type // the names that a schema is being made for
}

func newModels(p *planner, pkg *model.Package) *models {
	return &models{
		planner: p, pkg: pkg, done: map[string]*schema{}, hidden: newHidden(), owner: map[string]*types.Type{},
	}
}

// fieldProblem reports what is wrong at a field. Types of other modules are published as they are:
// nobody can mend them here.
func (m *models) fieldProblem(at place, message, cure string) {
	if m.ours(at.owner) {
		m.problem(m.posOf(at), at.path, message, cure)
	}
}

// misfitMark is misfit for a constraint. For a marker of controller-gen it is a warning, which is
// left to the rules of a kind that is served.
func (m *models) misfitMark(at place, mark mark, message, cure string) {
	switch pkg := m.from.Package(at.owner.Name.Package); {
	case !strings.HasPrefix(mark.tag, kubebuilderFamily):
		m.misfit(at, message, cure)
	case m.ours(at.owner) && !m.from.Serves(pkg):
		m.report.Warn(diag.Problem{Pos: m.posOf(at), Path: at.path, Message: message, Cure: cure})
	}
}

// misfit is fieldProblem for a tag that can't be about what it stands on; the schema is as if it
// were not there.
func (m *models) misfit(at place, message, cure string) {
	if m.ours(at.owner) {
		m.report.Add(diag.Problem{Pos: m.posOf(at), Path: at.path, Message: message, Cure: cure, Idle: true})
	}
}

func (m *models) posOf(at place) token.Position {
	if at.field != nil {
		return m.from.MemberPos(at.owner, at.field.Name)
	}
	return m.from.TypePos(at.owner)
}

// ours says whether a type belongs to the main module; a struct without a name does if it is looked
// at.
func (p *planner) ours(t *types.Type) bool {
	pkg := p.from.Package(t.Name.Package)
	return t.Name.Package == "" || pkg != nil && pkg.Main
}

const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// root is a type that is published for its own sake, with the markers of its declaration.
type root struct {
	*types.Type
	markers model.Markers
}

// Hidden is what schemas say of members that is not seen in Go values. A member is called by the
// import path and name of its struct and by its name in JSON: "example.com/v1.Spec.name".
type Hidden struct {
	// Defaults are those that a Go value does not tell from none, or prints in other words. They
	// are JSON.
	Defaults map[string]string
	// Nullable are the members that may be null.
	Nullable map[string]bool
	// Open are RawExtensions that may be no objects.
	Open map[string]bool
}

func newHidden() Hidden {
	return Hidden{Defaults: map[string]string{}, Nullable: map[string]bool{}, Open: map[string]bool{}}
}

// field is one property of an object and the place that it comes from.
type field struct {
	place
	markers  model.Markers // those of kubebuilder count only in some modules
	depth    int           // how many embedded structs it lies in; the least deep one hides the others
	quoted   bool
	omits    bool // a zero value is not written
	required bool
}
