package rule

import (
	"errors"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
)

// Planner plans the validation of all packages of a run.
type Planner struct {
	Model  *model.Model
	Report *diag.Report
	Rules  *Set
	table  *tag.Table
	// Outputs are the packages that functions are printed into, by the package of the types.
	Outputs map[string]string
	// findings are those under the law that holds for the type at hand: see law.go.
	*findings
	laws map[Law]*findings
	// Claimed are hand-written functions that are called.
	Claimed map[emit.Ident]bool
	// commented are packages whose comments have been read.
	commented map[string]bool
	// Lacking says what makes that generated code can import a module; "" if it can.
	Lacking func(path string) string
}

// NewPlanner is a planner that knows rules.
func NewPlanner(pass *generators.Pass, rules *Set) *Planner {
	p := &Planner{
		Model: pass.Model, Report: pass.Report, Rules: rules, table: tag.NewTable(rules.Definitions()),
		Outputs: map[string]string{}, laws: map[Law]*findings{}, Claimed: map[emit.Ident]bool{},
		commented: map[string]bool{}, Lacking: lacking(pass),
	}
	p.Under(OfTypes)
	return p
}

// lacking asks about each module once.
func lacking(pass *generators.Pass) func(string) string {
	known := map[string]string{}
	return func(path string) string {
		if pass.InlineRuntime {
			return "run gen without --inline-runtime, and go get " + path
		}
		if _, ok := known[path]; !ok {
			known[path] = ""
			if len(pass.Model.Unreachable([]string{path})) > 0 {
				known[path] = "run go get " + path
			}
		}
		return known[path]
	}
}

// Problem reports what is wrong with a marker, or with what the markers at an origin say together
// if it is nil. In a package of another module nobody can mend it, so the rule is left out, with a
// warning if it would hold. What is returned is a comment for the generated code that says so.
func (p *Planner) Problem(o Origin, mk *model.Marker, name string, err error) []string {
	f := plan.Fault{Message: err.Error()}
	errors.As(err, &f)
	problem := diag.Problem{Path: o.Owner.Name.Name, Message: f.Message, Cure: f.Cure}
	if o.Field != "" {
		problem.Path += "." + o.Field
	}
	if name != "" {
		problem.Message = "+" + name + ": " + f.Message
	}
	switch {
	case mk != nil:
		problem.Pos = mk.Pos
	case o.Field != "":
		problem.Pos = p.Model.MemberPos(o.Owner, o.Field)
	default:
		problem.Pos = p.Model.TypePos(o.Owner)
	}
	if p.Foreign(o.Owner) && !f.Needed {
		if p.Law == OfResources && ofControllerGen(name) || ofDeclarative(mk) {
			problem.Path = o.Owner.Name.Package + "." + problem.Path
			problem.Message = "+" + name + " is not checked: " + f.Message
			if !f.Anywhere {
				problem.Cure = "write the rule in the strategy's Validate"
			}
			p.Report.Warn(problem)
		}
		if mk == nil {
			return []string{" is not checked: " + f.Message}
		}
		return []string{mk.Text + " is not checked: " + f.Message}
	}
	if f.Misfit && ofControllerGen(name) {
		problem.Message = "+" + name + " has no effect: " + f.Message
		p.Report.Warn(problem)
		return nil
	}
	p.Report.Add(problem)
	return nil
}

// ReadComments makes the comments of a package known, so that its tags count.
func (p *Planner) ReadComments(path string) {
	if path == "" || p.commented[path] {
		return
	}
	p.commented[path] = true
	_ = p.Model.DependencyComments(path) // without comments there are no tags
}

// IsRule tells whether a marker is a rule for whose sake functions are printed. Tags that describe
// types to other plug-ins too count where there are functions anyway.
func (p *Planner) IsRule(mk *model.Marker) bool {
	r, ok := p.Rules.Find(tag.NameOf(mk.Text))
	if ok && p.Law == OfKubernetes && !p.counts(r, Origin{}) {
		return false
	}
	switch r.Name {
	case "enum", "listMapKey":
		return false
	case "listType":
		return mk.Text == "+listType=set" || mk.Text == "+listType=map"
	default:
		return ok
	}
}

// ofDeclarative tells whether a marker is a tag of declarative validation that is in force.
func ofDeclarative(mk *model.Marker) bool {
	return mk != nil && strings.HasPrefix(mk.Text, "+k8s:") && !strings.HasPrefix(mk.Text, "+"+OpenAPI) && mk.Name != "k8s:alpha"
}

// ofControllerGen tells whether a marker is one that controller-gen reads.
func ofControllerGen(name string) bool {
	return strings.HasPrefix(name, Kubebuilder) || name == "listType" || name == "listMapKey"
}
