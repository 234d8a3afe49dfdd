// Package rounds says who is asked a second time in one request of admission: those that allow it,
// and that others have made a change since. It is for what mutates by configuration, webhooks and
// policies. Start reading at Rounds. It asks nobody.
package rounds

import (
	"bytes"

	"github.com/typeplane/typeplane/admission"
)

// Rounds is what a plug-in keeps from the first round of a request for the second. K names who is
// asked. It is for one goroutine.
type Rounds[K comparable] struct {
	round int
	// asked are those that may be asked again and were, with no change by others since; due are
	// those that others have made a change since.
	asked, due map[K]bool
	// last is the object when the plug-in was done with it, in its first version; nil if nobody
	// would ask again.
	last []byte
}

// New are the rounds of a request that nobody has been asked about.
func New[K comparable]() *Rounds[K] { return &Rounds[K]{asked: map[K]bool{}, due: map[K]bool{}} }

// Number is 0 in the first round, and 1 in the second.
func (s *Rounds[K]) Number() int { return s.round }

// Wants says whether who is asked in this round. In the second one these are only some of those
// that were asked in the first.
func (s *Rounds[K]) Wants(who K) bool { return s.round == 0 || s.due[who] }

// Asked says that who was asked, and whether that may be so again. changed is that it has changed
// the object of the request: who was asked before should see that, so there is a second round.
func (s *Rounds[K]) Asked(r *admission.Request, who K, again, changed bool) {
	if changed {
		s.changed()
		r.Again = true
	}
	if again {
		s.asked[who] = true
	}
}

func (s *Rounds[K]) changed() {
	for who := range s.asked {
		s.due[who] = true
	}
	clear(s.asked)
}

// End ends the first round.
func (s *Rounds[K]) End(r *admission.Request) (err error) {
	if s.round == 0 && len(s.asked) > 0 {
		s.last, err = first(r)
	}
	return err
}

// Second begins the second round. due says whether anybody is to be asked in it.
func (s *Rounds[K]) Second(r *admission.Request) (due bool, err error) {
	s.round = 1
	if len(s.asked) > 0 {
		now, err := first(r)
		if err != nil {
			return false, err
		}
		if !bytes.Equal(now, s.last) {
			s.changed()
		}
	}
	return len(s.due) > 0, nil
}

// first is the object in the first of its versions, to see whether it changes.
func first(r *admission.Request) ([]byte, error) {
	if r.Object == nil || r.Codec == nil {
		return nil, nil
	}
	return r.Codec.Encode(r.Object, r.Codec.Versions()[0])
}
