package validation

import (
	"errors"
	"strings"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/load"
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
	set    *load.Set
	report *diag.Report
	rules  *ruleSet
	table  *tag.Table
	// servers are the packages that the run makes servers in; they serve the kinds below.
	servers []string

	// outputs are the packages that functions are printed into, by the package of the types.
	outputs map[string]string
	// findings are those under the law that holds for the type at hand: see law.go.
	*findings
	laws map[law]*findings
	// claimed are hand-written functions that are called.
	claimed map[emit.Ident]bool
	// commented are packages whose comments have been read.
	commented map[string]bool
	tagLines  map[string][]load.TagLine
}

func newPlanner(pass *generators.Pass) *planner {
	rules := newRuleSet()
	p := &planner{
		set: pass.Set, report: pass.Report, rules: rules, table: tag.NewTable(rules.definitions()),
		outputs: map[string]string{}, laws: map[law]*findings{}, claimed: map[emit.Ident]bool{},
		commented: map[string]bool{}, tagLines: map[string][]load.TagLine{},
	}
	p.under(ofTypes)
	for _, pkg := range pass.Packages {
		if tag.Has(pkg.DocLines, tagServer) {
			p.servers = append(p.servers, pkg.Path)
		}
	}
	return p
}

// problem reports what is wrong with a tag in a comment. In a package of another module nobody can mend it: the rule is
// left out, and what is returned is a comment for the generated code that says so.
func (p *planner) problem(o origin, line, name string, err error) []string {
	f := fault{message: err.Error()}
	errors.As(err, &f)
	if pkg := p.set.Package(o.owner.Name.Package); pkg != nil && !pkg.Main {
		return []string{strings.TrimSpace(line) + " is not checked: " + f.message}
	}
	path := o.owner.Name.Name
	if o.field != "" {
		path += "." + o.field
	}
	problem := diag.Problem{Path: path, Message: f.message, Cure: f.cure}
	if name != "" {
		problem.Message = "+" + name + ": " + f.message
	}
	problem.Pos = p.set.TypePos(o.owner)
	if o.field != "" {
		problem.Pos = p.set.MemberPos(o.owner, o.field)
	}
	for _, t := range p.linesOf(o.owner.Name.Package) {
		if t.Path == path && strings.TrimSpace(t.Text) == strings.TrimSpace(line) {
			problem.Pos = t.Pos
			break
		}
	}
	p.report.Add(problem)
	return nil
}

// linesOf are the tags of a package with their places.
func (p *planner) linesOf(path string) []load.TagLine {
	lines, ok := p.tagLines[path]
	if !ok {
		if pkg := p.set.Package(path); pkg != nil && pkg.Main {
			lines = p.set.TagLines(pkg)
		}
		p.tagLines[path] = lines
	}
	return lines
}

// readComments makes the comments of a package known, so that its tags count.
func (p *planner) readComments(path string) {
	if path == "" || p.commented[path] {
		return
	}
	p.commented[path] = true
	_ = p.set.DependencyComments(path) // without comments there are no tags
}

// isRule tells whether a comment line is a rule for whose sake functions are printed. Tags that describe types to other
// plug-ins too count where there are functions anyway.
func (p *planner) isRule(line string) bool {
	line = strings.TrimSpace(line)
	r, ok := p.rules.find(tag.NameOf(line))
	if ok && p.law == ofKubernetes && !p.counts(r, origin{}) {
		return false
	}
	switch r.name {
	case "enum", "listMapKey":
		return false
	case "listType":
		return line == "+listType=set" || line == "+listType=map"
	default:
		return ok
	}
}
