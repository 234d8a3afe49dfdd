package cel

import (
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// Module is the module that evaluates rules which are not compiled.
const Module = "github.com/typeplane/typeplane/cel"

// evaluated plans the call of module cel for a rule that is not compiled, because of why.
func evaluated(r Rule, reason string, why error, in Surroundings) (plan.Plan, error) {
	if cure := in.Lacking(); cure != "" {
		return plan.Plan{}, plan.Fault{Message: why.Error(), Cure: cure + ": that module evaluates such rules", Needed: true}
	}
	name := in.Fresh("ruleFor")
	program := plan.Construct{Func: plan.Ident(Module, "MustCompile"), TypeArgs: []plan.TypeArg{{Type: shape.NilableForm(r.Self)}}, Args: []any{r.literal()}}
	change := !r.OptionalOldSelf && strings.Contains(r.Rule, "oldSelf")
	return plan.Plan{
		Calls: []plan.Call{{Func: plan.Ident(Module, "Judge"), Args: []any{plan.Raw(name)}, Rule: true, Change: change, Emits: emits(reason)}},
		Vars:  []plan.Variable{{Name: name, Init: program}},
	}, nil
}

// literal is the rule as Go has it.
func (r Rule) literal() plan.Literal {
	out := plan.Literal{Type: plan.Ident(Module, "Rule")}
	for _, f := range []plan.FieldValue{
		{Name: "Rule", Value: r.Rule}, {Name: "Message", Value: r.Message}, {Name: "MessageExpression", Value: r.MessageExpression},
		{Name: "Reason", Value: r.Reason}, {Name: "FieldPath", Value: r.FieldPath},
	} {
		if text := f.Value.(string); text != "" {
			out.Fields = append(out.Fields, plan.FieldValue{Name: f.Name, Value: plan.Raw(plan.GoQuote(text))})
		}
	}
	aboutChange := strings.Contains(r.Rule, "oldSelf") && isValue(r.Self)
	for _, f := range []plan.FieldValue{
		{Name: "OptionalOldSelf", Value: r.OptionalOldSelf}, {Name: "Value", Value: aboutChange}, {Name: "Omits", Value: aboutChange && r.Omits},
	} {
		if f.Value.(bool) {
			out.Fields = append(out.Fields, f)
		}
	}
	if fields := r.Fields(); len(fields) > 0 {
		slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Of, b.Of) })
		list := plan.Literal{Slice: true, Type: plan.Ident(Module, "Field")}
		for _, f := range fields {
			list.Fields = append(list.Fields, plan.FieldValue{Value: f.literal()})
		}
		out.Fields = append(out.Fields, plan.FieldValue{Name: "Fields", Value: list})
	}
	return out
}

func (f Field) literal() plan.Literal {
	out := plan.Literal{Type: plan.Ident(Module, "Field")}
	for _, v := range []plan.FieldValue{{Name: "Of", Value: f.Of}, {Name: "Type", Value: f.Type}, {Name: "Format", Value: f.Format}, {Name: "ListType", Value: f.ListType}} {
		if v.Value != "" {
			out.Fields = append(out.Fields, v)
		}
	}
	if len(f.MapKeys) > 0 {
		keys := plan.Literal{Slice: true, Type: emit.Ident{Name: "string"}}
		for _, k := range f.MapKeys {
			keys.Fields = append(keys.Fields, plan.FieldValue{Value: k})
		}
		out.Fields = append(out.Fields, plan.FieldValue{Name: "MapKeys", Value: keys})
	}
	return out
}
