package encryption

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/internal/recovery"
)

// Options say what to open. Only File is needed.
type Options struct {
	// File is the configuration.
	File string
	// Base is a second configuration, "" for none. What it names is encrypted as it says where File
	// says nothing of it, and can be read with its keys in any case. It is read once.
	Base string
	// Usual says that the configuration is nothing to speak of: what is in effect is logged for
	// debugging only.
	Usual bool
	// Reload makes Start look after the file and follow its changes.
	Reload bool
	// Resources are those that the program stores: one in the file that is none of them is a
	// mistake. nil allows all.
	Resources []Resource
	// Log is told what is loaded and what goes wrong; nil drops it.
	Log *slog.Logger

	// for tests
	every time.Duration // between looks at the file; 0 is fileEvery
	pace  pace
	now   func() time.Time
}

const (
	fileEvery = time.Second
	// retryEvery is for a file that was refused and has not changed: the plug-in that it names may
	// be there now.
	retryEvery = 10 * time.Second
)

// Encryption is a configuration in effect. Its methods may be called from any goroutine.
type Encryption struct {
	options Options
	current atomic.Pointer[ruleset] // replaced as a whole, so that a reload is for all resources at once
	base    *Config                 // nil for none
	ctx     context.Context
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	changed func()

	mu      sync.Mutex // guards the fields below
	problem error      // why the file that is there now is not in effect
	refused [32]byte   // the hash of a file that is not in effect
	retry   time.Time  // when it is tried again
}

// Open reads the configuration file and asks its KMS plug-ins for their keys; one that does not
// answer is logged, and is no error. The caller closes what it got, after the stores that use it.
func Open(options Options) (*Encryption, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.every == 0 {
		options.every = fileEvery
	}
	if options.pace == (pace{}) {
		options.pace = defaultPace
	}
	if options.now == nil {
		options.now = time.Now
	}
	e := &Encryption{options: options}
	if err := e.readBase(); err != nil {
		return nil, err
	}
	data, err := e.read()
	if err != nil {
		return nil, err
	}
	rules, err := e.build(data, false)
	if err != nil {
		return nil, err
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.current.Store(rules)
	e.announce(rules)
	return e, nil
}

// Start keeps the keys of KMS plug-ins confirmed, without which nothing can be written after three
// minutes. It follows the file if the options say so. The function changed, if it is not nil, is
// called when values may have become readable or stale: caches should read them again. It must not
// block. Start may be called once.
func (e *Encryption) Start(changed func()) {
	if changed == nil {
		changed = func() {}
	}
	e.changed = changed
	for _, p := range e.current.Load().plugins {
		p.run(changed)
	}
	if e.options.Reload {
		e.wg.Go(func() { recovery.Loop(e.ctx, e.options.Log, "encryption", func(context.Context) { e.follow() }) })
	}
}

// Close ends what Start began, and the connections to plug-ins.
func (e *Encryption) Close() {
	e.cancel()
	e.wg.Wait()
	for _, p := range e.current.Load().plugins {
		p.close()
	}
}

// FileHealth returns why the file that is there now is not in effect, nil if it is.
func (e *Encryption) FileHealth(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.problem
}

// PluginHealth returns what is wrong with the KMS plug-ins that are in use.
func (e *Encryption) PluginHealth(context.Context) error {
	var errs []error
	for _, p := range e.current.Load().plugins {
		errs = append(errs, p.healthy())
	}
	return errors.Join(errs...)
}

func (e *Encryption) read() ([]byte, error) {
	data, err := os.ReadFile(e.options.File)
	if err != nil {
		return nil, fmt.Errorf("encryption configuration: %w", err)
	}
	return data, nil
}

func (e *Encryption) readBase() error {
	if e.options.Base == "" {
		return nil
	}
	data, err := os.ReadFile(e.options.Base)
	if err != nil {
		return fmt.Errorf("encryption configuration: %w", err)
	}
	e.base, err = Parse(e.options.Base, data, nil)
	return err
}

// build makes the rules of a file. Plug-ins that are in use stay as they are, with what they know;
// with healthy, new ones must answer.
func (e *Encryption) build(data []byte, healthy bool) (*ruleset, error) {
	config, err := Parse(e.options.File, data, e.options.Resources)
	if err != nil {
		return nil, err
	}
	rules := &ruleset{config: config, file: e.options.File, hash: sha256.Sum256(data), plugins: map[KMS]*plugin{}, boxes: map[Resource][]slot{}}
	var fresh []*plugin
	closeFresh := func() {
		for _, p := range fresh {
			p.close()
		}
	}
	for _, k := range config.plugins() {
		if old := e.current.Load(); old != nil && old.plugins[k] != nil {
			rules.plugins[k] = old.plugins[k]
			continue
		}
		p, err := newPlugin(k, e.options.Log, e.options.pace, e.options.now)
		if err != nil {
			closeFresh()
			return nil, err
		}
		rules.plugins[k], fresh = p, append(fresh, p)
	}
	log := e.options.Log
	if healthy {
		log = slog.New(slog.DiscardHandler) // the caller says why the file is refused
	}
	var polls errgroup.Group
	for _, p := range fresh {
		polls.Go(func() error {
			return recovery.Call(log, "encryption", p.client.String(), func() error { return p.poll(log) })
		})
	}
	if err := polls.Wait(); err != nil && healthy {
		closeFresh()
		return nil, fmt.Errorf("%s: %w", e.options.File, err)
	}
	config = config.over(e.base)
	rules.config = config
	for _, rule := range config.Rules {
		for _, r := range rule.Resources {
			if rules.boxes[r], err = slots(config.providersOf(r), func(k KMS) *plugin { return rules.plugins[k] }); err != nil {
				closeFresh()
				return nil, err
			}
		}
	}
	return rules, nil
}

// over is a configuration whose providers come before those of base; nil is none.
func (c *Config) over(base *Config) *Config {
	if base == nil {
		return c
	}
	all := &Config{Rules: slices.Clone(c.Rules)}
	for _, rule := range base.Rules {
		for _, r := range rule.Resources {
			named := slices.ContainsFunc(c.Rules, func(own Rule) bool { return slices.Contains(own.Resources, r) })
			providers := rule.Providers
			if !named { // a rule for r alone takes the place of one for a group or for everything
				providers = slices.Concat(c.providersOf(r), providers)
			}
			all.Rules = append(all.Rules, Rule{Resources: []Resource{r}, Providers: providers})
		}
	}
	return all
}

// plugins are the KMS plug-ins of a configuration.
func (c *Config) plugins() []KMS {
	var all []KMS
	for _, rule := range c.Rules {
		for _, p := range rule.Providers {
			if p.Type == kmsProvider {
				all = append(all, p.KMS)
			}
		}
	}
	return all
}

// announce logs what is in effect.
func (e *Encryption) announce(rules *ruleset) {
	level := slog.LevelInfo
	if e.options.Usual {
		level = slog.LevelDebug
	}
	for _, rule := range rules.config.Rules {
		e.options.Log.Log(e.ctx, level, "encryption: configuration in effect", "file", e.options.File, "resources", fmt.Sprint(rule.Resources), "providers", describe(rule.Providers))
	}
	if info, err := os.Stat(e.options.File); err == nil && info.Mode().Perm()&0o004 != 0 {
		e.options.Log.Warn("encryption: every user of this machine can read the configuration, and the keys in it: chmod 600", "file", e.options.File)
	}
}
