package model

import (
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// Occurrence is a marker with what it stands on.
type Occurrence struct {
	*Marker
	// Path names the place: "Book", "Book.Spec", "Convert_a_To_b"; "" for the package and for
	// comments that stand on nothing.
	Path string
	// Scope is the kind of the place, tag.Anywhere if the comment stands on nothing.
	Scope tag.Scope
	// Trailing tells that the marker stands behind code on the same line, where no plug-in looks.
	Trailing bool
}

// Occurrences returns all markers in the hand-written files of a package of the main module, in the
// order of the source, and claims none.
func (m *Model) Occurrences(pkg *Package) []Occurrence { return m.occurrences(m.Places(pkg)) }

// ForeignOccurrences are those in the files that other tools made.
func (m *Model) ForeignOccurrences(pkg *Package) []Occurrence {
	return m.occurrences(m.ForeignPlaces(pkg))
}

func (m *Model) occurrences(places []load.Place) []Occurrence {
	var out []Occurrence
	for _, at := range places {
		for _, mk := range m.in(at.Comment) {
			out = append(out, Occurrence{Marker: mk, Path: at.Path, Scope: at.Scope, Trailing: at.Trailing})
		}
	}
	return out
}
