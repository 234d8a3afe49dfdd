package transcode

import (
	"errors"
	"fmt"

	"github.com/typeplane/typeplane/runtime/jsonpath"
)

// Column says what a column of a Table shows of an object.
type Column struct {
	// Path leads to it; "": the cells stay null.
	Path string
	// Type is that of a metav1.TableColumnDefinition: string, integer, number, boolean or date.
	Type string
}

// Cells appends the cells of an object from its message. It never changes.
type Cells struct{ cells []cell }

// cell is a column whose path was looked up in tables.
type cell struct {
	places []place // none: it stays null
	typ    string
	// many says that all that is found is shown, with commas between; else it is the first.
	many bool
	// json says that a text is the JSON of what is found.
	json bool
}

// place is a field on the way to a cell.
type place struct {
	*Member
	// pick says which of the items or values; nil: there is only one, or all are shown as JSON.
	pick *jsonpath.Step
	// where leads from an item to what pick compares.
	where []place
}

// ErrNoWord says that something has to be decoded.
var ErrNoWord = errors.New("transcode: the tables have no word for it")

// NewCells looks up columns in the table of a kind. Its error is ErrNoWord where objects have to be
// decoded for one of them, and else a mistake in a path.
func NewCells(m *Message, columns []Column) (*Cells, error) {
	out := new(Cells)
	for _, column := range columns {
		c := cell{typ: column.Type}
		if column.Path != "" {
			steps, err := jsonpath.Parse(column.Path)
			if err == nil {
				err = c.find(m, steps)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", column.Path, err)
			}
		}
		out.cells = append(out.cells, c)
	}
	return out, nil
}

// find looks up a path, and says whether it leads to what the column can show.
func (c *cell) find(m *Message, steps []jsonpath.Step) (err error) {
	if c.places, err = placesOf(m, steps); err != nil {
		return err
	}
	for _, p := range c.places {
		c.many = c.many || p.pick != nil && p.pick.Kind == jsonpath.Each
	}
	leaf := c.places[len(c.places)-1]
	c.json = leaf.pick == nil && leaf.Rule&(List|Map) != 0 || leaf.Form == Struct && !hasText(leaf.Of)
	c.many = c.many && c.typ == "string" && !c.json
	if !c.shows(leaf.Member) {
		return ErrNoWord
	}
	return nil
}

// shows says whether the column can show the values of a field.
func (c *cell) shows(f *Member) bool {
	number := f.Form >= Int32 && f.Form <= Uint64
	switch {
	case c.typ == "string":
		return c.json || f.Form == Text || f.Form == Bool || f.Form == Time || f.Form == Struct || number || f.isFloat()
	case c.json:
		return false
	case c.typ == "integer":
		return number
	case c.typ == "number":
		return number || f.isFloat()
	case c.typ == "boolean":
		return f.Form == Bool
	case c.typ == "date":
		return f.Form == Time || f.Of == &MicroTime
	}
	return false
}

func (f *Member) isFloat() bool { return f.Form == Float32 || f.Form == Float64 }

// hasText says whether a text column shows the values of a message as they are in JSON, without the
// quotes.
func hasText(m *Message) bool {
	return m == &Quantity || m == &IntOrString || m == &Duration || m == &MicroTime
}

// placesOf looks up a path from a message on.
func placesOf(m *Message, steps []jsonpath.Step) (places []place, err error) {
	for len(steps) > 0 {
		if m == nil || m.Decode != nil || m.List || steps[0].Kind != jsonpath.Name {
			return nil, ErrNoWord
		}
		way := m.named(`,"` + steps[0].Field + `":`)
		if way == nil {
			return nil, ErrNoWord
		}
		steps = steps[1:]
		for _, f := range way {
			places = append(places, place{Member: f})
		}
		last := &places[len(places)-1]
		if last.Rule&(List|Map) != 0 && len(steps) > 0 {
			if err := last.choose(&steps[0]); err != nil {
				return nil, err
			}
			steps = steps[1:]
		}
		m = last.Of
	}
	switch last := places[len(places)-1]; last.Form {
	case Metadata, Inline, version, fieldSet: // they are not as they are stored
		return nil, ErrNoWord
	}
	return places, nil
}

// named finds a member by its literal, behind the embedded structs that it is in; nil if there is
// none.
func (m *Message) named(literal string) []*Member {
	for i := range m.Members {
		if m.Members[i].Name == literal {
			return []*Member{&m.Members[i]}
		}
	}
	for i := range m.Members {
		if f := &m.Members[i]; f.Form == Inline && f.Of.Decode == nil {
			if way := f.Of.named(literal); way != nil {
				return append([]*Member{f}, way...)
			}
		}
	}
	return nil
}

// choose says which of the items or values of a field the path goes on with.
func (p *place) choose(step *jsonpath.Step) (err error) {
	p.pick = step
	switch {
	case step.Kind == jsonpath.Each:
		return nil
	case p.Rule&Map != 0 && step.Kind == jsonpath.Name, p.Rule&List != 0 && step.Kind == jsonpath.Index:
		return nil
	case p.Rule&List == 0 || step.Kind != jsonpath.Where:
		return ErrNoWord
	}
	var fields []jsonpath.Step
	for _, name := range step.Filter.Fields {
		fields = append(fields, jsonpath.Step{Kind: jsonpath.Name, Field: name})
	}
	if p.where, err = placesOf(p.Of, fields); err != nil {
		return err
	}
	left := p.where[len(p.where)-1]
	comparable := false
	switch step.Filter.Literal.(type) {
	case string:
		comparable = left.Form == Text
	case int64:
		comparable = left.Form >= Int32 && left.Form <= Uint64
	case bool:
		comparable = left.Form == Bool
	}
	if !comparable || left.Rule&(List|Map) != 0 {
		return ErrNoWord
	}
	return nil
}
