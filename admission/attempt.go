package admission

// Attempt is one try at a write, and what is left to be done when that is known to be over. The
// Requests of one write share it: package registry says when a try begins and how it ended. It is
// for one goroutine. With a nil Attempt nobody waits for anything.
type Attempt struct {
	number int
	after  []func(written bool)
}

// Again says that the write has been tried before: what a plug-in went by then may have been read
// from memory, and have been old. This time it should make sure.
func (a *Attempt) Again() bool { return a != nil && a.number > 1 }

// Then has f called when the attempt is over. written says that the object was written, with all
// that was to be written with it; if it is false, nobody may know.
func (a *Attempt) Then(f func(written bool)) {
	if a == nil {
		f(false)
		return
	}
	a.after = append(a.after, f)
}

// Next begins an attempt. The one before, if there was one, wrote nothing.
func (a *Attempt) Next() {
	if a == nil {
		return
	}
	a.over(false)
	a.number++
}

// Over ends the last attempt of a write, if r is not nil: err is what became of it.
func (r *Request) Over(err error) {
	if r != nil && r.Attempt != nil {
		r.Attempt.over(err == nil && !r.DryRun)
	}
}

func (a *Attempt) over(written bool) {
	after := a.after
	a.after = nil
	for _, f := range after {
		f(written)
	}
}
