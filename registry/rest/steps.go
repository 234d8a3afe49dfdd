package rest

import (
	"bytes"
	"encoding/json"
)

// StepName is a step of a write. They are in this order; a write leaves out those that its verb
// does not have.
type StepName string

const (
	// StepSent is the object as it was read of the request, or what a patch has made of the stored
	// one.
	StepSent StepName = "sent"
	// StepDefaulted: the defaults of the request's version are filled in.
	StepDefaulted StepName = "defaulted"
	// StepHub: it is converted to the hub, and the storage version has added its defaults.
	StepHub StepName = "hub"
	// StepOwned: managedFields say who manages which field.
	StepOwned StepName = "owned"
	// StepMutated: mutating admission was asked.
	StepMutated StepName = "mutated"
	// StepPrepared: the metadata is complete, and the strategy has prepared the object. It is
	// validated then.
	StepPrepared StepName = "prepared"
	// StepCanonicalized: the strategy has canonicalized it. Validating admission is asked then.
	StepCanonicalized StepName = "canonicalized"
	// StepStored: it is converted to the storage version, and has its defaults.
	StepStored StepName = "stored"
)

// Step is what an object is after a step of a write.
type Step struct {
	Name StepName `json:"name"`
	// APIVersion is what the object has then. That of the hub, which is on no wire, is
	// group/__internal, and its fields have the names that Go's encoding/json gives them.
	APIVersion string `json:"apiVersion"`
	// Object is JSON. It is left out if it is that of the step before.
	Object json.RawMessage `json:"object,omitempty"`
	// Problem is why the object can't be shown.
	Problem string `json:"problem,omitempty"`
}

// Stored is what a write would put into the database, or has put there.
type Stored struct {
	// Key is the object's in the store, without the prefix of the database.
	Key string
	// Value is what lies there, before it is encrypted.
	Value []byte
}

// Steps takes note of what a write makes of its object, for a client that wants to see it. A nil
// Steps takes nothing. It is for one goroutine.
type Steps struct {
	list   []Step
	last   Step // the last one that has an object
	stored Stored
}

// Note takes a step. show makes the object's JSON; it is called at once, and only if somebody wants
// to see it. A step that was there before begins another attempt: it and all that followed are
// forgotten.
func (s *Steps) Note(name StepName, apiVersion string, show func() ([]byte, error)) {
	if s == nil {
		return
	}
	s.forget(name)
	step := Step{Name: name, APIVersion: apiVersion}
	text, err := show()
	switch {
	case err != nil:
		step.Problem = err.Error()
	case apiVersion != s.last.APIVersion || !bytes.Equal(text, s.last.Object):
		step.Object = text
		s.last = step
	}
	s.list = append(s.list, step)
}

// forget forgets a step and what followed it.
func (s *Steps) forget(name StepName) {
	for i, step := range s.list {
		if step.Name != name {
			continue
		}
		s.list, s.last = s.list[:i], Step{}
		for _, earlier := range s.list {
			if earlier.Object != nil {
				s.last = earlier
			}
		}
		return
	}
}

// Keep takes what is stored.
func (s *Steps) Keep(stored Stored) {
	if s != nil {
		s.stored = stored
	}
}

// List returns the steps, in their order.
func (s *Steps) List() []Step { return s.list }

// Stored returns what is stored; its Key is "" if nothing is.
func (s *Steps) Stored() Stored { return s.stored }
