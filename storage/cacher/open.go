package cacher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage"
)

// New starts a cache; it fills in the background, and reads wait for that. The caller closes it,
// before its Source. An error says what is wrong with config; that the source can't be reached is
// none.
func New(config Config) (*Cacher, error) {
	if config.Source == nil {
		return nil, errors.New("cacher: no source")
	}
	if err := storage.CheckPrefix("cache", config.Prefix); err != nil {
		return nil, err
	}
	if config.Window < 0 || config.LogBytes < 0 || config.Wait < 0 || config.BookmarkEvery < 0 || config.CheckEvery < 0 {
		return nil, errors.New("cacher: negative Window, LogBytes, Wait, BookmarkEvery or CheckEvery")
	}
	defaultTo(&config.Window, 75*time.Second)
	defaultTo(&config.LogBytes, 64<<20)
	defaultTo(&config.Wait, 3*time.Second)
	defaultTo(&config.BookmarkEvery, 5*time.Second)
	defaultTo(&config.CheckEvery, 5*time.Minute)
	if config.CheckLimiter == nil {
		config.CheckLimiter = NewCheckLimiter()
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	c := &Cacher{
		config: config, source: SourceOf(config.Source), prefix: config.Prefix,
		ready: make(chan struct{}), changed: make(chan struct{}), kick: make(chan struct{}, 1), historyRead: make(chan struct{}),
		log:     eventLog{first: firstNumber},
		waiters: waiters{shortest: len(config.Prefix)}, breakWatch: func() {},
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.revision.read = func() (int64, error) {
		ctx, cancel := context.WithTimeout(c.ctx, config.Wait)
		defer cancel()
		revision, err := c.source.Revision(ctx)
		switch {
		case err == nil:
			return revision, nil
		case c.ctx.Err() != nil:
			return 0, storage.ErrClosed
		case ctx.Err() != nil:
			return 0, &storage.Error{Code: storage.CodeUnavailable, Op: "revision", Key: c.prefix,
				Err: fmt.Errorf("no answer within %v: %w", config.Wait, err)}
		}
		return 0, err
	}
	if config.WriteCache != nil {
		config.WriteCache.cache.Store(c)
	}
	for _, loop := range []func(){c.follow, c.pushProgress, c.keepChecking} {
		c.wg.Go(func() { recovery.Loop(c.ctx, config.Log, "watch cache", func(context.Context) { loop() }) })
	}
	return c, nil
}

func defaultTo[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Close ends the cache and waits for its goroutines. Open watches end with storage.ErrClosed.
func (c *Cacher) Close() {
	c.cancel()
	c.waiters.wakeAll(-1)
	c.wg.Wait()
}
