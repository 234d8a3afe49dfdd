// Package plan has the data in which a rule says what it asks for. A Plan holds calls of
// validation functions, their arguments, and the variables and helpers that they need. Rules
// make it, the graph of types collects it, and package printer prints it without a decision of
// its own. A rule that can't be planned is a Fault.
//
// Start reading at Plan and Call; args.go has what an argument can be.
package plan

import (
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// Plan is what a tag asks for: functions to call with the value, and what they need around them.
type Plan struct {
	Calls []Call
	// Vars are package variables that the calls use.
	Vars []Variable
	// Helpers are functions of the generated file that the calls use.
	Helpers []Helper
	// Notes are comments to print where the value is validated.
	Notes []string
	// Left are comments about rules of other modules that can't be checked here.
	Left []string
	// Opaque says not to look into the type; OpaqueKey and OpaqueVal the same of the keys and
	// values of a list or map.
	Opaque, OpaqueKey, OpaqueVal bool
	// Marked says that a tag of the OpenAPI kind is among them, for which a value that was left out
	// is valid.
	Marked bool
	// Later are plans that can be made only when all tags of the place, or of the struct around it,
	// have been read.
	Later []Later
}

// Later is a plan to be made when a place has been read.
type Later struct {
	// Around says that it is about the struct or list around the place.
	Around bool
	Make   func() (Plan, error)
}

// Call is one function call. Every function takes ctx, op, fldPath, obj and oldObj before the
// arguments given here, and returns a field.ErrorList.
type Call struct {
	Func     emit.Ident
	TypeArgs []TypeArg
	Args     []any // see expression
	// Stop ends the validation of the value if the function fails; Silent means that the failure is
	// no error.
	Stop, Silent bool
	// Always says that the function is called in an update that leaves the value alone, too: what
	// is around it has changed.
	Always bool
	// Rule says that the function asks a rule in CEL, which is for values of which the schema
	// holds.
	Rule bool
	// Change says that it asks about a change, and so never of what has no old value.
	Change bool
	// Implied says that no tag asks for the call, AnyShape that it does not look into the value.
	Implied, AnyShape bool
	// Cohort names calls that stop each other and no others.
	Cohort string
	Notes  []string
	// Level is "Alpha" or "Beta" for a rule that is tried out; OwnLevels says that the arguments
	// take care of it.
	Level     string
	OwnLevels bool
	// Marked says that the call is for a tag of the OpenAPI kind.
	Marked bool
	// Emits are the errors that the function returns, for tests of coverage.
	Emits []Emission
	// Limit is what the call bounds, to find bounds that contradict each other.
	Limit *Limit
}

// TypeArg is a type argument: a type, or a pointer to one that is only known by its name.
type TypeArg struct {
	Type    *types.Type
	Pointee emit.Ident
}

// Emission is an error that a function returns: its type, its origin, and what it adds to the path.
type Emission struct{ Type, Origin, Path string }

// Variable is a package variable.
type Variable struct {
	Name string
	Init any
}

// Add takes what another plan asks for, too.
func (p *Plan) Add(o Plan) {
	p.Calls = append(p.Calls, o.Calls...)
	p.Vars = append(p.Vars, o.Vars...)
	p.Helpers = append(p.Helpers, o.Helpers...)
	p.Notes = append(p.Notes, o.Notes...)
	p.Left = append(p.Left, o.Left...)
	p.Later = append(p.Later, o.Later...)
	p.Opaque = p.Opaque || o.Opaque
	p.OpaqueKey = p.OpaqueKey || o.OpaqueKey
	p.OpaqueVal = p.OpaqueVal || o.OpaqueVal
	p.Marked = p.Marked || o.Marked
}

// Prints tells whether the plan puts anything into the file.
func (p *Plan) Prints() bool {
	return len(p.Calls)+len(p.Vars)+len(p.Notes)+len(p.Later) > 0
}

// Says tells whether a tag asks for anything in the plan.
func (p *Plan) Says() bool {
	return p.Prints() && (len(p.Calls) == 0 || slices.ContainsFunc(p.Calls, func(c Call) bool { return !c.Implied }))
}

// Of is the plan of some calls.
func Of(calls ...Call) Plan { return Plan{Calls: calls} }

// ThisLater postpones a plan until all tags of the place are known.
func ThisLater(make func() (Plan, error)) Plan { return Plan{Later: []Later{{false, make}}} }

// AroundLater postpones a plan until the struct around the place is read.
func AroundLater(make func() (Plan, error)) Plan { return Plan{Later: []Later{{true, make}}} }

// Wrapped returns the plan with every call, also those to come, put through wrap, which is told
// whether the call is about the struct around the place.
func (p Plan) Wrapped(wrap func(c Call, around bool) Call) Plan { return p.WrappedAt(false, wrap) }

// WrappedAt is the same for calls about the place, or about the struct around it.
func (p Plan) WrappedAt(around bool, wrap func(Call, bool) Call) Plan {
	out := p
	out.Calls, out.Later = nil, nil
	for _, c := range p.Calls {
		out.Calls = append(out.Calls, wrap(c, around))
	}
	for _, l := range p.Later {
		out.Later = append(out.Later, Later{l.Around, func() (Plan, error) {
			inner, err := l.Make()
			if err != nil {
				return Plan{}, err
			}
			return inner.WrappedAt(l.Around, wrap), nil
		}})
	}
	return out
}

// Settle makes the plans that were postponed, also those that these postpone in turn, and gives
// each to take.
func Settle(waiting []Later, take func(around bool, p Plan)) error {
	for len(waiting) > 0 {
		var next []Later
		for _, l := range waiting {
			made, err := l.Make()
			if err != nil {
				return err
			}
			next = append(next, made.Later...)
			made.Later = nil
			take(l.Around, made)
		}
		waiting = next
	}
	return nil
}

// Lib is a function of apimachinery's validation library.
func Lib(name string) emit.Ident { return emit.Ident{Path: validatePath, Name: name} }

// Runtime is a function of package runtime/rules, which stands in for one of the library's on lists
// and maps.
func Runtime(name string) emit.Ident { return emit.Ident{Path: RulesPath, Name: name} }

// Own is a function or variable of the generated file.
func Own(name string) emit.Ident { return emit.Ident{Name: name} }

// DropTrials leaves rules out that are only tried out (+k8s:alpha).
func (p *Plan) DropTrials() {
	p.Calls = slices.DeleteFunc(p.Calls, func(c Call) bool { return c.Level == "Alpha" })
	if len(p.Calls) == 0 {
		p.Vars, p.Helpers = nil, nil
	}
}

// SeparateTrials keeps rules that are only tried out (+k8s:alpha) from stopping those of the
// OpenAPI kind that are in force: metav1.Condition has both on one field.
func (p *Plan) SeparateTrials() {
	if !slices.ContainsFunc(p.Calls, func(c Call) bool { return c.Marked }) {
		return
	}
	for i := range p.Calls {
		if c := &p.Calls[i]; c.Level == "Alpha" && c.Cohort == "" {
			c.Cohort = "alpha"
		}
	}
}
