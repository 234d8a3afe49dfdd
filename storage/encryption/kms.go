package encryption

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
	"google.golang.org/grpc/codes"

	"github.com/typeplane/typeplane/internal/recovery"
)

const (
	// confirmedFor is how long a key of a KMS may be used after the plug-in confirmed that it is
	// the current one. It is Kubernetes' time, so that whoever changes the key can count on it:
	// after this time everybody uses the new one, or can't write.
	confirmedFor = 3 * time.Minute
	// maxSources bounds the decrypted seeds in memory. There is one for each start of each server,
	// and each key.
	maxSources = 10_000
	// maxPause bounds the time between attempts to read again what a healthy plug-in would not
	// decrypt.
	maxPause = 10 * time.Minute
)

// pace is how often a plug-in is asked for its status.
type pace struct{ healthy, unhealthy time.Duration }

var defaultPace = pace{healthy: 20 * time.Second, unhealthy: 5 * time.Second}

// plugin is a box whose keys are made of seeds that a KMS encrypts. It writes with one seed for as
// long as the KMS has the same key. So the plug-in is asked once for each seed, not for each value.
// What was read once can be read while the plug-in is down.
type plugin struct {
	client *kmsClient
	pace   pace
	log    *slog.Logger
	now    func() time.Time
	ctx    context.Context // ends the calls
	cancel context.CancelFunc
	done   chan struct{} // closed when run has ended; nil before
	kick   chan struct{} // asks for a poll now

	current atomic.Pointer[writeSeed] // nil until the plug-in answered for the first time
	calls   singleflight.Group

	mu        sync.Mutex        // guards the fields below
	sources   map[string][]byte // decrypted, by envelope.identity
	health    error
	suspended error // why no seed is decrypted until the next good poll
	refused   bool  // a seed could not be decrypted since the last call of recovered
	pause     time.Duration
	again     time.Time // when recovered may be called again
}

// writeSeed is what new values are encrypted with. It is immutable.
type writeSeed struct {
	envelope
	seed      []byte
	confirmed time.Time
}

// callError is a call that the plug-in did not answer as it should. Another time it may.
type callError struct {
	code codes.Code
	err  error
}

func (e *callError) Error() string { return e.err.Error() }
func (e *callError) Unwrap() error { return e.err }

func newPlugin(config KMS, log *slog.Logger, pace pace, now func() time.Time) (*plugin, error) {
	client, err := dialKMS(config)
	if err != nil {
		return nil, err
	}
	p := &plugin{client: client, pace: pace, log: log, now: now, kick: make(chan struct{}, 1),
		sources: map[string][]byte{}, health: errors.New("not asked yet"), pause: pace.healthy}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// run polls until close. recovered is called when values that could not be read may be readable
// now.
func (p *plugin) run(recovered func()) {
	p.done = make(chan struct{})
	go func() {
		defer close(p.done)
		recovery.Loop(p.ctx, p.log, "encryption", func(context.Context) { p.keepPolling(recovered) })
	}()
}

func (p *plugin) keepPolling(recovered func()) {
	for {
		wait := p.pace.healthy
		if p.healthy() != nil {
			wait = p.pace.unhealthy
		}
		select {
		case <-time.After(wait):
		case <-p.kick:
		case <-p.ctx.Done():
			return
		}
		if p.poll(p.log) == nil && p.mayRetry() {
			recovered()
		}
	}
}

// close ends the polls and waits for them.
func (p *plugin) close() {
	p.cancel()
	if p.done != nil {
		<-p.done
	}
	p.client.close()
}

// healthy returns what the last poll found.
func (p *plugin) healthy() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.health
}

// poll asks for the current key of the KMS, and makes a new seed if it is another one. log is told
// when the plug-in ceases to work, and when it works again.
func (p *plugin) poll(log *slog.Logger) error {
	err := p.confirm()
	if p.ctx.Err() != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil && (p.health == nil || p.health.Error() != err.Error()):
		log.Error("encryption: "+p.client.String()+" does not work: what has been read before can still be read, writes soon fail", "error", err)
	case err == nil && p.health != nil:
		log.Info("encryption: " + p.client.String() + " works")
	}
	p.health = err
	if err == nil {
		p.suspended = nil
	} else {
		p.pause, p.again = p.pace.healthy, time.Time{}
	}
	return err
}

func (p *plugin) confirm() error {
	now := p.now()
	id, err := p.client.status(p.ctx)
	if err != nil {
		return err
	}
	if w := p.current.Load(); w != nil && w.keyID == id {
		p.current.Store(&writeSeed{envelope: w.envelope, seed: w.seed, confirmed: now})
		return nil
	}
	seed := make([]byte, seedSize)
	rand.Read(seed) // never fails: it ends the process instead
	e, err := p.client.encrypt(p.ctx, seed)
	if err != nil {
		return err
	}
	if e.keyID != id {
		return fmt.Errorf("%s is not sure of its key: Status says %q, Encrypt used %q", p.client, id, e.keyID)
	}
	p.remember(e.identity(), seed)
	p.current.Store(&writeSeed{envelope: e, seed: seed, confirmed: now})
	return nil
}

// mayRetry says that reads have failed for the plug-in's sake and that it is time to try them
// again. A plug-in that is well but refuses a seed is asked less and less often.
func (p *plugin) mayRetry() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.refused || p.now().Before(p.again) {
		return false
	}
	p.refused, p.again, p.pause = false, p.now().Add(p.pause), min(2*p.pause, maxPause)
	return true
}

func (p *plugin) seal(dst []byte, path string, plain []byte) ([]byte, error) {
	w := p.current.Load()
	if w == nil {
		return nil, fmt.Errorf("nothing can be written before the KMS plug-in answers: %w", p.healthy())
	}
	if age := p.now().Sub(w.confirmed); age > confirmedFor {
		return nil, fmt.Errorf("the KMS plug-in has not confirmed its key for %v, which is more than %v: %w", age.Round(time.Second), confirmedFor, p.healthy())
	}
	data, err := sealWithSeed(w.seed, path, plain)
	if err != nil {
		return nil, err
	}
	e := w.envelope
	e.data = data
	return e.append(dst), nil
}

func (p *plugin) open(path string, sealed []byte) ([]byte, bool, error) {
	e, err := parseEnvelope(sealed)
	if err != nil {
		return nil, false, err
	}
	source, err := p.source(&e)
	if err != nil {
		return nil, false, err
	}
	plain, err := e.openWith(source, path)
	if err != nil {
		return nil, false, err
	}
	w := p.current.Load()
	return plain, w != nil && (e.keyID != w.keyID || e.kind != sourceSeed), nil
}

func (p *plugin) bound() bool { return true }

// source decrypts the source of an envelope, or knows it.
func (p *plugin) source(e *envelope) ([]byte, error) {
	id := e.identity()
	if source, err := p.known(id); source != nil || err != nil {
		return source, err
	}
	found, err, _ := p.calls.Do(id, func() (any, error) {
		if source, err := p.known(id); source != nil || err != nil {
			return source, err
		}
		source, err := p.client.decrypt(p.ctx, e)
		if err != nil {
			p.noteRefusal(err)
			return []byte(nil), err
		}
		p.remember(id, source)
		return source, nil
	})
	return found.([]byte), err
}

func (p *plugin) known(id string) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if source := p.sources[id]; source != nil {
		return source, nil
	}
	if p.suspended != nil {
		p.refused = true
		return nil, p.suspended
	}
	return nil, nil
}

func (p *plugin) remember(id string, source []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for old := range p.sources {
		if len(p.sources) < maxSources {
			break
		}
		delete(p.sources, old)
	}
	p.sources[id] = source
}

// noteRefusal remembers that there is something to be read again. After an error that all calls
// would have, none is made before a poll says that the plug-in is there: a list of many values must
// not wait for each.
func (p *plugin) noteRefusal(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = true
	var call *callError
	if !errors.As(err, &call) || call.code != codes.Unavailable && call.code != codes.DeadlineExceeded {
		return
	}
	p.suspended = err
	select {
	case p.kick <- struct{}{}:
	default:
	}
}
