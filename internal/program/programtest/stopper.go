package programtest

import "bytes"

// Stopper is a terminal at which somebody types Ctrl-C as soon as there is something to see.
type Stopper struct {
	bytes.Buffer
	Stop func()
}

// Write types it.
func (s *Stopper) Write(p []byte) (int, error) {
	s.Stop()
	return s.Buffer.Write(p)
}
