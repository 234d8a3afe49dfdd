package transcode

import (
	"fmt"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// printer prints the tables of a package.
type printer struct {
	*emit.File
	runtime string
}

func printTables(f *emit.File, tables []*table) {
	p := &printer{File: f, runtime: f.Import(runtimePath)}
	for _, t := range tables {
		p.table(t)
	}
	p.cycles(tables)
}

func (p *printer) table(t *table) {
	if t.exported {
		p.P("// ", t.name, " says how the message of a ", strings.TrimPrefix(t.name, tablePrefix), " is written as JSON.")
	}
	if t.decoded {
		p.P("var ", t.name, " = ", p.decoded(p.Type(t.typ)))
		p.P()
		return
	}
	p.P("var ", t.name, " = ", p.runtime, ".Message{")
	if places := t.places(); places != nil {
		p.P("Places: []uint8{", strings.Join(places, ", "), "},")
	}
	if t.list {
		p.P("List: true,")
	}
	if len(t.members) > 0 {
		p.P("Members: []", p.runtime, ".Member{")
		for _, m := range t.members {
			p.member(t, m)
		}
		p.P("},")
	}
	p.P("}")
	p.P()
}

func (p *printer) decoded(typ string) string {
	return p.runtime + ".Message{Decode: " + p.runtime + ".Decoded[" + typ + "]}"
}

func (p *printer) member(t *table, m member) {
	parts := []string{fmt.Sprintf("Tag: %d<<3|%d", m.number, m.wire)}
	if m.wire == 0 {
		parts = []string{fmt.Sprintf("Tag: %d<<3", m.number)}
	}
	if m.literal != "" {
		parts = append([]string{"Name: " + m.literal}, parts...)
	}
	parts = append(parts, "Form: "+p.runtime+"."+m.form)
	if len(m.rule) > 0 {
		parts = append(parts, "Rule: "+p.runtime+"."+strings.Join(m.rule, "|"+p.runtime+"."))
	}
	if m.of != nil && !t.circular(m) {
		parts = append(parts, "Of: "+p.reference(m.of))
	}
	p.P("{", strings.Join(parts, ", "), "},")
}

func (p *printer) reference(r *reference) string {
	switch {
	case r.table != nil:
		return "&" + r.table.name
	case r.decoded != nil:
		return "&" + p.decoded(p.Type(r.decoded))
	}
	return "&" + p.Ident(r.ident.Path, r.ident.Name)
}

// circular says whether a member may lead back to its table. Go does not let variables begin with
// each other.
func (t *table) circular(m member) bool {
	return t.cycle && m.of != nil && m.of.table != nil && m.of.table.cycle
}

// cycles prints what joins tables of messages that can hold themselves.
func (p *printer) cycles(tables []*table) {
	started := false
	for _, t := range tables {
		for i, m := range t.members {
			if !t.circular(m) {
				continue
			}
			if !started {
				p.P("// Messages that can hold themselves have tables that lead to each other.")
				p.P("func init() {")
				started = true
			}
			p.P(t.name, ".Members[", i, "].Of = ", p.reference(m.of))
		}
	}
	if started {
		p.P("}")
	}
}
