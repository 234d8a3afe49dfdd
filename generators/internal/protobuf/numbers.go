package protobuf

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/diag"
)

// number gives each field of a message its number: that of the struct tag, or that of the
// checked-in generated.proto, or the next one that was never used. Numbers of fields that are gone
// become reserved.
func (p *planner) number(m *message, old *record) {
	if old == nil {
		old = &record{}
	}
	taken := map[int32]*field{}
	names := map[string]*field{}
	highest := old.highest
	for _, f := range m.fields {
		if other := names[f.name]; other != nil {
			p.problem(m.typ, f.goName, fmt.Sprintf("%s of the message is also %s", f.name, other.goName), "give one another name in its json or protobuf tag")
		}
		names[f.name] = f
		p.checkName(m, f, old)
		p.checkChanged(m, f, old)
		if f.number == 0 {
			continue
		}
		p.checkTagged(m, f, old, taken)
		if taken[f.number] == nil {
			taken[f.number] = f
		}
		if allowed(f.number) {
			highest = max(highest, f.number)
		}
	}
	for _, f := range m.fields {
		if f.number != 0 {
			continue
		}
		if e, known := old.fields[f.name]; known {
			f.number = e.number
		} else {
			highest = next(highest)
			f.number = highest
		}
		if other := taken[f.number]; other != nil {
			p.problem(m.typ, other.goName, fmt.Sprintf("its number %d is that of %s", f.number, f.goName),
				fmt.Sprintf("use %d", next(highest)))
		}
		taken[f.number] = f
	}
	m.reserved = gone(old, taken, names)
	p.mourn(m, old, taken, names)
}

// mourn warns of fields that the run before had. Their numbers become reserved, and what was stored
// in them is lost.
func (p *planner) mourn(m *message, old *record, taken map[int32]*field, names map[string]*field) {
	for _, name := range slices.Sorted(maps.Keys(old.fields)) {
		e := old.fields[name]
		if taken[e.number] != nil || names[name] != nil || old.buried.has(e.number) {
			continue // it goes on, or is a problem already
		}
		p.report.Warn(diag.Problem{
			Pos: p.model.TypePos(m.typ), Path: m.typ.Name.Name, Passing: true,
			Message: fmt.Sprintf("its field %s is gone, so stored objects lose its value, and its number %d is reserved", name, e.number),
			Cure:    fmt.Sprintf("if it has another name now, put `protobuf:\"…,%d,opt,name=…\"` on it", e.number),
		})
	}
}

// checkName refuses the name of a field that is gone: stored JSON may still have the old meaning.
func (p *planner) checkName(m *message, f *field, old *record) {
	if !old.isReservedName(f.name) || old.isReserved(f.number) {
		return // a reserved number says it all
	}
	p.problem(m.typ, f.goName, "its name "+f.name+" was that of a field that is gone",
		"give it another name; or, if it means what it did, "+comeBack(f.name))
}

// comeBack says how a field that was gone can be there again.
func comeBack(name string) string {
	return "delete " + name + " and its number from what is reserved, and put the number into its protobuf tag"
}

// checkTagged judges a number that the user wrote.
func (p *planner) checkTagged(m *message, f *field, old *record, taken map[int32]*field) {
	wrong := func(cure, format string, args ...any) {
		p.problem(m.typ, f.goName, fmt.Sprintf(format, args...), cure)
	}
	free := fmt.Sprintf("use %d", next(max(old.highest, highestTag(m.fields))))
	if !allowed(f.number) {
		wrong(free, "%d is not a number that protobuf allows", f.number)
		return
	}
	if other := taken[f.number]; other != nil {
		wrong(free, "its number %d is that of %s", f.number, other.goName)
		return
	}
	if e, known := old.fields[f.name]; known && e.number != f.number {
		wrong(fmt.Sprintf("put %d back; or, if nothing was ever stored, delete the field from %s", e.number, protoFile),
			"its number was %d and is now %d, so stored objects would lose it", e.number, f.number)
		return
	}
	if old.isReserved(f.number) {
		wrong(free+"; or, if the field means what it did, delete "+strconv.Itoa(int(f.number))+" and its name from what is reserved",
			"its number %d was that of a field that is gone", f.number)
		return
	}
	// The number of a field that is gone may only mean the same under a new name.
	for name, e := range old.fields {
		if e.number == f.number && name != f.name && e.declaration != f.declaration() {
			wrong(free, "its number %d was that of %s, which is %s", f.number, name, e.declaration)
		}
	}
}

// checkChanged refuses a field whose stored values could not be read any more.
func (p *planner) checkChanged(m *message, f *field, old *record) {
	e, known := old.fields[f.name]
	if !known || e.wire() == f.value.wireOf(f.shape) {
		return
	}
	p.problem(m.typ, f.goName, fmt.Sprintf("it was %s and is now %s, so stored objects could not be read", e.declaration, f.declaration()),
		"give the field another name, or, if nothing was ever stored, delete it from "+protoFile)
}

func highestTag(fields []*field) (highest int32) {
	for _, f := range fields {
		if allowed(f.number) {
			highest = max(highest, f.number)
		}
	}
	return highest
}

func allowed(number int32) bool {
	return number <= maxNumber && (number < firstReserved || number > lastReserved)
}

// next returns the number after one.
func next(number int32) int32 {
	number++
	if number >= firstReserved && number <= lastReserved {
		return lastReserved + 1
	}
	return number
}

// gone returns the numbers and names that were used once and are not any more. A name whose number
// goes on under another name is free.
func gone(old *record, taken map[int32]*field, names map[string]*field) reserved {
	out := reserved{numbers: slices.Clone(old.reserved.numbers), names: slices.Clone(old.reserved.names)}
	for name, e := range old.fields {
		if taken[e.number] != nil || old.buried.has(e.number) {
			continue
		}
		out.numbers = append(out.numbers, span{e.number, e.number})
		if names[name] == nil {
			out.names = append(out.names, name)
		}
	}
	slices.Sort(out.names)
	return reserved{mergeSpans(out.numbers), slices.Compact(out.names)}
}
