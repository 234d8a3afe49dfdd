package printer

import (
	"strings"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
)

// calls prints calls for a value. Within a cohort those that can stop the others come first, and
// all of them are made.
func (pr *printer) calls(calls []plan.Call) {
	for _, group := range cohorts(calls) {
		name := group[0].Cohort
		if name != "" {
			pr.P("func() { // cohort = \"", name, "\"")
		}
		last := lastStop(group)
		if last >= 0 {
			pr.P("earlyReturn := false")
		}
		for i, c := range group {
			pr.callStatement(c)
			if i == last {
				pr.P("if earlyReturn {")
				pr.P("return // do not proceed")
				pr.P("}")
			}
		}
		if name != "" {
			pr.P("}()")
		}
	}
}

func (pr *printer) callStatement(c plan.Call) {
	pr.notes(c.Notes)
	text := pr.call(c)
	if c.Stop {
		text += ".MarkShortCircuit()"
	}
	if c.Silent && !c.Stop {
		pr.P(text)
		return
	}
	pr.P("if e := ", text, "; len(e) != 0 {")
	if !c.Silent {
		pr.P("errs = append(errs, e...)")
	}
	if c.Stop {
		pr.P("earlyReturn = true")
	}
	pr.P("}")
}

// parted are calls of which some are rules in CEL.
func parted(all []plan.Call) (calls, rules []plan.Call) {
	for _, c := range all {
		if c.Rule {
			rules = append(rules, c)
		} else {
			calls = append(calls, c)
		}
	}
	return calls, rules
}

// rules prints calls of rules in CEL, behind all others about the value and what is in it.
func (pr *printer) rules(calls []plan.Call) {
	if len(calls) == 0 {
		return
	}
	pr.P("if ", plan.Runtime("Held"), "(errs) { // rules in CEL are for what the schema allows")
	pr.calls(calls)
	pr.P("}")
}

// call is a call with the arguments of validation functions.
func (pr *printer) call(c plan.Call) string {
	var b strings.Builder
	fn := pr.resolve(c.Func)
	b.WriteString(pr.Ident(fn.Path, fn.Name) + pr.typeArgs(c.TypeArgs) + "(ctx, op, fldPath, obj, oldObj")
	for _, arg := range c.Args {
		b.WriteString(", " + pr.expression(arg, true))
	}
	b.WriteString(")")
	if c.Level != "" {
		b.WriteString(".Mark" + c.Level + "()")
	}
	return b.String()
}

// cohorts sorts calls: the nameless cohort first, then the others as they came; in each those that
// stop first.
func cohorts(calls []plan.Call) [][]plan.Call {
	names := []string{""}
	groups := map[string][]plan.Call{}
	for _, c := range calls {
		if _, ok := groups[c.Cohort]; !ok && c.Cohort != "" {
			names = append(names, c.Cohort)
		}
		groups[c.Cohort] = append(groups[c.Cohort], c)
	}
	var out [][]plan.Call
	for _, name := range names {
		var stops, others []plan.Call
		for _, c := range groups[name] {
			if c.Stop {
				stops = append(stops, c)
			} else {
				others = append(others, c)
			}
		}
		if len(stops)+len(others) > 0 {
			out = append(out, append(stops, others...))
		}
	}
	return out
}

// lastStop is the index of the last call that stops, -1 if there is none.
func lastStop(calls []plan.Call) int {
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].Stop {
			return i
		}
	}
	return -1
}
