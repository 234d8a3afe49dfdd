package validation

import "strings"

// calls prints calls for a value. Within a cohort those that can stop the others come first, and all of them are made.
func (pr *printer) calls(calls []call) {
	for _, group := range cohorts(calls) {
		name := group[0].cohort
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

func (pr *printer) callStatement(c call) {
	pr.notes(c.notes)
	text := pr.call(c)
	if c.stop {
		text += ".MarkShortCircuit()"
	}
	if c.silent && !c.stop {
		pr.P(text)
		return
	}
	pr.P("if e := ", text, "; len(e) != 0 {")
	if !c.silent {
		pr.P("errs = append(errs, e...)")
	}
	if c.stop {
		pr.P("earlyReturn = true")
	}
	pr.P("}")
}

// call is a call with the arguments of validation functions.
func (pr *printer) call(c call) string {
	var b strings.Builder
	fn := pr.resolve(c.fn)
	b.WriteString(pr.Ident(fn.Path, fn.Name) + pr.typeArgs(c.typeArgs) + "(ctx, op, fldPath, obj, oldObj")
	for _, arg := range c.args {
		b.WriteString(", " + pr.expression(arg, true))
	}
	b.WriteString(")")
	if c.level != "" {
		b.WriteString(".Mark" + c.level + "()")
	}
	return b.String()
}

// cohorts sorts calls: the nameless cohort first, then the others as they came; in each those that stop first.
func cohorts(calls []call) [][]call {
	names := []string{""}
	groups := map[string][]call{}
	for _, c := range calls {
		if _, ok := groups[c.cohort]; !ok && c.cohort != "" {
			names = append(names, c.cohort)
		}
		groups[c.cohort] = append(groups[c.cohort], c)
	}
	var out [][]call
	for _, name := range names {
		var stops, others []call
		for _, c := range groups[name] {
			if c.stop {
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
func lastStop(calls []call) int {
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].stop {
			return i
		}
	}
	return -1
}
