package defaulter

import "k8s.io/gengo/v2/types"

// collect finds out, for t and everything below it, which types have something to fill themselves;
// spread then tells which have so at any depth.
func (p *planner) collect(t *types.Type) {
	if p.seen[t] {
		return
	}
	p.seen[t] = true
	p.loadComments(t)
	m := p.manual.of(t)
	if m.object != nil || m.base != nil || len(m.additional) > 0 {
		p.needs[t] = true
	}
	if m.object != nil || m.covers {
		return
	}
	switch t.Kind {
	case types.Alias:
		p.edge(t, t.Underlying)
	case types.Pointer:
		p.edge(t, t.Elem)
	case types.Slice, types.Array, types.Map:
		p.edge(t, t.Elem)
		if p.elementDefault(t) != nil {
			p.needs[t] = true
		}
	case types.Struct:
		for _, m := range t.Members {
			if !p.visible(t, m) {
				continue
			}
			p.edge(t, m.Type)
			if p.memberDefault(t, m) != nil {
				p.needs[t] = true
			}
		}
	}
}

func (p *planner) edge(from, to *types.Type) {
	p.below[from] = append(p.below[from], to)
	p.above[to] = append(p.above[to], from)
	p.collect(to)
}

// spread marks every type that reaches one with something to fill.
func (p *planner) spread() {
	var work []*types.Type
	for t := range p.needs {
		work = append(work, t)
	}
	for len(work) > 0 {
		t := work[len(work)-1]
		work = work[:len(work)-1]
		for _, up := range p.above[t] {
			if !p.needs[up] {
				p.needs[up] = true
				work = append(work, up)
			}
		}
	}
}

// recursive tells whether a value of t can hold another t with something to fill, on a way that no
// root's function covers. Such a type gets a function of its own.
func (p *planner) recursive(t *types.Type) bool {
	if t.Name.Package == "" {
		return false
	}
	answer, known := p.loops[t]
	if !known {
		answer = p.reaches(t, t, map[*types.Type]bool{})
		p.loops[t] = answer
	}
	return answer
}

func (p *planner) reaches(from, to *types.Type, seen map[*types.Type]bool) bool {
	for _, t := range p.below[from] {
		if t == to {
			return true
		}
		if seen[t] || !p.needs[t] || p.roots[t] {
			continue
		}
		seen[t] = true
		if p.reaches(t, to, seen) {
			return true
		}
	}
	return false
}
