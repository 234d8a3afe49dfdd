package database

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/storage/migration"
)

// retryMigration is the pause after a migration that has failed.
const retryMigration = 10 * time.Second

// Migrator rewrites what is stored in an old form, while a server runs. A person who wants it at
// once uses the command migrate.
type Migrator struct {
	survey *Surveyor
	dbs    *Databases
	rate   int
	log    *slog.Logger
	again  chan struct{} // holds a token while it has to look again
	// thorough says that the caches may not know of everything that is stale. They may not have
	// read their entries again yet, or another server may have written a moment ago.
	thorough bool

	mu       sync.Mutex // guards progress
	progress migrationReport
}

// migrationReport is what /debug/storage says of the Migrator of one server. If several servers
// share a database, one of them migrates.
type migrationReport struct {
	// State is "waiting" for servers of an older release, "running" or "idle".
	State string `json:"state"`
	// WaitsFor are these servers, by resource.
	WaitsFor map[string][]string `json:"waitsFor,omitempty"`
	// Rewritten is how many objects this server has rewritten since its start.
	Rewritten int64 `json:"rewritten"`
	// Left is how many are still to be rewritten in the resource that it is at.
	Left int64 `json:"left,omitempty"`
}

const (
	stateWaiting = "waiting"
	stateRunning = "running"
	stateIdle    = "idle"
)

// NewMigrator returns one that rewrites at most rate objects in a second. It asks the caches, which
// survey knows, what is stale, and waits while other servers write another version.
func NewMigrator(survey *Surveyor, dbs *Databases, rate int, log *slog.Logger) *Migrator {
	return &Migrator{survey: survey, dbs: dbs, rate: rate, log: log, again: make(chan struct{}, 1)}
}

// Again makes it look for stale objects: a key has come or gone, or a version is no longer held
// back. It does not block.
func (m *Migrator) Again() {
	select {
	case m.again <- struct{}{}:
	default:
	}
}

// Run migrates when the caches are filled, and each time that Again is called, until ctx ends. The
// later looks read the database.
func (m *Migrator) Run(ctx context.Context) {
	m.dbs.OnceFilled(ctx, m.Again)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-m.again:
		}
		err := m.migrate(ctx)
		if m.thorough = true; err != nil && ctx.Err() == nil {
			m.log.Warn("rewrite what is stored in an old form", "error", err)
			if wait.Sleep(ctx, retryMigration) == nil {
				m.Again()
			}
		}
	}
}

func (m *Migrator) migrate(ctx context.Context) error {
	others := map[string][]string{}
	for _, db := range m.dbs.All() {
		some, err := db.Peers.WriteOthers(ctx)
		if err != nil {
			return err
		}
		maps.Copy(others, some)
	}
	if m.setWaiting(others); len(others) > 0 {
		return m.lookLater(ctx)
	}
	m.setRunning(true)
	defer m.setRunning(false)
	pace := migration.NewPace(m.rate)
	for _, db := range m.dbs.All() {
		if err := m.database(ctx, db, pace); err != nil {
			return err
		}
	}
	return nil
}

// database migrates what is in one database, and notes there what is in one version now.
func (m *Migrator) database(ctx context.Context, db *Database, pace *migration.Pace) error {
	record := db.Record()
	_, seen, err := record.Read(ctx)
	if err != nil {
		return err
	}
	only := map[string]string{}
	for i, r := range m.survey.Resources {
		if m.dbs.Of(r.GroupResource()) != db {
			continue
		}
		result, err := m.resource(ctx, i, db, pace)
		if err != nil {
			return fmt.Errorf("%s: %w", r.GroupResource(), err)
		}
		if result.Left() == 0 && result.Unreadable == 0 {
			only[r.GroupResource().String()] = r.StorageVersion(m.survey.Options[i]).String()
		}
	}
	return record.Settle(ctx, seen, only)
}

// lookLater has it look again after a while.
func (m *Migrator) lookLater(ctx context.Context) error {
	if wait.Sleep(ctx, lookEvery) == nil {
		m.Again()
	}
	return nil
}

// resource migrates the objects of one resource. What the cache says is enough for the first look.
func (m *Migrator) resource(ctx context.Context, i int, db *Database, pace *migration.Pace) (migration.Result, error) {
	r := m.survey.Resources[i]
	count, err := migration.Survey(ctx, m.survey.Stores[i], r.KeyPrefix())
	if err != nil || count.Stale == 0 && !m.thorough {
		return migration.Result{Count: count}, err
	}
	form, err := m.survey.Form(i, db.Root)
	if err != nil {
		return migration.Result{}, err
	}
	if count.Stale > 0 {
		m.log.Info(fmt.Sprintf("%d of %d objects of %s are stored in an old form: they are rewritten", count.Stale, count.Entries, r.GroupResource()), "perSecond", m.rate)
	}
	before := m.rewritten()
	result, err := migration.Run(ctx, migration.Config{
		Store: db.Source(form), Prefix: r.KeyPrefix(), Pace: pace,
		Progress: func(now migration.Result) { m.setRewritten(before+now.Rewritten, now.Left()) },
	})
	if result.Stale > 0 {
		m.log.Info(fmt.Sprintf("%d objects of %s were rewritten", result.Rewritten, r.GroupResource()), "left", result.Left())
	}
	return result, err
}

func (m *Migrator) report() migrationReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	report := m.progress
	if report.State == "" {
		report.State = stateIdle
	}
	return report
}

// setWaiting notes for which servers it waits, by resource.
func (m *Migrator) setWaiting(others map[string][]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.progress.WaitsFor, m.progress.State = others, ""
	if len(others) > 0 {
		m.progress.State = stateWaiting
	}
}

func (m *Migrator) setRunning(running bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.progress.State, m.progress.Left = "", 0
	if running {
		m.progress.State = stateRunning
	}
}

func (m *Migrator) rewritten() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.progress.Rewritten
}

func (m *Migrator) setRewritten(n, left int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.progress.Rewritten, m.progress.Left = n, left
}
