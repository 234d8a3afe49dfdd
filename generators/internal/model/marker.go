package model

import (
	"fmt"
	"go/token"
	"iter"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// Marker is one occurrence of a tag in the source.
type Marker struct {
	// Text is the line from the plus sign on, with "=" also where "name:=value" was written.
	Text string
	// Name is what stands behind the plus sign, up to arguments and value.
	Name string
	Pos  token.Position

	readers []string
}

// Markers are those of one place, in the order of the source. The zero value has none.
type Markers struct {
	model *Model
	list  []*Marker
}

// All yields all markers and claims none: see Claim.
func (s Markers) All() iter.Seq[*Marker] { return slices.Values(s.list) }

// None tells whether there is no marker.
func (s Markers) None() bool { return len(s.list) == 0 }

// Claim notes that the plug-in at work acts on a marker.
func (s Markers) Claim(mk *Marker) {
	if !slices.Contains(mk.readers, s.model.reader) {
		mk.readers = append(mk.readers, s.model.reader)
	}
}

// Readers are the plug-ins that have claimed the marker.
func (mk *Marker) Readers() []string { return mk.readers }

// Exactly are the markers of a name, all claimed.
func (s Markers) Exactly(name string) []*Marker {
	var out []*Marker
	for _, mk := range s.list {
		if mk.Name == name {
			s.Claim(mk)
			out = append(out, mk)
		}
	}
	return out
}

// Values returns the raw text behind the equals sign of each marker of this name, in order, and
// claims them; one without a value counts as "". It is nil if there is none.
func (s Markers) Values(name string) []string {
	var out []string
	for _, mk := range s.Exactly(name) {
		out = append(out, tag.RawValue(mk.Text[1+len(name):]))
	}
	return out
}

// Last returns the value of the last marker of this name and whether there is one, and claims all
// of the name.
func (s Markers) Last(name string) (string, bool) {
	values := s.Values(name)
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// Has tells whether there is a marker of this name, and claims it.
func (s Markers) Has(name string) bool { return s.Values(name) != nil }

// On tells whether there is a marker of this name that does not say false, and claims it.
func (s Markers) On(name string) bool {
	value, ok := s.Last(name)
	return ok && value != "false"
}

// Named are the markers of a name, or that continue it with a colon, all claimed:
// "+name:key=value", "+name=value".
func (s Markers) Named(name string) []*Marker {
	var out []*Marker
	for _, mk := range s.list {
		if rest, ok := strings.CutPrefix(mk.Text[1:], name); ok && (rest == "" || rest[0] == ':' || rest[0] == '=') {
			s.Claim(mk)
			out = append(out, mk)
		}
	}
	return out
}

// Arguments reads the markers of a name of the form "+name:key=value,key=value" or "+name=value",
// whose key is "", one list for each, and claims them.
func (s Markers) Arguments(name string) ([][]tag.Argument, error) {
	var out [][]tag.Argument
	for _, mk := range s.Named(name) {
		args, err := mk.Arguments(name)
		if err != nil {
			return nil, err
		}
		out = append(out, args)
	}
	return out, nil
}

// Arguments are those behind a name that the marker begins with.
func (mk *Marker) Arguments(name string) ([]tag.Argument, error) {
	rest := mk.Text[1+len(name):]
	args, err := tag.ParseArguments(rest)
	if err != nil {
		return nil, fmt.Errorf("+%s%s: %w", name, rest, err)
	}
	return args, nil
}

// But are the markers without those that drop tells.
func (s Markers) But(drop func(*Marker) bool) Markers {
	s.list = slices.DeleteFunc(slices.Clone(s.list), drop)
	return s
}

// loosely is a marker of packages that may stand anywhere in a file, as many projects have it: it
// is for controller-gen alone.
const loosely = "kubebuilder:validation:Optional"

// OfPackage are the markers of a package: those in doc.go, and above the package clause of other
// files. One may also stand in a loose comment.
func (m *Model) OfPackage(pkg *Package) Markers {
	if pkg == nil {
		return Markers{model: m}
	}
	out := m.of(m.PackageComments(pkg)...)
	for _, c := range m.LooseComments(pkg) {
		for _, mk := range m.in(c) {
			if mk.Name == loosely {
				out.list = append(out.list, mk)
			}
		}
	}
	return out
}

// OfType are the markers of a declared type: in the comment above it and in the block before that.
func (m *Model) OfType(t *types.Type) Markers {
	c := m.Comments(t)
	out := m.of(c.Far, c.Near)
	if c.Far == nil {
		return out
	}
	return out.But(func(mk *Marker) bool { return mk.Name == loosely && slices.Contains(m.in(c.Far), mk) })
}

// AboveType are those in the comment right above a declared type, without the block before that.
func (m *Model) AboveType(t *types.Type) Markers { return m.of(m.Comments(t).Near) }

// OfAlias are those of an alias, not of the type that it stands for.
func (m *Model) OfAlias(a Alias) Markers {
	c := m.AliasComments(a)
	return m.of(c.Far, c.Near)
}

// OfField are the markers of a field of a struct type, by its name in Go.
func (m *Model) OfField(owner *types.Type, name string) Markers {
	c := m.FieldComments(owner, m.fieldAt(owner, name))
	return m.of(c.Far, c.Near)
}

// OfConstant are the markers of a constant or variable, OfFunction those of a function or method:
// in the comment above it only, as no tool reads further.
func (m *Model) OfConstant(c *types.Type) Markers { return m.of(m.Comments(c).Near) }

// OfFunction is explained at OfConstant.
func (m *Model) OfFunction(fn *types.Type) Markers { return m.of(m.Comments(fn).Near) }

// Doc are the lines of the comment above a declaration, with the markers in it.
func (m *Model) Doc(of *types.Type) []string { return m.Comments(of).Near.Lines() }

// DocOfAlias are the lines of the comment above an alias.
func (m *Model) DocOfAlias(a Alias) []string { return m.AliasComments(a).Near.Lines() }

// DocOfField are the lines of the comment above a field, by its name in Go.
func (m *Model) DocOfField(owner *types.Type, name string) []string {
	return m.FieldComments(owner, m.fieldAt(owner, name)).Near.Lines()
}

// fieldAt is the place of a field in its struct.
func (m *Model) fieldAt(owner *types.Type, name string) int {
	places, ok := m.fields[owner]
	if !ok {
		places = map[string]int{}
		for i, member := range owner.Members {
			places[member.Name] = i
		}
		m.fields[owner] = places
	}
	return places[name]
}

// of joins the markers of comments.
func (m *Model) of(comments ...*load.Comment) Markers {
	out := Markers{model: m}
	for _, c := range comments {
		if c != nil {
			out.list = append(out.list, m.in(c)...)
		}
	}
	return out
}

// in are the markers of a comment, the same ones each time.
func (m *Model) in(c *load.Comment) []*Marker {
	known, ok := m.markers[c]
	if !ok {
		for _, line := range c.Tags() {
			known = append(known, newMarker(line))
		}
		m.markers[c] = known
	}
	return known
}

func newMarker(line load.TagLine) *Marker {
	mk := &Marker{Text: line.Text, Pos: line.Pos}
	end := 1
	for end < len(mk.Text) && inName(mk.Text[end], end == 1) {
		end++
	}
	if before, after, ok := strings.Cut(mk.Text, ":="); ok && len(before) == end-1 { // the form of controller-gen
		mk.Text, end = before+"="+after, end-1
	}
	mk.Name = mk.Text[1:end]
	return mk
}

// inName tells whether a letter may stand in the name of a tag, by the grammar of gengo.
func inName(c byte, first bool) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
	return letter || !first && (c >= '0' && c <= '9' || c == '.' || c == '-' || c == ':')
}
