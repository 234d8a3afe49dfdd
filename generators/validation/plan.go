package validation

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/emit"
)

// plan is what a tag asks for: functions to call with the value, and what they need around them.
type plan struct {
	calls []call
	// vars are package variables that the calls use.
	vars []variable
	// helpers are functions of the generated file that the calls use.
	helpers []helper
	// notes are comments to print where the value is validated.
	notes []string
	// left are comments about rules of other modules that can't be checked here.
	left []string
	// opaque says not to look into the type; opaqueKey and opaqueVal the same of the keys and values of a list or map.
	opaque, opaqueKey, opaqueVal bool
	// marked says that a tag of the OpenAPI kind is among them, for which a value that was left out is valid.
	marked bool
	// later are plans that can be made only when all tags of the place, or of the struct around it, have been read.
	later []later
}

// later is a plan to be made when a place has been read.
type later struct {
	// around says that it is about the struct or list around the place.
	around bool
	make   func() (plan, error)
}

// call is one function call. Every function takes ctx, op, fldPath, obj and oldObj before the arguments given here,
// and returns a field.ErrorList.
type call struct {
	fn       emit.Ident
	typeArgs []typeArg
	args     []any // see expression
	// stop ends the validation of the value if the function fails; silent means that the failure is no error.
	stop, silent bool
	// cohort names calls that stop each other and no others.
	cohort string
	notes  []string
	// level is "Alpha" or "Beta" for a rule that is tried out; ownLevels says that the arguments take care of it.
	level     string
	ownLevels bool
	// marked says that the call is for a tag of the OpenAPI kind.
	marked bool
	// emits are the errors that the function returns, for tests of coverage.
	emits []emission
	// limit is what the call bounds, to find bounds that contradict each other.
	limit *limit
}

// typeArg is a type argument: a type, or a pointer to one that is only known by its name.
type typeArg struct {
	t       *types.Type
	pointee emit.Ident
}

// emission is an error that a function returns: its type, its origin, and what it adds to the path.
type emission struct{ typ, origin, path string }

// variable is a package variable.
type variable struct {
	name string
	init any
}

func (p *plan) add(o plan) {
	p.calls = append(p.calls, o.calls...)
	p.vars = append(p.vars, o.vars...)
	p.helpers = append(p.helpers, o.helpers...)
	p.notes = append(p.notes, o.notes...)
	p.left = append(p.left, o.left...)
	p.later = append(p.later, o.later...)
	p.opaque = p.opaque || o.opaque
	p.opaqueKey = p.opaqueKey || o.opaqueKey
	p.opaqueVal = p.opaqueVal || o.opaqueVal
	p.marked = p.marked || o.marked
}

// prints tells whether the plan puts anything into the file.
func (p *plan) prints() bool {
	return len(p.calls)+len(p.vars)+len(p.notes)+len(p.later) > 0
}

// of is the plan of some calls.
func of(calls ...call) plan { return plan{calls: calls} }

// thisLater postpones a plan until all tags of the place are known, aroundLater until the struct around is read.
func thisLater(make func() (plan, error)) plan   { return plan{later: []later{{false, make}}} }
func aroundLater(make func() (plan, error)) plan { return plan{later: []later{{true, make}}} }

// wrapped returns the plan with every call, also those to come, put through wrap, which is told whether the call is
// about the struct around the place.
func (p plan) wrapped(wrap func(c call, around bool) call) plan { return p.wrappedAt(false, wrap) }

func (p plan) wrappedAt(around bool, wrap func(call, bool) call) plan {
	out := p
	out.calls, out.later = nil, nil
	for _, c := range p.calls {
		out.calls = append(out.calls, wrap(c, around))
	}
	for _, l := range p.later {
		out.later = append(out.later, later{l.around, func() (plan, error) {
			inner, err := l.make()
			if err != nil {
				return plan{}, err
			}
			return inner.wrappedAt(l.around, wrap), nil
		}})
	}
	return out
}

// settle makes the plans that were postponed, also those that these postpone in turn, and gives each to take.
func settle(waiting []later, take func(around bool, p plan)) error {
	for len(waiting) > 0 {
		var next []later
		for _, l := range waiting {
			made, err := l.make()
			if err != nil {
				return err
			}
			next = append(next, made.later...)
			made.later = nil
			take(l.around, made)
		}
		waiting = next
	}
	return nil
}

// lib is a function of apimachinery's validation library.
func lib(name string) emit.Ident { return emit.Ident{Path: validatePath, Name: name} }

// ours is a function of package runtime/rules, which stands in for one of the library's on lists and maps.
func ours(name string) emit.Ident { return emit.Ident{Path: rulesPath, Name: name} }

// own is a function or variable of the generated file.
func own(name string) emit.Ident { return emit.Ident{Name: name} }
