package auth

import (
	"crypto/sha256"
	"sync"
)

// signed remembers what tokens say whose signature was good, by their hashes: to verify one costs
// more than the rest of a small request. Times, and the objects that a token depends on, are looked
// at each time. It is safe for concurrent use.
type signed struct {
	mu sync.Mutex // guards what follows
	// Tokens go from young to old when there are signedTokens of them, and from old out.
	young, old map[[sha256.Size]byte]*Claims
}

// signedTokens is how many tokens in use are remembered for sure. Twice as many there are at most.
const signedTokens = 1024

// find returns what a token says, nil if nobody remembers.
func (s *signed) find(sum [sha256.Size]byte) *Claims {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.young[sum]; c != nil {
		return c
	}
	c := s.old[sum]
	if c != nil {
		s.keep(sum, c)
	}
	return c
}

// add remembers what a token says. Nobody modifies it any more.
func (s *signed) add(sum [sha256.Size]byte, c *Claims) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(sum, c)
}

func (s *signed) keep(sum [sha256.Size]byte, c *Claims) {
	if s.young == nil || len(s.young) == signedTokens {
		s.young, s.old = map[[sha256.Size]byte]*Claims{}, s.young
	}
	s.young[sum] = c
}
