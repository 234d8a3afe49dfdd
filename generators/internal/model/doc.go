// Package model is what plug-ins know of the Go packages of a run: packages, types, names in
// JSON, kinds, and every marker with its place. It is built once, and all plug-ins share it.
//
// It is the only thing that plug-ins see. None reads a comment or a struct tag by itself, so a
// marker means the same to all of them wherever it stands. It may stand above a type, or in the
// block before with a blank line between, as kubebuilder writes it.
//
// Reading a marker claims it for the plug-in that reads (Markers). What nobody has claimed in the
// end is reported by the run: a marker is never lost in silence.
//
// API is plain data: what clients see of an API package, its kinds with all their fields and what
// may stand in them. Plug-ins that describe or compare APIs use it.
//
// Start reading at Model. It judges nothing, and it is not for use by several goroutines at once.
package model

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/load"
)

// Model is what one run knows about Go packages. Types are those of gengo, without comments.
type Model struct {
	*load.Set

	// reader is the plug-in that works now.
	reader  string
	markers map[*load.Comment][]*Marker
	fields  map[*types.Type]map[string]int // the places of fields in their struct, by name
	servers []string
}

// Package and Alias are those of the loader.
type (
	Package = load.Package
	Alias   = load.Alias
)

// New makes the model of what was loaded.
func New(set *load.Set) *Model {
	return &Model{
		Set: set, markers: map[*load.Comment][]*Marker{}, fields: map[*types.Type]map[string]int{},
	}
}

// Reading says which plug-in claims the markers that are read from now on.
func (m *Model) Reading(plugin string) { m.reader = plugin }
