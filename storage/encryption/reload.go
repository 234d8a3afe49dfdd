package encryption

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"
)

// follow looks at the file's content from time to time: that works for every way to replace it,
// also for the links of which a mounted secret is made.
func (e *Encryption) follow() {
	ticker := time.NewTicker(e.options.every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			e.look()
		case <-e.ctx.Done():
			return
		}
	}
}

// look puts the file into effect if it is another one than before.
func (e *Encryption) look() {
	data, err := e.read()
	if err != nil {
		e.refuse([32]byte{}, err)
		return
	}
	hash := sha256.Sum256(data)
	if hash == e.current.Load().hash {
		e.note(nil, [32]byte{})
		return
	}
	e.mu.Lock()
	known := hash == e.refused && e.options.now().Before(e.retry)
	e.mu.Unlock()
	if known {
		return
	}
	rules, err := e.build(data, true)
	if err != nil {
		e.refuse(hash, err)
		return
	}
	e.replace(rules)
}

// replace puts rules into effect, for all resources at once.
func (e *Encryption) replace(rules *ruleset) {
	old := e.current.Load()
	for k, p := range rules.plugins {
		if old.plugins[k] == nil {
			p.run(e.changed)
		}
	}
	e.current.Store(rules)
	e.note(nil, [32]byte{})
	e.announce(rules)
	e.changed()
	for k, p := range old.plugins {
		if rules.plugins[k] == nil {
			e.wg.Go(func() { e.retire(p) })
		}
	}
}

// retire closes a plug-in's client when the calls that are on their way have ended.
func (e *Encryption) retire(p *plugin) {
	select {
	case <-time.After(2 * p.client.config.Timeout):
	case <-e.ctx.Done():
	}
	p.close()
}

// refuse says loudly, but once, why the file is not in effect.
func (e *Encryption) refuse(hash [32]byte, err error) {
	err = fmt.Errorf("the encryption configuration can't be used, the one before stays in effect: %w", err)
	if last := e.FileHealth(e.ctx); last == nil || last.Error() != err.Error() {
		e.options.Log.Error("encryption: "+errors.Unwrap(err).Error(), "file", e.options.File, "in effect", "the configuration before")
	}
	e.note(err, hash)
}

func (e *Encryption) note(problem error, hash [32]byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.problem, e.refused, e.retry = problem, hash, e.options.now().Add(retryEvery)
}
