package validation

import (
	"errors"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/model"
	"github.com/typeplane/typeplane/generators/tag"
)

// The packages of apimachinery that printed code uses.
const (
	validatePath  = "k8s.io/apimachinery/pkg/api/validate"
	operationPath = "k8s.io/apimachinery/pkg/api/operation"
	safePath      = "k8s.io/apimachinery/pkg/api/safe"
	equalityPath  = "k8s.io/apimachinery/pkg/api/equality"
	fieldPath     = "k8s.io/apimachinery/pkg/util/validation/field"
	metaV1        = "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// planner plans the validation of all packages of a run.
type planner struct {
	model  *model.Model
	report *diag.Report
	rules  *ruleSet
	table  *tag.Table
	// outputs are the packages that functions are printed into, by the package of the types.
	outputs map[string]string
	// findings are those under the law that holds for the type at hand: see law.go.
	*findings
	laws map[law]*findings
	// claimed are hand-written functions that are called.
	claimed map[emit.Ident]bool
	// commented are packages whose comments have been read.
	commented map[string]bool
}

func newPlanner(pass *generators.Pass) *planner {
	rules := newRuleSet()
	p := &planner{
		model: pass.Model, report: pass.Report, rules: rules, table: tag.NewTable(rules.definitions()),
		outputs: map[string]string{}, laws: map[law]*findings{}, claimed: map[emit.Ident]bool{},
		commented: map[string]bool{},
	}
	p.under(ofTypes)
	return p
}

// problem reports what is wrong with a marker, or with what the markers at an origin say together if it is nil. In a
// package of another module nobody can mend it: the rule is left out, and what is returned is a comment for the generated
// code that says so.
func (p *planner) problem(o origin, mk *model.Marker, name string, err error) []string {
	f := fault{message: err.Error()}
	errors.As(err, &f)
	if pkg := p.model.Package(o.owner.Name.Package); pkg != nil && !pkg.Main {
		if mk == nil {
			return []string{" is not checked: " + f.message}
		}
		return []string{mk.Text + " is not checked: " + f.message}
	}
	problem := diag.Problem{Path: o.owner.Name.Name, Message: f.message, Cure: f.cure}
	if o.field != "" {
		problem.Path += "." + o.field
	}
	if name != "" {
		problem.Message = "+" + name + ": " + f.message
	}
	switch {
	case mk != nil:
		problem.Pos = mk.Pos
	case o.field != "":
		problem.Pos = p.model.MemberPos(o.owner, o.field)
	default:
		problem.Pos = p.model.TypePos(o.owner)
	}
	p.report.Add(problem)
	return nil
}

// readComments makes the comments of a package known, so that its tags count.
func (p *planner) readComments(path string) {
	if path == "" || p.commented[path] {
		return
	}
	p.commented[path] = true
	_ = p.model.DependencyComments(path) // without comments there are no tags
}

// isRule tells whether a marker is a rule for whose sake functions are printed. Tags that describe types to other plug-ins
// too count where there are functions anyway.
func (p *planner) isRule(mk *model.Marker) bool {
	r, ok := p.rules.find(tag.NameOf(mk.Text))
	if ok && p.law == ofKubernetes && !p.counts(r, origin{}) {
		return false
	}
	switch r.name {
	case "enum", "listMapKey":
		return false
	case "listType":
		return mk.Text == "+listType=set" || mk.Text == "+listType=map"
	default:
		return ok
	}
}
