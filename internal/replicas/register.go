package replicas

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/typeplane/typeplane/internal/bookkeeping"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/storage"
)

const (
	// lifetime is how long a server that was killed is still in the register, at least.
	lifetime = 15 * time.Second
	// renewEvery is how often a server says that it runs.
	renewEvery = lifetime / 3
	// prefix is where the register lies. No resource has a name that begins with a dot.
	prefix = "/.replicas/"
)

// Replica is what a running server says of itself.
type Replica struct {
	// ID is of this process: no two servers have the same.
	ID string `json:"id"`
	// URL is where the server listens, Host the machine that it runs on.
	URL  string `json:"url"`
	Host string `json:"host"`
	// Release is the version of the program.
	Release string    `json:"release"`
	Started time.Time `json:"started"`
	// Keys are fingerprints of what the replicas of one service have in common, by what it is
	// called in messages.
	Keys map[string]string `json:"keys"`
	// Reads are the versions that the server can read, by resource. Writes is the version that it
	// stores.
	Reads  map[string][]string `json:"reads"`
	Writes map[string]string   `json:"writes"`
	// Follows says that the server goes along when objects move to another etcd. Moves is how far
	// it is with that, by resource, in words of package database.
	Follows bool              `json:"follows,omitempty"`
	Moves   map[string]string `json:"moves,omitempty"`
}

// Register is the list of the servers that run on one database. All of its methods may be called
// from any goroutine.
type Register struct {
	// Store is one without a cache and with the zero Form, at the root of the resources.
	Store storage.Interface
	Log   *slog.Logger
}

// List returns the servers that run, except for the one called except, in the order in which they
// started. A server that was killed is there for up to 16 seconds more.
func (r Register) List(ctx context.Context, except string) ([]Replica, error) {
	page, err := r.Store.List(ctx, prefix, storage.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("read which servers run: %w", err)
	}
	var all []Replica
	for _, e := range page.Entries {
		var one Replica
		content, _, err := bookkeeping.Decode(e.Key, e.Value, bookkeeping.First.Number)
		if err := cmp.Or(e.Err, err); err != nil {
			return nil, fmt.Errorf("read which servers run: %w", err)
		}
		if err := json.Unmarshal(content, &one); err != nil {
			return nil, fmt.Errorf("read which servers run: %s: %w", e.Key, err)
		}
		if one.ID != except {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b Replica) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Enter says that a server runs. It is forgotten after some seconds unless Keep says so again.
func (r Register) Enter(ctx context.Context, self Replica) error {
	key, err := storage.Join(strings.Trim(prefix, "/"), self.ID)
	if err != nil {
		return err
	}
	value, err := json.Marshal(self)
	if err != nil {
		return err
	}
	_, err = r.Store.GuaranteedUpdate(ctx, key, func(storage.Entry) ([]byte, []storage.Op, error) {
		return value, []storage.Op{storage.Lifetime(lifetime)}, nil
	})
	if storage.CodeOf(err) == storage.CodeNotFound {
		_, err = r.Store.Create(ctx, key, value, storage.Lifetime(lifetime))
	}
	return err
}

// Keep says again and again that a server runs, until ctx ends: then it is taken out. self returns
// what is so at the moment.
func (r Register) Keep(ctx context.Context, self func() Replica) {
	for wait.Sleep(ctx, renewEvery) == nil {
		if err := r.Enter(ctx, self()); err != nil && ctx.Err() == nil {
			r.Log.Warn("say to other servers that this one runs", "error", err)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewEvery)
	defer cancel()
	if err := r.Leave(last, self().ID); err != nil {
		r.Log.Warn("say to other servers that this one ends", "error", err)
	}
}

// Leave takes a server out of the register.
func (r Register) Leave(ctx context.Context, id string) error {
	key, err := storage.Join(strings.Trim(prefix, "/"), id)
	if err != nil {
		return err
	}
	_, err = r.Store.Delete(ctx, key, nil)
	if storage.CodeOf(err) == storage.CodeNotFound {
		return nil
	}
	return err
}
