package delegated

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/typeplane/typeplane/internal/recovery"
)

// maxCached bounds how many answers a cache keeps.
const maxCached = 8192

// cacheKey stands for a question. It is a keyed hash, so that the memory of the process is no list
// of tokens.
type cacheKey [sha256.Size]byte

// cache remembers the answers to questions, and has one question asked once for all who wait for
// its answer. It is safe for concurrent use.
type cache[A any] struct {
	secret []byte
	now    func() time.Time
	// lifetime says for how long an answer is good; zero: for this time only.
	lifetime func(A) time.Duration
	flights  singleflight.Group

	mu    sync.Mutex // guards known
	known map[cacheKey]cached[A]
}

type cached[A any] struct {
	answer A
	until  time.Time
}

func newCache[A any](lifetime func(A) time.Duration) *cache[A] {
	c := &cache[A]{secret: make([]byte, sha256.Size), now: time.Now, lifetime: lifetime, known: map[cacheKey]cached[A]{}}
	rand.Read(c.secret) // never fails
	return c
}

// key is that of a question, which is everything that the answer depends on.
func (c *cache[A]) key(question any) (cacheKey, error) {
	text, err := json.Marshal(question)
	if err != nil {
		return cacheKey{}, err
	}
	mac := hmac.New(sha256.New, c.secret)
	mac.Write(text)
	return cacheKey(mac.Sum(nil)), nil
}

// get returns the answer to a question that ask knows to put. ask outlives the first caller, since
// others wait for its answer too. An error is nobody's but of those who wait.
func (c *cache[A]) get(ctx context.Context, question any, ask func(context.Context) (A, error)) (A, error) {
	var none A
	key, err := c.key(question)
	if err != nil {
		return none, err
	}
	if answer, ok := c.lookup(key); ok {
		return answer, nil
	}
	flight := c.flights.DoChan(string(key[:]), func() (any, error) {
		var answer A
		err := recovery.Call(nil, "delegation", "", func() (err error) {
			answer, err = ask(context.WithoutCancel(ctx))
			return err
		})
		if err == nil {
			c.remember(key, answer)
		}
		return answer, err
	})
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case result := <-flight:
		return result.Val.(A), result.Err
	}
}

func (c *cache[A]) lookup(key cacheKey) (A, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.known[key]
	if ok && c.now().Before(found.until) {
		return found.answer, true
	}
	delete(c.known, key)
	var none A
	return none, false
}

func (c *cache[A]) remember(key cacheKey, answer A) {
	lifetime := c.lifetime(answer)
	if lifetime <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxCached {
		c.makeRoom()
	}
	c.known[key] = cached[A]{answer: answer, until: c.now().Add(lifetime)}
}

// makeRoom drops what is too old and, if that is nothing, an eighth of the rest: any will do, none
// is dear.
func (c *cache[A]) makeRoom() {
	now := c.now()
	for key, entry := range c.known {
		if !now.Before(entry.until) {
			delete(c.known, key)
		}
	}
	for key := range c.known {
		if len(c.known) <= maxCached*7/8 {
			return
		}
		delete(c.known, key)
	}
}
